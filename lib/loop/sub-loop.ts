import { catchError, defer, EMPTY, finalize, merge, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { errorText, isLoopError, ToolError } from '../errors.ts';
import type { RunError } from '../errors.ts';
import type { LoopEvent } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import { defineTool } from '../invoke/define-tool.ts';
import type { ToolDefinition } from '../invoke/define-tool.ts';
import { nestingOf, usageAt } from '../nesting.ts';
import type { Nesting, Surroundings } from '../nesting.ts';
import type { Outcome } from '../outcome.ts';
import type { Budget } from '../policy.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { toolOutput } from '../tool-output.ts';
import type { ToolOutput } from '../tool-output.ts';
import { addUsage } from '../usage.ts';
import type { Usage } from '../usage.ts';
import { aborts } from './aborts.ts';
import type { ToolLoopOptions } from './options.ts';
import { readOptions } from './read-options.ts';
import { runOf } from './tool-loop.ts';

/** Runs in runs in runs: deeper than this is a mistake. */
const MAX_DEPTH = 8;

/** What {@link asTool} is given. */
export interface SubLoopDefinition<Name extends string, Input, Arguments> extends Omit<ToolDefinition<Name, Input, Arguments, unknown>, 'run' | 'eager'> {
  /** The options of the run inside, for these arguments. */
  readonly loop: (args: Arguments, context: ToolContext) => ToolLoopOptions;
}

/**
 * A run as a tool of another one. Its events pass live through the outer run, each with `parent`; the model of the outer
 * run reads its output or its answer.
 *
 * Contract:
 * - starts: a run of its own for each call. It takes scheduler, ids and `approvals` of the run around it where its options
 *   have none, and of tokens, money and time at most what that run has left.
 * - leaves: the run inside. A stop of the run around it is the soft end (`abort$`) of the one inside.
 * - fails: as an error result: of a run that fails, that ends for another reason than `answer` and `output`, or that
 *   stands in 8 others already.
 *
 * @public
 */
export function asTool<const Name extends string, Input = Record<string, unknown>, Arguments = Record<string, unknown>>(
  definition: SubLoopDefinition<Name, Input, Arguments>,
): Tool<Name, Input, unknown> {
  const { loop, ...tool } = definition;
  return defineTool({ ...tool, run: (args: Arguments, context: ToolContext) => inside(() => loop(args, context), context) } as never);
}

function inside(options: () => ToolLoopOptions, context: ToolContext): Observable<ToolOutput> {
  return defer(() => {
    const nesting = nestingOf(context);
    const depth = nesting?.around.depth ?? 0;
    if (depth >= MAX_DEPTH) throw new ToolError('refused', `A run may stand in at most ${MAX_DEPTH} others.`);
    const run$ = runOf(readOptions(within(options(), context, nesting)), nesting?.checkpoint && { checkpoint: nesting.checkpoint, answers: {} }, nesting?.around);
    return told(run$, context, nesting);
  });
}

/** The options of the run inside, with what it takes from the run around it. */
function within(options: ToolLoopOptions, { signal }: ToolContext, nesting: Nesting | undefined): ToolLoopOptions {
  if (nesting === undefined) return { abort$: signal, ...options };
  const { around, checkpoint } = nesting;
  const { scheduler, ids, random, approvals } = around;
  const shared = { scheduler, ids, random, ...(approvals !== undefined && { approvals }) };
  const abort$ = options.abort$ === undefined ? signal : merge(aborts(signal), aborts(options.abort$));
  const budget = narrowed(options.budget, around);
  if (checkpoint === undefined) return { ...shared, ...options, abort$, ...(budget && { budget }) };
  const { prompt, runId, ...rest } = options;
  return { ...shared, ...rest, abort$, ...(budget && { budget }), messages: checkpoint.messages };
}

function narrowed(budget: Budget | undefined, around: Surroundings): Budget | undefined {
  const { tokens, costUsd, durationMs } = around.left();
  const least = (key: keyof Budget, value: number | undefined): object => (value === undefined ? {} : { [key]: Math.min(value, (budget?.[key] as number | undefined) ?? value) });
  const left = { ...least('maxTotalTokens', tokens), ...least('maxCostUsd', costUsd), ...least('maxDurationMs', durationMs) };
  return Object.keys(left).length === 0 ? budget : { ...budget, ...left };
}

/** Shows the events of the run inside, counts what it used, and gives what it came to. */
function told(run$: Observable<LoopEvent>, { runId, callId }: ToolContext, nesting: Nesting | undefined): Observable<ToolOutput> {
  // Before the end it is what the steps say, of the runs inside it too.
  let used = nesting?.checkpoint && usageAt(nesting.checkpoint);
  let counted = false;
  const count = (usage: Usage | undefined): void => {
    if (!counted && usage !== undefined) nesting?.around.count(usage);
    counted = true;
  };
  return run$.pipe(
    inOrder((event): ToolOutput | Observable<ToolOutput> => {
      if (event.type === 'step-end' || event.type === 'step-retract') used = addUsage(used, event.usage);
      if (event.type === 'done' && event.parent === undefined) {
        const { outcome } = event;
        if (outcome.checkpoint !== undefined && nesting !== undefined) {
          counted = true; // in the checkpoint
          nesting.suspend(outcome.checkpoint);
          return EMPTY;
        }
        count(outcome.usage);
        nesting?.event({ ...event, parent: { runId, callId } });
        return outputOf(outcome);
      }
      // A run that goes on is not announced again.
      if (event.type !== 'run-start' || event.resumed !== true || event.parent !== undefined) nesting?.event(event.parent === undefined ? { ...event, parent: { runId, callId } } : event);
      return EMPTY;
    }),
    catchError((error: unknown) => {
      if (isLoopError(error) && 'run' in error) count((error as RunError).run.usage);
      return throwError(() => new ToolError('other', `The run inside failed: ${errorText(error)}`, { cause: error }));
    }),
    finalize(() => count(used && { ...used, partial: true })),
  );
}

function outputOf({ reason, completion }: Outcome): ToolOutput {
  const { text, json } = completion;
  if (reason === 'output') return toolOutput({ output: json });
  if (reason === 'answer') return toolOutput({ output: text, content: text });
  const said = text === '' ? '' : ` It had said: ${text}`;
  return toolOutput({ output: text, content: `The run inside ended with "${reason}".${said}`, isError: true });
}
