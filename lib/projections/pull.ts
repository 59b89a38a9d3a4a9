import type { Observable, Subscription } from 'rxjs';
import type { Demand } from '../demand.ts';
import { Gate, HIGH_WATER_MARK } from './gate.ts';

export interface PullOptions {
  /** The run waits while so many values are unread. Default 16; less than 1 acts as 1. */
  readonly highWaterMark?: number;
}

/**
 * A run as an async iterable that the reader paces: a slow reader slows the provider, where a plain subscription takes
 * the whole answer into memory.
 *
 * Contract:
 * - starts: at the first `next()`; each iterator is a run of its own.
 * - leaves: `break`, `return()` and an exception in a `for await` leave the run in the same tick.
 * - fails: the run's error is thrown, after all that was said before it.
 * - order: the run's own. Buffered at most: `highWaterMark` values, and what one network read brings.
 *
 * @param run - makes the run from the demand to give it: `(demand) => toolLoop({ ...options, demand })`
 *
 * @example A slow reader
 * ```ts
 * import { pull, toolLoop, type ToolLoopOptions } from 'rx-tool-loop';
 *
 * export async function read(options: ToolLoopOptions, write: (text: string) => Promise<void>) {
 *   for await (const event of pull((demand) => toolLoop({ ...options, demand }))) {
 *     if (event.type === 'delta' && event.delta.type === 'text') await write(event.delta.text);
 *   }
 * }
 * ```
 * @see {@link paced} - for a consumer that is an Observable or returns a promise
 * @public
 */
export function pull<T>(run: (demand: Demand) => Observable<T>, options: PullOptions = {}): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => new PullIterator(run, options.highWaterMark ?? HIGH_WATER_MARK) };
}

type Settle<T> = { readonly resolve: (result: IteratorResult<T>) => void; readonly reject: (error: unknown) => void };

class PullIterator<T> implements AsyncIterator<T> {
  private readonly run: (demand: Demand) => Observable<T>;
  private readonly gate: Gate;
  private subscription: Subscription | undefined;
  private values: T[] = [];
  private head = 0;
  private readonly readers: Settle<T>[] = [];
  private ending: { readonly error?: unknown } | undefined;

  constructor(run: (demand: Demand) => Observable<T>, highWaterMark: number) {
    this.run = run;
    this.gate = new Gate(highWaterMark);
  }

  next(): Promise<IteratorResult<T>> {
    return new Promise((resolve, reject) => {
      this.readers.push({ resolve, reject });
      this.subscription ??= this.begin();
      this.serve();
    });
  }

  return(): Promise<IteratorResult<T>> {
    this.ending = {};
    this.values = [];
    this.head = 0;
    this.subscription?.unsubscribe();
    this.serve();
    return Promise.resolve({ done: true, value: undefined });
  }

  private begin(): Subscription | undefined {
    if (this.ending !== undefined) return undefined;
    return this.run(this.gate).subscribe({
      next: (value) => {
        this.values.push(value);
        this.gate.came();
        this.serve();
      },
      error: (error: unknown) => this.end({ error }),
      complete: () => this.end({}),
    });
  }

  private end(ending: { readonly error?: unknown }): void {
    this.ending ??= ending;
    this.serve();
  }

  private serve(): void {
    while (this.readers.length > 0 && this.head < this.values.length) {
      const value = this.values[this.head++] as T;
      if (this.head === this.values.length) this.values = [];
      if (this.values.length === 0) this.head = 0;
      this.readers.shift()?.resolve({ done: false, value });
      this.gate.went();
    }
    if (this.ending === undefined || this.head < this.values.length) return;
    for (const { resolve, reject } of this.readers.splice(0)) {
      const { ending } = this;
      // An error is thrown once; whoever asks again is told that it is over.
      this.ending = {};
      if ('error' in ending) reject(ending.error);
      else resolve({ done: true, value: undefined });
    }
  }
}
