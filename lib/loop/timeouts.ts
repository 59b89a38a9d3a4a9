import { Observable } from 'rxjs';
import type { MonoTypeOperatorFunction, SchedulerLike, Subscription } from 'rxjs';
import { LONGEST_MS } from '../alarm.ts';
import { isShown } from '../delta.ts';
import type { Delta } from '../delta.ts';
import { ModelError } from '../errors.ts';
import type { Timeouts } from '../policy.ts';
import { relay } from '../relay.ts';

/**
 * Errors when a model is silent for too long: until its first sign of life, between signs of life, or between deltas
 * that a user sees.
 *
 * One timer serves all three, and it is armed again only when it fires (or when the first sign makes an earlier limit
 * apply): it compares times then. Resetting a timer for each delta costs more than the rest of the loop.
 *
 * Contract:
 * - leaves: the model, and the timer.
 * - fails: `ModelError` `model-timeout`, retryable, naming the limit.
 *
 * @param model - the model's name, for the error
 * @param clock - what counts as time; it may stand still
 * @internal
 */
export function timeLimits(
  timeouts: Timeouts,
  scheduler: SchedulerLike,
  model: string,
  clock: Pick<SchedulerLike, 'now'> = scheduler,
): MonoTypeOperatorFunction<Delta> {
  const { firstDeltaMs, idleMs, stallMs } = timeouts;
  if (firstDeltaMs === 0 && idleMs === 0 && stallMs === 0) return (deltas$) => deltas$;

  return (deltas$) =>
    new Observable((subscriber) => {
      const start = clock.now();
      let signAt: number | undefined;
      let shownAt = start;
      let timer: Subscription | undefined;
      let armedFor = Infinity;
      let subscribed = false;

      const limits = (): { readonly at: number; readonly text: string }[] => [
        signAt === undefined
          ? { at: due(start, firstDeltaMs), text: `sent nothing within ${firstDeltaMs} ms (timeouts.firstDeltaMs)` }
          : { at: due(signAt, idleMs), text: `was silent for ${idleMs} ms (timeouts.idleMs)` },
        { at: due(shownAt, stallMs), text: `had nothing to show for ${stallMs} ms (timeouts.stallMs)` },
      ];
      const arm = (): void => {
        const nearest = Math.min(...limits().map(({ at }) => at));
        if (nearest >= armedFor) return;
        timer?.unsubscribe();
        armedFor = nearest;
        timer = scheduler.schedule(fire, Math.min(nearest - clock.now(), LONGEST_MS));
        subscriber.add(timer);
      };
      const fire = (): void => {
        armedFor = Infinity;
        const now = clock.now();
        const passed = limits().find(({ at }) => at <= now);
        if (passed === undefined) arm();
        else subscriber.error(new ModelError('model-timeout', `${model} ${passed.text}.`, { retryable: true }));
      };

      relay(deltas$, subscriber, {
        next(delta) {
          const first = signAt === undefined;
          signAt = clock.now();
          if (isShown(delta)) shownAt = signAt;
          subscriber.next(delta);
          if (first && subscribed) arm();
        },
        complete: () => subscriber.complete(),
      });
      // After the source: one that has already ended needs no timer.
      subscribed = true;
      if (!subscriber.closed) arm();
    });
}

function due(from: number, limitMs: number): number {
  return limitMs === 0 ? Infinity : from + limitMs;
}
