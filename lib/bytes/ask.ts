import { concat, from } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Delta, DeltaOf } from '../delta.ts';
import { UnsupportedError } from '../errors.ts';
import type { ModelRequest } from '../model.ts';
import type { FrameFold } from './sse.ts';
import { open } from './open.ts';
import type { OpenRequest } from './open.ts';
import { sse } from './sse.ts';

/** A request as a wire writes it, and who reads its answer. */
export interface Question extends Pick<OpenRequest, 'url' | 'headers' | 'body' | 'fetch'> {
  /** What the wire cannot carry of the request. */
  readonly warnings: readonly DeltaOf<'warning'>[];
  /** Default: what the wire cannot carry is told and left out. */
  readonly strictOptions: boolean | undefined;
  readonly fold: FrameFold<Delta>;
}

/**
 * One exchange with a wire of server-sent events: its warnings, then what the fold makes of the answer. An answer that
 * comes in one piece is read like a stream of one frame.
 *
 * Contract:
 * - leaves: as {@link open} does.
 * - fails: as {@link open} and {@link sse} do.
 *
 * @throws UnsupportedError for a warning under `strictOptions`, before anything is sent
 * @internal
 */
export function ask({ scheduler, demand }: ModelRequest, question: Question): Observable<Delta> {
  const { warnings, strictOptions, fold } = question;
  if (strictOptions && warnings[0]) throw new UnsupportedError(warnings.map(({ text }) => text).join(' '));
  const bytes$ = open({ ...question, now: () => scheduler.now(), isOver: fold.isOver, demand });
  const said$ = bytes$.pipe(sse(() => fold));
  // Mostly there are none, and `concat` would cost every delta a subscriber.
  return warnings[0] ? concat(from(warnings), said$) : said$;
}
