import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NEVER, Observable, Subject, firstValueFrom, lastValueFrom, of, take, toArray } from 'rxjs';
import { answer } from '../lib/answer.ts';

/** What a subscriber hears. */
function listen<T>(source: Observable<T>) {
  const heard: unknown[] = [];
  const subscription = source.subscribe({
    next: (value) => heard.push(value),
    error: (error: unknown) => heard.push(['error', error]),
    complete: () => heard.push('complete'),
  });
  return { heard, subscription };
}

/** Until all promises that can settle have settled, and Node has looked for unhandled rejections. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** An async iterable that is fed by hand and says what is asked of it. */
function feed<T>() {
  const asked: string[] = [];
  const waiting: { resolve(result: IteratorResult<T>): void; reject(error: unknown): void }[] = [];
  const iterable: AsyncIterable<T> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        asked.push('next');
        return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
      },
      return: () => {
        asked.push('return');
        return Promise.resolve({ done: true as const, value: undefined });
      },
    }),
  };
  const settle = async (act: (first: (typeof waiting)[number]) => void): Promise<void> => {
    act(waiting.shift() as (typeof waiting)[number]);
    await settled();
  };
  return {
    asked,
    iterable,
    give: (value: T) => settle(({ resolve }) => resolve({ done: false, value })),
    end: () => settle(({ resolve }) => resolve({ done: true, value: undefined })),
    fail: (error: unknown) => settle(({ reject }) => reject(error)),
  };
}

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  await settled();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

describe('answer to a plain value', () => {
  const plain: readonly unknown[] = [
    'text',
    '',
    0,
    12n,
    false,
    null,
    undefined,
    Symbol.iterator,
    [1, 2],
    [],
    { a: 1 },
    Object.create(null),
    new Map([[1, 2]]),
    new Set([1]),
    new Uint8Array([1, 2]),
    Buffer.from('text'),
    new ArrayBuffer(2),
    new Date(0),
    new Error('as a value'),
    () => 'a function',
    (function* () {
      yield 1;
    })(),
    { then: 'not a function' },
    { subscribe: () => undefined },
    { [Symbol.asyncIterator]: 'not a function' },
  ];

  it.each(plain.map((value) => [value]))('is %p itself, whole and at once', (value) => {
    const { heard } = listen(answer(value));
    expect(heard).toHaveLength(2);
    expect(heard[0]).toBe(value);
    expect(heard[1]).toBe('complete');
  });
});

describe('answer to an Observable', () => {
  it('is that Observable, synchronous where it is', () => {
    const values$ = of(1, 2);
    expect(answer(values$)).toBe(values$);
    expect(listen(answer(values$)).heard).toEqual([1, 2, 'complete']);
  });

  it('does not take its values apart', () => {
    expect(listen(answer(of([1, 2], 'text'))).heard).toEqual([[1, 2], 'text', 'complete']);
  });

  it('leaves it when it is left', () => {
    const subject = new Subject<number>();
    const { subscription } = listen(answer(subject));
    expect(subject.observed).toBe(true);
    subscription.unsubscribe();
    expect(subject.observed).toBe(false);
  });

  it('passes its error on as it is', () => {
    const error = new Error('boom');
    expect(listen(answer(new Observable((subscriber) => subscriber.error(error)))).heard).toEqual([['error', error]]);
  });

  it('understands one of another library, by its interop symbol', () => {
    let left = 0;
    const foreign = {
      '@@observable': () => ({
        subscribe: (observer: { next(value: number): void }) => {
          observer.next(7);
          return { unsubscribe: () => void left++ };
        },
      }),
    };
    const { heard, subscription } = listen(answer(foreign as never));
    expect(heard).toEqual([7]);
    subscription.unsubscribe();
    expect(left).toBe(1);
  });
});

describe('answer to a thenable', () => {
  it('is the value that it comes to', async () => {
    expect(await lastValueFrom(answer(Promise.resolve([1, 2])))).toEqual([1, 2]);
    expect(await lastValueFrom(answer(Promise.resolve(undefined)))).toBeUndefined();
  });

  it('takes anything with a then, and no tick more than it takes', () => {
    const thenable = { then: (resolve: (value: number) => void) => resolve(7) };
    expect(listen(answer(thenable as PromiseLike<number>)).heard).toEqual([7, 'complete']);
    const callable = Object.assign(() => 0, { then: (resolve: (value: number) => void) => resolve(8) });
    expect(listen(answer(callable as unknown as PromiseLike<number>)).heard).toEqual([8, 'complete']);
  });

  it('passes a rejection on as it is', async () => {
    const error = { not: 'an Error' };
    const { heard } = listen(answer(Promise.reject(error)));
    await settled();
    expect(heard).toEqual([['error', error]]);
    expect((heard[0] as unknown[])[1]).toBe(error);
  });

  it('passes on what its then throws', () => {
    const error = new Error('then');
    const thenable = {
      then: () => {
        throw error;
      },
    };
    expect(listen(answer(thenable as never)).heard).toEqual([['error', error]]);
  });

  it('takes the first of several answers', () => {
    const thenable = {
      then: (resolve: (value: number) => void, reject: (error: unknown) => void) => {
        resolve(1);
        resolve(2);
        reject(new Error('late'));
      },
    };
    expect(listen(answer(thenable as PromiseLike<number>)).heard).toEqual([1, 'complete']);
  });

  it.each(['resolve', 'reject'] as const)('ignores it when it was left and then comes to %s', async (how) => {
    let settle: (value: unknown) => void = () => undefined;
    const promise = new Promise((resolve, reject) => {
      settle = how === 'resolve' ? resolve : reject;
    });
    const { heard, subscription } = listen(answer(promise));
    subscription.unsubscribe();
    settle(new Error('late'));
    await settled();
    expect([heard, unhandled]).toEqual([[], []]);
  });

  it('only listens when subscribed, as often as subscribed', async () => {
    let listeners = 0;
    const thenable = { then: (resolve: (value: number) => void) => resolve(++listeners) };
    const value$ = answer(thenable as PromiseLike<number>);
    expect(listeners).toBe(0);
    expect([await firstValueFrom(value$), await firstValueFrom(value$)]).toEqual([1, 2]);
  });
});

describe('answer to an async iterable', () => {
  it('is its values, in order, one asked for at a time', async () => {
    const { iterable, asked, give, end } = feed<string>();
    const { heard } = listen(answer(iterable));
    expect(asked).toEqual(['next']);
    await give('a');
    expect([heard, asked]).toEqual([['a'], ['next', 'next']]);
    await give('b');
    await end();
    expect([heard, asked]).toEqual([['a', 'b', 'complete'], ['next', 'next', 'next']]);
  });

  it('understands an async generator', async () => {
    async function* generate() {
      yield 1;
      yield [2];
    }
    expect(await lastValueFrom(answer(generate()).pipe(toArray()))).toEqual([1, [2]]);
  });

  it('calls return() once when it is left while waiting, and ignores what still comes', async () => {
    const { iterable, asked, give } = feed<string>();
    const { heard, subscription } = listen(answer(iterable));
    subscription.unsubscribe();
    expect(asked).toEqual(['next', 'return']);
    await give('late');
    expect([heard, asked]).toEqual([[], ['next', 'return']]);
  });

  it('calls return() once when it is left at a value, and asks for no more', async () => {
    const { iterable, asked, give } = feed<string>();
    const { heard } = listen(answer(iterable).pipe(take(1)));
    await give('a');
    expect([heard, asked]).toEqual([['a', 'complete'], ['next', 'return']]);
  });

  it('runs the finally of a generator that is left', async () => {
    const order: string[] = [];
    async function* generate() {
      try {
        yield 1;
        yield 2;
      } finally {
        order.push('finally');
      }
    }
    await lastValueFrom(answer(generate()).pipe(take(1)));
    await settled();
    expect(order).toEqual(['finally']);
  });

  it('passes an error on as it is, and does not call return() on what has ended', async () => {
    const { iterable, asked, fail } = feed<string>();
    const { heard } = listen(answer(iterable));
    const error = new Error('boom');
    await fail(error);
    expect([heard, asked]).toEqual([[['error', error]], ['next']]);
  });

  it.each([
    ['making the iterator', { [Symbol.asyncIterator]: (): never => { throw new Error('boom'); } }],
    ['asking it', { [Symbol.asyncIterator]: () => ({ next: (): never => { throw new Error('boom'); } }) }],
  ])('passes on what %s throws', (_, iterable) => {
    expect(listen(answer(iterable as AsyncIterable<never>)).heard).toEqual([['error', new Error('boom')]]);
  });

  it('ignores a failure after it was left, in next() and in return()', async () => {
    const late = feed<string>();
    listen(answer(late.iterable)).subscription.unsubscribe();
    await late.fail(new Error('late'));

    async function* generate() {
      try {
        yield 1;
        yield 2;
      } finally {
        throw new Error('in finally');
      }
    }
    const { heard } = listen(answer(generate()).pipe(take(1)));
    await settled();
    expect([heard, unhandled]).toEqual([[1, 'complete'], []]);
  });

  it('does without return() where there is none', async () => {
    const iterable = { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: false as const, value: 1 }) }) };
    expect(await lastValueFrom(answer(iterable).pipe(take(2), toArray()))).toEqual([1, 1]);
  });

  it('never ends while the iterable does not, and then is left all the same', () => {
    const { iterable, asked } = feed<string>();
    const { heard, subscription } = listen(answer(iterable));
    const never = listen(answer(NEVER));
    subscription.unsubscribe();
    never.subscription.unsubscribe();
    expect([heard, never.heard, asked]).toEqual([[], [], ['next', 'return']]);
  });
});
