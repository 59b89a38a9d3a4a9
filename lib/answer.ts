import { defaultIfEmpty, defer, from, isObservable, Observable, observable, of, take } from 'rxjs';
import type { Answer } from './tool.ts';

/**
 * Reads what a user's function returned: the one place that decides what is awaited.
 *
 * An Observable, a thenable or an async iterable is awaited; everything else is a plain value, strings, arrays, maps and
 * buffers too (RxJS's `from` would take those apart). A plain value costs no tick.
 *
 * Contract:
 * - starts: on subscribing. A thenable is already running; it is only listened to.
 * - leaves: an Observable is unsubscribed; an async iterator gets `return()`; a thenable cannot be stopped, but what it
 *   says later is ignored, a rejection too.
 * - fails: a rejection or error notification is passed on as it is.
 *
 * @internal
 */
export function answer<T>(value: Answer<T>): Observable<T> {
  if (!isAwaited(value)) return of(value as T);
  if (isObservable(value)) return value;
  if (observable in value) return from(value as never);
  return 'then' in value ? fromThenable(value) : fromIterable(value as AsyncIterable<T>);
}

/**
 * What a port or a hook says: its first value, then it is left. An empty answer is no opinion: `undefined`.
 *
 * Contract:
 * - starts: the port is called on subscribing.
 * - fails: with what the port throws, or its answer fails with.
 *
 * @returns exactly one value
 * @internal
 */
export function firstAnswer<T>(port: () => Answer<T>): Observable<T | undefined> {
  return defer(() => answer(port())).pipe(take(1), defaultIfEmpty(undefined));
}

/** Whether {@link answer} would wait for it. */
export function isAwaited<T>(value: Answer<T>): value is Exclude<Answer<T>, T> {
  if (!isObject(value)) return false;
  return (
    isObservable(value) ||
    observable in value ||
    ('then' in value && typeof value.then === 'function') ||
    (Symbol.asyncIterator in value && typeof value[Symbol.asyncIterator] === 'function')
  );
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function fromThenable<T>(thenable: PromiseLike<T>): Observable<T> {
  return new Observable((subscriber) => {
    thenable.then(
      (value) => {
        subscriber.next(value);
        subscriber.complete();
      },
      (error: unknown) => subscriber.error(error),
    );
  });
}

function fromIterable<T>(iterable: AsyncIterable<T>): Observable<T> {
  return new Observable((subscriber) => {
    const iterator = iterable[Symbol.asyncIterator]();
    let ended = false;
    const pull = async (): Promise<void> => {
      try {
        for (;;) {
          const { done, value } = await iterator.next();
          if (done === true) break;
          subscriber.next(value);
          if (subscriber.closed) return;
        }
        ended = true;
        subscriber.complete();
      } catch (error) {
        ended = true;
        subscriber.error(error);
      }
    };
    void pull();
    return () => {
      // `return()` may throw or reject (a generator's `finally` did): nobody is left to hear it.
      if (!ended) void leave(iterator);
    };
  });
}

async function leave(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // see above
  }
}
