import { describe, expect, it } from '@jest/globals';
import { Subject, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { firstAnswer } from '../lib/answer.ts';

function listen(source: Observable<unknown>): unknown[] {
  const heard: unknown[] = [];
  source.subscribe({
    next: (value) => heard.push(value),
    error: (error: unknown) => heard.push(['error', error]),
    complete: () => heard.push('complete'),
  });
  return heard;
}

describe('firstAnswer', () => {
  it('is the first value of what a port answers, then leaves it', () => {
    const source = new Subject<number>();
    const heard = listen(firstAnswer(() => source));
    source.next(1);

    expect(heard).toEqual([1, 'complete']);
    expect(source.observed).toBe(false);
  });

  it.each([
    ['an empty Observable', () => of<number>()],
    ['undefined', () => undefined],
    ['no port at all', () => (undefined as (() => number) | undefined)?.()],
  ])('is undefined, once, for %s', (_what, port) => {
    expect(listen(firstAnswer<number | undefined>(port))).toEqual([undefined, 'complete']);
  });

  it('calls the port for each subscription, and not before', () => {
    let called = 0;
    const first$ = firstAnswer(() => (called += 1));
    expect(called).toBe(0);

    expect(listen(first$)).toEqual([1, 'complete']);
    expect(listen(first$)).toEqual([2, 'complete']);
  });

  it('fails with what the port throws', () => {
    const fault = new Error('broken');
    const first$ = firstAnswer(() => {
      throw fault;
    });

    expect(listen(first$)).toEqual([['error', fault]]);
  });
});
