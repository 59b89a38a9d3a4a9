import { describe, expect, it } from '@jest/globals';
import { concat, EMPTY, from, map, NEVER, of, take, tap, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { releaseInOrder } from '../../lib/invoke/release.ts';
import type { Indexed } from '../../lib/invoke/release.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

/** Lower case is live, upper case is held; a call's last event is a digit. `a` `A` `0` belong to the first call. */
function item(letter: string): Indexed<string> {
  const isDigit = /\d/.test(letter);
  const index = isDigit ? Number(letter) : letter.toLowerCase().charCodeAt(0) - 97;
  return { index, event: letter, held: isDigit || letter !== letter.toLowerCase(), last: isDigit };
}

const release = (letters$: Observable<string>): Observable<string> => letters$.pipe(map(item), releaseInOrder());
const said = (letters: string): string => {
  let text = '';
  release(of(...letters)).subscribe((letter) => (text += letter));
  return text;
};

// prettier-ignore
describe('releaseInOrder', () => {
  it('lets live events pass, and holds results back until those before them have come', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const source = cold(' -a-b-b-(B1)-a-(A0)---c-(C2)--|');
    const expected = '    -a-b-b------a-(A0B1)-c-(C2)--|';

    expectValues(release(source)).toBe(expected);
    expectSubscriptions(source).toBe('^----------------------------!');
  }));

  it.each([
    ['what comes in order', 'A0B1C2', 'A0B1C2'],
    ['what comes backwards', 'C2B1A0', 'A0B1C2'],
    ['what is mixed', 'B1aC2bA0', 'abA0B1C2'],
    ['a call that has nothing but its result', '102', '012'],
    ['live events of a call that waits', 'B1bbA0', 'bbA0B1'],
    ['a call whose last event has not come', 'B1A', 'A'],
    ['a gap that stays open', 'A0C2', 'A0'],
  ])('releases %s', (_name, letters, released) => {
    expect(said(letters)).toBe(released);
  });

  it('is through with its source: what still waits then is not shown', () => {
    const heard: unknown[] = [];
    release(of('B', '1')).subscribe({ next: (letter) => heard.push(letter), complete: () => heard.push('complete') });
    expect(heard).toEqual(['complete']);
  });

  it('passes an error on, and drops what waits', () => {
    const heard: unknown[] = [];
    release(concat(of('B', '1'), throwError(() => 'broken'))).subscribe({ next: (letter) => heard.push(letter), error: (error) => heard.push(error) });
    expect(heard).toEqual(['broken']);
  });

  it('ends with an empty source, and does not with one that never ends', () => {
    const ends: string[] = [];
    release(EMPTY).subscribe({ complete: () => ends.push('empty') });
    release(NEVER).subscribe({ complete: () => ends.push('never') });
    expect(ends).toEqual(['empty']);
  });

  it('leaves the source in the middle of what it releases', () => {
    const heard: string[] = [];
    release(of(...'B1C2A0')).pipe(take(3)).subscribe((letter) => heard.push(letter));
    expect(heard).toEqual(['A', '0', 'B']);
  });

  it('shares nothing between two subscribers', () => {
    const released$ = release(of(...'B1A0'));
    const heard: string[] = [];
    released$.subscribe((letter) => heard.push(letter));
    released$.subscribe((letter) => heard.push(letter));
    expect(heard.join('')).toBe('A0B1A0B1');
  });
});

describe('releaseInOrder, together', () => {
  const together = (letters: string, count: number, cut?: string[]): string[] => {
    const at: string[] = [];
    let shown = '';
    from(letters).pipe(
      tap(() => at.push('')),
      map(item),
      releaseInOrder({ count, cut: () => cut }),
    ).subscribe((letter) => {
      at[at.length - 1] += letter;
      shown += letter;
    });
    return at;
  };

  it('releases nothing before the last call has settled, then all, in call order', () => {
    expect(together('bB1aA0', 2)).toEqual(['b', '', '', 'a', '', 'A0B1']);
  });

  it('releases what is said in place of everything, where it was cut', () => {
    expect(together('bB1aA0', 2, ['x', 'y'])).toEqual(['b', '', '', 'a', '', 'xy']);
  });
});
