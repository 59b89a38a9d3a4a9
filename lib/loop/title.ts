import { catchError, EMPTY, of, takeUntil } from 'rxjs';
import type { Observable } from 'rxjs';
import { firstAnswer } from '../answer.ts';
import { errorText } from '../errors.ts';
import type { LoopEvent, TitleEvent } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import type { Outcome } from '../outcome.ts';
import type { Run, RunState } from './run-state.ts';

/**
 * The title of a conversation that has its first answer: none where it has had one before, where nobody makes one, and
 * where the run is told to stop meanwhile.
 *
 * Contract:
 * - leaves: the port that is awaited.
 * - fails: never; the port's failure is a `status`, because the answer is there all the same.
 *
 * @internal
 */
export function titled({ runId, title, stops }: Run, { messages: all, input }: RunState, { reason, messages, answer: last }: Outcome): Observable<LoopEvent> {
  if (title === undefined || (reason !== 'answer' && reason !== 'output')) return EMPTY;
  if (all.slice(0, input).some(({ role }) => role === 'assistant')) return EMPTY;
  const said = last === undefined ? messages : [...messages, last];
  const told$ = firstAnswer(() => title(said)).pipe(
    inOrder((text): LoopEvent | Observable<never> => (typeof text === 'string' && text !== '' ? ({ type: 'title', runId, title: text } satisfies TitleEvent) : EMPTY)),
    catchError((error: unknown) => of<LoopEvent>({ type: 'status', runId, text: `The title port failed: ${errorText(error)}` })),
  );
  return stops === undefined ? told$ : told$.pipe(takeUntil(stops.stop$));
}
