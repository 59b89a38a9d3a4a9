import type { Observable } from 'rxjs';
import type { LoopEvent } from '../../lib/index.ts';
import { verifyEvents } from '../../marbles/index.ts';

/** All that a run said so far, and how it ended. */
export interface Played {
  readonly events: LoopEvent[];
  ending: 'none' | 'complete' | 'error';
  error: unknown;
  readonly leave: () => void;
}

/** Subscribes to a run and keeps what it says; a run that breaks the grammar of events ends in that error. */
export function play(run$: Observable<LoopEvent>): Played {
  const played: Played = { events: [], ending: 'none', error: undefined, leave: () => subscription.unsubscribe() };
  const subscription = run$.pipe(verifyEvents()).subscribe({
    next: (event) => played.events.push(event),
    complete: () => (played.ending = 'complete'),
    error: (error: unknown) => ((played.ending = 'error'), (played.error = error)),
  });
  return played;
}
