import type { Observable } from 'rxjs';
import type { Outcome } from '../outcome.ts';
import { toOutcome } from '../projections/outcome.ts';
import type { Tool } from '../tool.ts';
import type { ToolLoopOptions } from './options.ts';
import { toolLoop } from './tool-loop.ts';

/**
 * The outcome of a run, for who does not want its events: `toolLoop(options).pipe(toOutcome())`, and nothing else.
 *
 * @returns cold; at most one value. `await firstValueFrom(completeToolLoop(…))` is the promise of it.
 * @public
 */
export function completeToolLoop<const Tools extends readonly Tool[] = readonly [], Output = unknown>(
  options: ToolLoopOptions<Tools[number], Output> & { readonly tools?: Tools | Observable<Tools> },
): Observable<Outcome<Output>> {
  return toolLoop(options).pipe(toOutcome<Output>());
}
