import { describe, expect, it } from '@jest/globals';
import { defer, EMPTY, NEVER, of } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import type { LogPiece } from '../../lib/index.ts';
import { tail } from '../../lib/serve/tail.ts';
import type { Tailed } from '../../lib/serve/tail.ts';

/** A log of letters that a diagram fills; `|` ends it. */
class Letters implements Tailed {
  readonly waiting = new Set<() => void>();
  private readonly letters: string[] = [];
  isEnded = false;
  reads = 0;

  get position(): number {
    return this.letters.length;
  }

  piece(after: number) {
    return defer(() => {
      this.reads += 1;
      const entries = this.letters.slice(after, after + 2) as unknown as LogPiece['entries'];
      return entries.length === 0 ? EMPTY : of({ position: after + 1, entries });
    });
  }

  add(letter: string, ends = false): void {
    this.letters.push(letter);
    this.isEnded = ends;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const wake of waiting) wake();
  }
}

const run = (work: (helpers: Parameters<Parameters<TestScheduler['run']>[0]>[0]) => void): void =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(work);

describe('tail', () => {
  it('gives what comes until the end', () => {
    run(({ hot, expectObservable }) => {
      const letters = new Letters();
      const log$ = hot(' -a--b-(c|)');
      const values = { a: { position: 1, entries: ['a'] }, b: { position: 2, entries: ['b'] }, c: { position: 3, entries: ['c'] } };
      log$.subscribe((letter) => letters.add(letter, letter === 'c'));
      expectObservable(tail(letters, 0)).toBe('-a--b-(c|)', values);
    });
  });

  it('gives what is there in pieces', () => {
    const letters = new Letters();
    for (const letter of 'abcde') letters.add(letter, letter === 'e');
    const seen: unknown[] = [];
    tail(letters, 1).subscribe({ next: ({ position, entries }) => seen.push([position, ...entries]), complete: () => seen.push('|') });
    expect(seen).toEqual([[2, 'b', 'c'], [4, 'd', 'e'], '|']);
  });

  it('waits for nothing when it is left', () => {
    const letters = new Letters();
    const reader = tail(letters, 0).subscribe();
    expect(letters.waiting.size).toBe(1);
    reader.unsubscribe();
    expect(letters.waiting.size).toBe(0);
  });

  it('reads nothing that nobody asks for', () => {
    const letters = new Letters();
    letters.add('a');
    const reader = tail(letters, 0, { ready: () => NEVER }).subscribe();
    expect(letters.reads).toBe(0);
    reader.unsubscribe();
  });
});
