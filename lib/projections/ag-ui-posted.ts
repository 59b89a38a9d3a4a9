import { defer, map, of, startWith } from 'rxjs';
import type { Observable, OperatorFunction } from 'rxjs';
import type { Checkpoint } from '../checkpoint.ts';
import type { LoopEvent } from '../event.ts';
import { agUiCheck } from './ag-ui-check.ts';
import type { AgUiEvent, AgUiInput } from './ag-ui-event.ts';
import { fromAgUi } from './ag-ui-input.ts';
import { startOf } from './posted-run.ts';
import type { PostedRun, SuspendedRun } from './posted-run.ts';

/**
 * A body of `POST /runs` that is an AG-UI input: its messages have ids. Nothing for a body in the door's own words.
 *
 * The run that it goes on with is the one that has said the last message of the assistant: ids of messages begin with that
 * of their run. What the user says after it begins a new run, unless an interrupt is resolved as well.
 *
 * Contract:
 * - fails: with a `ConfigError` as of {@link fromAgUi}, and for words of the user beside an interrupt that is resolved.
 *
 * @returns one value
 * @internal
 */
export function agUiPosted(body: unknown, suspended: SuspendedRun, write: Write): Observable<PostedRun | undefined> {
  return isInput(body) ? defer(() => readInput(body, suspended, write)) : of(undefined);
}

type Write = (input: AgUiInput) => OperatorFunction<LoopEvent, AgUiEvent>;

function readInput(body: object, suspended: SuspendedRun, write: Write): Observable<PostedRun> {
  const { messages, resume = [] } = body as { messages: readonly Sent[]; resume?: unknown };
  const asks = agUiCheck.list(resume, 'resume').some((entry) => (entry as { status?: unknown } | null)?.status === 'resolved');
  const spoken = messages.findLastIndex(isSaid);
  const isNews = messages.slice(spoken + 1).some((message) => message?.role === 'user');
  if (isNews && asks) throw agUiCheck.wrong('messages', 'end in words of the user, and resume answers an interrupt; send the answer first');
  const runId = isNews ? undefined : runOf(messages[spoken]?.id);
  const checkpoint$ = runId === undefined ? of(undefined) : suspended(runId);
  return checkpoint$.pipe(map((checkpoint) => postedRun(body as AgUiInput, asks, runId, checkpoint, write)));
}

function postedRun(input: AgUiInput, asks: boolean, runId: string | undefined, checkpoint: Checkpoint | undefined, write: Write): PostedRun {
  const { answers, tools: _tools, ...asked } = fromAgUi(input, { checkpoint });
  const goesOn = runId !== undefined && checkpoint !== undefined && answers !== undefined ? { runId, answers } : undefined;
  const clientTools = (input.tools ?? []).map(({ name, description, parameters }) => ({ name, description, ...(parameters !== undefined && { parameters }) }));
  return {
    body: { ...asked, onRequest: 'suspend', ...(clientTools.length > 0 && { clientTools }) },
    ...(goesOn !== undefined && { goesOn }),
    isLost: asks && goesOn === undefined,
    encode: (events$) => events$.pipe(startWith(...startOf(goesOn)), write(input), map(agUiFrame)),
  };
}

/** An event as the text of a server-sent event. */
export function agUiFrame(event: AgUiEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

interface Sent {
  readonly id?: unknown;
  readonly role?: unknown;
  readonly subagentRunId?: unknown;
}

function isInput(body: unknown): body is { readonly messages: readonly unknown[] } {
  const { messages, prompt } = (body ?? {}) as { readonly messages?: unknown; readonly prompt?: unknown };
  return prompt === undefined && Array.isArray(messages) && messages.some((message) => typeof (message as Sent | null)?.id === 'string');
}

function isSaid(message: Sent | null): boolean {
  return message?.role === 'assistant' && message.subagentRunId === undefined;
}

function runOf(messageId: unknown): string | undefined {
  return typeof messageId === 'string' && messageId.includes('/') ? messageId.slice(0, messageId.indexOf('/')) : undefined;
}
