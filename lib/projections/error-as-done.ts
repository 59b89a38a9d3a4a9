import { catchError, of, throwError } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import { isLoopError } from '../errors.ts';
import type { RunError } from '../errors.ts';
import type { Done, LoopEvent } from '../event.ts';
import type { Tool } from '../tool.ts';

/**
 * Turns the error notification of a run into a last `done` with reason `error` and `outcome.error`.
 *
 * ```marbles
 * events           -t-#
 * errorAsDone()    -t-(L|)
 * ```
 *
 * For consumers that want one kind of ending, such as a wire. The error is masked: `outcome.error` is what
 * `RunError.toJSON()` gives. An error that is no {@link RunError} (an operator above threw) is passed on.
 *
 * @public
 */
export function errorAsDone<T extends Tool>(): OperatorFunction<LoopEvent<T>, LoopEvent<T>> {
  return catchError((error: unknown) => (isRunError(error) ? of(doneOf(error)) : throwError(() => error)));
}

function isRunError(error: unknown): error is RunError {
  return isLoopError(error) && 'run' in error;
}

function doneOf(error: RunError): Done {
  const { runId, steps, usage, messages, completion } = error.run;
  return { type: 'done', runId, outcome: { reason: 'error', completion, messages, steps, usage, error: error.toJSON() } };
}
