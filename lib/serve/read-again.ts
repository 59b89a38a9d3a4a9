import { asyncScheduler, defer, retry, tap, throwError, timer } from 'rxjs';
import type { MonoTypeOperatorFunction, SchedulerLike } from 'rxjs';
import { errorText } from '../errors.ts';

const FIRST_MS = 1_000;
const MAX_MS = 60_000;

export interface ReadAgain {
  /** Is told why it cannot be read: once for each reason that differs from the one before. */
  readonly onFault: (why: string) => void;
  /** Is told when it has been read after a fault. */
  readonly onMended: () => void;
  /** Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/**
 * Reads something that changes once more where a later reading fails: after 1 second, then after twice as long each time, up
 * to 60 seconds, until it can be read.
 *
 * ```text
 * source       -a-#
 * second       -#
 * third        -b
 * readAgain()  -a- 1s - 2s -b
 * ```
 *
 * Contract:
 * - starts: on subscribing. While all is well there is no timer.
 * - leaves: the source, or the wait for the next reading.
 * - fails: as the source does before its first value: what never was there is no list that stays.
 * - order: completes as the source does.
 *
 * @internal
 */
export function readAgain<T>({ onFault, onMended, scheduler = asyncScheduler }: ReadAgain): MonoTypeOperatorFunction<T> {
  return (source) =>
    defer(() => {
      let isRead = false;
      let fault: string | undefined;
      return source.pipe(
        tap(() => {
          isRead = true;
          if (fault !== undefined) onMended();
          fault = undefined;
        }),
        retry({
          delay(error: unknown, count) {
            if (!isRead) return throwError(() => error);
            const why = errorText(error);
            if (why !== fault) onFault(why);
            fault = why;
            return timer(Math.min(FIRST_MS * 2 ** (count - 1), MAX_MS), scheduler);
          },
          resetOnSuccess: true,
        }),
      );
    });
}
