import { Latch } from '../latch.ts';

/**
 * Why a run is told to stop: from outside, by its deadline or by a notifier's error, or softly, by a hook or an answer.
 * `index` is the place of the call that a soft stop belongs to.
 */
export type Stop =
  | { readonly reason: 'aborted' | 'max-duration' }
  | { readonly error: unknown }
  | { readonly reason: 'stopped'; readonly text: string; readonly callId?: string; readonly index?: number };

/**
 * The end of one run that is not its own: heard by whatever the run is at, also by what begins later.
 *
 * @internal
 */
export class StopSwitch {
  private readonly any = new Latch<Stop>();
  private readonly hard = new Latch<Stop>();
  private stop: Stop | undefined;

  /** Emits once and completes: at once where the run has been stopped already. */
  readonly stop$ = this.any.value$;

  /** The same, but deaf to a soft stop: a call that runs may end by itself. */
  readonly hard$ = this.hard.value$;

  get stopped(): Stop | undefined {
    return this.stop;
  }

  /** The first stop counts; but one from outside outranks a soft one, and of soft ones in a batch the lowest call. */
  set(stop: Stop): void {
    if (this.stop !== undefined && !outranks(stop, this.stop)) return;
    this.stop = stop;
    if (!isSoft(stop)) this.hard.set(stop);
    this.any.set(stop);
  }
}

function isSoft(stop: Stop): stop is Extract<Stop, { reason: 'stopped' }> {
  return 'reason' in stop && stop.reason === 'stopped';
}

function outranks(stop: Stop, before: Stop): boolean {
  if (!isSoft(before)) return false;
  return !isSoft(stop) || (stop.index ?? Infinity) < (before.index ?? -1);
}
