import { animationFrameScheduler, asyncScheduler, Observable } from 'rxjs';
import type { MonoTypeOperatorFunction, SchedulerLike, Subscription } from 'rxjs';
import { ConfigError } from '../errors.ts';
import type { LoopEvent } from '../event.ts';
import { relay } from '../relay.ts';
import type { Tool } from '../tool.ts';
import { HeldDeltas } from './held-deltas.ts';

/**
 * How long a delta may be held:
 * - `ms`: so many milliseconds, 0 or more, of `scheduler` (default: `asyncScheduler`)
 * - `frame`: until the next animation frame (`true`, in a browser), or until that scheduler runs what is due next
 */
export type CoalesceOptions = { readonly ms: number; readonly scheduler?: SchedulerLike } | { readonly frame: true | SchedulerLike };

/**
 * Fewer, larger deltas: neighbouring pieces of one block, or of one call's arguments, become one.
 *
 * ```marbles
 * events        -ab-cy----(zL|)
 * coalesce()    ---w-(cy)-(zL|)
 * ```
 *
 * Contract:
 * - leaves: the run, and what is held is dropped: nobody is left to read it.
 * - fails: as the run does, after what is held.
 * - order: the run's own. A delta is held for `ms` or a frame, counted from the first piece; anything else that the run
 *   says lets go of it first, completion and errors included. Text, refusal, reasoning and arguments are merged; no character
 *   is lost, and `meta` of all pieces is kept, the later entry where two have one name. A piece that no neighbour joins is
 *   passed on as the object that came.
 *
 * @param options - how long
 * @throws ConfigError for a time that is none
 * @public
 */
export function coalesce<T extends Tool>(options: CoalesceOptions): MonoTypeOperatorFunction<LoopEvent<T>> {
  const { scheduler, ms } = waitOf(options);
  return (events$) =>
    new Observable((subscriber) => {
      let held: HeldDeltas | undefined;
      let timer: Subscription | undefined;
      // A reader may make the run go on inside `next`: what that says comes after all that was said before it.
      const due: (() => void)[] = [];
      let isEmitting = false;
      const emit = (...acts: readonly (() => void)[]): void => {
        due.push(...acts);
        if (isEmitting) return;
        isEmitting = true;
        for (let act = due.shift(); act !== undefined; act = due.shift()) act();
        isEmitting = false;
      };
      /** Lets go of what is held; then comes what made it. */
      const release = (act?: () => void): void => {
        const event = held?.event;
        held = undefined;
        timer?.unsubscribe();
        timer = undefined;
        emit(...(event === undefined ? [] : [() => subscriber.next(event as LoopEvent<T>)]), ...(act === undefined ? [] : [act]));
      };
      const take = (event: LoopEvent<T>): void => {
        if (!HeldDeltas.canHold(event)) return release(() => subscriber.next(event));
        if (held?.add(event) === true) return;
        release();
        // Whoever read that may have left.
        if (subscriber.closed) return;
        held = new HeldDeltas(event);
        subscriber.add((timer = scheduler.schedule(() => release(), ms)));
      };
      relay(events$, subscriber, {
        next: take,
        error: (error) => release(() => subscriber.error(error)),
        complete: () => release(() => subscriber.complete()),
      });
    });
}

function waitOf(options: CoalesceOptions): { readonly scheduler: SchedulerLike; readonly ms: number } {
  if ('frame' in options) return { scheduler: options.frame === true ? animationFrameScheduler : options.frame, ms: 0 };
  const { ms, scheduler = asyncScheduler } = options;
  if (!(ms >= 0 && ms < Infinity)) throw new ConfigError(`coalesce({ ms }): ${String(ms)} is no number of milliseconds. Give 0 or more, or { frame: true }.`);
  return { scheduler, ms };
}
