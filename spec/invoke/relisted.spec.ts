import { describe, expect, it } from '@jest/globals';
import { defer, NEVER, of, Subject, throwError } from 'rxjs';
import { relisted } from '../../lib/invoke/relisted.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

describe('relisted', () => {
  // prettier-ignore
  it('lists once more behind the changes of a listing', loopMarbles(({ cold, hot, expectValues, expectSubscriptions }) => {
    const changes = hot('-----c-cc----|  ');
    const list = cold('  ---1|          ');
    const expected = '   ---1----1---1|  ';

    expectValues(relisted(list, changes)).toBe(expected);
    expectSubscriptions(changes).toBe('^------------!');
  }));

  // prettier-ignore
  it('ends with the changes where no listing is left', loopMarbles(({ cold, hot, expectValues }) => {
    expectValues(relisted(cold('-1|'), hot('---|'))).toBe('-1-|');
  }));

  // prettier-ignore
  it('fails as a listing does', loopMarbles(({ cold, hot, expectValues, expectSubscriptions }) => {
    const changes = hot('-----c---');
    expectValues(relisted(cold('--#'), changes)).toBe('--#');
    expectSubscriptions(changes).toBe('^-!');
  }));

  // prettier-ignore
  it('takes a failure for that of a change that came meanwhile, and lists again', loopMarbles(({ cold, hot, expectValues }) => {
    const lists = [cold('--#'), cold('--1|')];
    expectValues(relisted(defer(() => lists.shift() ?? NEVER), hot('-c----'))).toBe('----1');
  }));

  // prettier-ignore
  it('fails as the changes do', loopMarbles(({ cold, hot, expectValues }) => {
    expectValues(relisted(cold('---1|'), hot('-#'))).toBe('-#');
  }));

  // prettier-ignore
  it('leaves both', loopMarbles(({ cold, hot, expectValues, expectSubscriptions }) => {
    const [changes, list] = [hot('-----'), cold('----1|')];
    expectValues(relisted(list, changes), '^-!').toBe('---');
    expectSubscriptions(changes).toBe('^-!');
    expectSubscriptions(list).toBe('^-!');
  }));

  it('is as deep after many changes as after one', () => {
    const changes = new Subject<void>();
    const seen: number[] = [];
    let left = 50_000;
    relisted(defer(() => of(left)), changes).subscribe((value) => {
      seen.push(value);
      if (left-- > 0) changes.next();
    });
    expect(seen).toHaveLength(50_001);
  });

  it('begins with one listing, also where a change comes at once', () => {
    let listings = 0;
    relisted(defer(() => of(++listings)), of(1)).subscribe();
    expect(listings).toBe(1);
  });

  it('is cold: each subscription lists', () => {
    let listings = 0;
    const sets$ = relisted(defer(() => of(++listings)), NEVER);
    sets$.subscribe();
    sets$.subscribe();
    expect(listings).toBe(2);
    expect(() => relisted(throwError(() => new Error('no')), NEVER)).not.toThrow();
  });
});
