import { catchError, concat, concatMap, defer, of } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import type { ToolCommit, ToolProgress, ToolResultEvent, ToolStart } from '../event.ts';
import type { ResultPart, ToolCall, ToolFault, ToolResult } from '../message.ts';
import type { Tool } from '../tool.ts';
import { fault, faultOf } from './fault.ts';
import { nearest } from './nearest.ts';
import { runBody } from './run-body.ts';
import type { Said } from './run-body.ts';
import { validate } from './validate.ts';
import type { Checked } from './validate.ts';

export type CallEvent = ToolStart | ToolProgress | ToolCommit | ToolResultEvent;

/** What every call of a step shares. */
export interface CallContext {
  readonly runId: string;
  readonly step: number;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly scheduler: SchedulerLike;
  /** What the model is told of a failure. */
  readonly errorText: (fault: ToolFault) => string;
}

/**
 * One call: find the tool, validate the arguments, run the body, and say what came of it.
 *
 * ```marbles
 * body     --1|
 * call()   s--(cr|)
 * ```
 *
 * (`s` tool-start, `c` tool-commit, `r` tool-result.)
 *
 * Contract:
 * - leaves: the body, see {@link runBody}.
 * - fails: never. An unknown tool, refused arguments and a failing body are results with `isError`; only a body that
 *   really ran has a `tool-start` and a `tool-commit`.
 *
 * @internal
 */
export function call(call: ToolCall, context: CallContext): Observable<CallEvent> {
  return defer(() => {
    const tool = context.tools.get(call.name);
    if (tool === undefined) return of(failed(call, context, fault('not-found', unknownTool(call.name, context.tools))));
    return checked$(tool, call).pipe(
      concatMap((checked) =>
        checked.ok
          ? run(tool, call, checked.args, context)
          : of(failed(call, context, fault('invalid-input', checked.reason))),
      ),
    );
  });
}

/** The event of a call that does not run, or whose body failed. */
export function failed(call: ToolCall, context: CallContext, error: ToolFault, elapsedMs = 0): ToolResultEvent {
  return resultEvent(call, context, elapsedMs, {
    callId: call.id,
    name: call.name,
    content: [{ type: 'text', text: context.errorText(error) }],
    isError: true,
    error,
  });
}

function checked$(tool: Tool, call: ToolCall): Observable<Checked> {
  return defer(() => validate(tool, call)).pipe(
    // A schema that throws is the tool's fault, not the model's; the model is still the only one who can go on.
    catchError((error: unknown) =>
      of<Checked>({ ok: false, reason: `The schema of tool "${tool.name}" failed: ${faultOf(error).message}` }),
    ),
  );
}

function run(tool: Tool, call: ToolCall, args: unknown, context: CallContext): Observable<CallEvent> {
  const { runId, step, scheduler } = context;
  const callId = call.id;
  const startedAt = scheduler.now();
  const commit: ToolCommit = { type: 'tool-commit', runId, step, callId, call };
  const elapsed = (): number => scheduler.now() - startedAt;

  const say = (said: Said): Observable<CallEvent> => {
    if ('progress' in said) return of({ type: 'tool-progress', runId, step, callId, progress: said.progress });
    const { value, text } = said.output;
    const result: ToolResult = {
      callId,
      name: call.name,
      content: contentOf(value, text),
      isError: false,
      ...(value !== undefined && { output: value }),
    };
    return of(commit, resultEvent(call, context, elapsed(), result));
  };

  return concat(
    of<CallEvent>({ type: 'tool-start', runId, step, callId, call, startedAt }),
    runBody(tool, args, { callId, runId, step }).pipe(
      concatMap(say),
      catchError((error: unknown) => of(commit, failed(call, context, faultOf(error), elapsed()))),
    ),
  );
}

/** A string is said as it is, anything else as its JSON text; no output is no content. */
function contentOf(value: unknown, text: string | undefined): ResultPart[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  return text === undefined ? [] : [{ type: 'text', text }];
}

function resultEvent(call: ToolCall, { runId, step }: CallContext, elapsedMs: number, result: ToolResult): ToolResultEvent {
  return { type: 'tool-result', runId, step, callId: call.id, call, result, elapsedMs };
}

function unknownTool(name: string, tools: ReadonlyMap<string, Tool>): string {
  const known = [...tools.keys()];
  if (known.length === 0) return `There is no tool "${name}": no tools are available.`;
  const near = nearest(name, known);
  const meant = near.length === 0 ? '' : ` Did you mean ${near.map((one) => `"${one}"`).join(' or ')}?`;
  return `There is no tool "${name}".${meant} Available: ${known.join(', ')}.`;
}
