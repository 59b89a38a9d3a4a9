import { catchError, isObservable, map, of } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import { answer } from '../answer.ts';
import type { CustomEvent, PlanEvent, StateEvent, Status, ToolCommit, ToolDropped, ToolProgress, ToolResultEvent, ToolStart } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import { resultText } from '../message.ts';
import type { ResultPart, ToolCall, ToolFault, ToolResult } from '../message.ts';
import type { Tool } from '../tool.ts';
import { fault, faultOf } from './fault.ts';
import { nearest } from './nearest.ts';
import { runBody } from './run-body.ts';
import type { Said } from './run-body.ts';
import { validate } from './validate.ts';
import type { Checked } from './validate.ts';

const STOPPED = fault('cancelled', 'Not executed: the run was stopped.');

/** What a body tells its host. */
export type HostEvent = Status | PlanEvent | StateEvent | CustomEvent;

export type CallEvent = HostEvent | ToolStart | ToolProgress | ToolCommit | ToolResultEvent;

/** What every call of a step shares. */
export interface CallContext {
  readonly runId: string;
  readonly step: number;
  readonly scratch: Map<unknown, unknown>;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly scheduler: SchedulerLike;
  /** What the model is told of a failure. */
  readonly errorText: (fault: ToolFault) => string;
  readonly graceMs: number;
  /** Emits when the run is told to stop: no call starts after it. Absent: it never is. */
  readonly stop$?: Observable<unknown> | undefined;
  readonly isStopped: () => boolean;
  /** Why no further body may start, or undefined; asked once for each body. */
  readonly mayNotStart: () => string | undefined;
  /** Takes the events of promises that settle after their call was answered. */
  readonly later: (callId: string, dropped$: Observable<ToolDropped>) => void;
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
 * - starts: the arguments are checked when it is called, the body runs on subscribing, once.
 * - leaves: the body, see {@link runBody}.
 * - fails: never. An unknown tool, refused arguments and a failing body are results with `isError`; only a body that
 *   really ran has a `tool-start` and a `tool-commit`.
 *
 * @internal
 */
export function call(call: ToolCall, context: CallContext): ToolResultEvent | Observable<CallEvent> {
  if (context.isStopped()) return failed(call, context, STOPPED);
  const tool = context.tools.get(call.name);
  if (tool === undefined) return failed(call, context, fault('not-found', unknownTool(call.name, context.tools)));
  const go = (checked: Checked): ToolResultEvent | Observable<CallEvent> =>
    checked.ok ? run(tool, call, checked.args, context) : failed(call, context, fault('invalid-input', checked.reason));
  // A schema that throws is the tool's fault, not the model's; the model is still the only one who can go on.
  const broken = (error: unknown): ToolResultEvent =>
    failed(call, context, fault('invalid-input', `The schema of tool "${tool.name}" failed: ${faultOf(error).message}`));
  try {
    const checked = validate(tool, call);
    if (!isObservable(checked)) return go(checked);
    const answer$ = checked.pipe(catchError((error: unknown) => of(broken(error))));
    return answer$.pipe(inOrder((said) => ('ok' in said ? go(said) : said)));
  } catch (error) {
    return broken(error);
  }
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

function run(tool: Tool, call: ToolCall, args: unknown, context: CallContext): Observable<CallEvent> {
  const { runId, step, scheduler, stop$, isStopped, graceMs } = context;
  // Again: the arguments may have been checked for a while.
  if (isStopped()) return of(failed(call, context, STOPPED));
  const refused = context.mayNotStart();
  if (refused !== undefined) return of(failed(call, context, fault('other', refused)));
  const callId = call.id;
  let startedAt = 0;
  const ended = (result: ToolResultEvent): Observable<CallEvent> =>
    of<CallEvent[]>({ type: 'tool-commit', runId, step, callId, call }, result);
  const elapsed = (): number => scheduler.now() - startedAt;

  const say = (said: Said): CallEvent | Observable<CallEvent> => {
    switch (said.type) {
      case 'start':
        startedAt = scheduler.now();
        return { type: 'tool-start', runId, step, callId, call, startedAt };
      case 'progress':
        return { type: 'tool-progress', runId, step, callId, progress: said.progress };
      case 'host':
        return { ...said.said, runId };
      case 'failed':
        return ended(failed(call, context, faultOf(said.error), elapsed()));
      case 'output':
        return ended(resultEvent(call, context, elapsed(), resultOf(call, said, context)));
    }
  };
  const late = (body: PromiseLike<unknown>): void => {
    const settled$ = answer(body).pipe(map(() => false), catchError(() => of(true)));
    context.later(
      callId,
      settled$.pipe(map((isError): ToolDropped => ({ type: 'tool-dropped', runId, step, callId, elapsedMs: elapsed(), isError, reason: 'late' }))),
    );
  };
  return runBody(tool, args, { callId, runId, step, scratch: context.scratch }, { scheduler, stop$, graceMs, isStopped, late }).pipe(inOrder(say));
}

function resultOf(call: ToolCall, { output: { value, text }, rich = {} }: Extract<Said, { type: 'output' }>, { errorText }: CallContext): ToolResult {
  const { content: given, isError = false, display } = rich;
  const content: readonly ResultPart[] =
    given === undefined ? contentOf(value, text)
    : typeof given === 'string' ? [{ type: 'text', text: given }]
    : given;
  const more = { ...(value !== undefined && { output: value }), ...(display && { display }) };
  const result = { callId: call.id, name: call.name, content, isError, ...more };
  if (!isError) return result;
  const error = fault('other', resultText(content) || 'The tool failed.');
  const told = errorText(error);
  // Told whole, the model reads what the tool said, part for part.
  return { ...result, error, content: told === error.message && content.length > 0 ? content : [{ type: 'text', text: told }] };
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
