import type { EventOf } from '../event.ts';
import { resultText } from '../message.ts';
import type { Meta, ToolCall, ToolResult } from '../message.ts';
import type { UiJson, UiMessageChunk } from './ui-messages-chunk.ts';
import type { UiFailure } from './ui-messages-mask.ts';
import { ownMetadata } from './ui-messages-own.ts';
import type { Own } from './ui-messages-own.ts';

interface UiCall {
  readonly callId: string;
  readonly name: string;
  /** Argument text has been sent. */
  hasText: boolean;
  /** As the model made it. */
  call?: ToolCall;
  /** Its input is available: somebody may run it. */
  isAccepted: boolean;
  isClosed: boolean;
}

export interface UiCallsOptions {
  readonly version: 6 | 7;
  readonly dynamic: boolean;
  readonly text: (failure: UiFailure) => string;
}

/**
 * The calls of one message, as tool parts. An input is `available` once the call is accepted: asked about, or started. So
 * a client that runs tools of its own never sees one whose arguments were refused, or that is not to run.
 *
 * @internal
 */
export class UiCalls {
  private readonly calls = new Map<string, UiCall>();
  /** Of the current attempt, by index. */
  private readonly indexes = new Map<number, UiCall>();
  private readonly withdrawn = new Set<string>();
  /** Requests for an approval that this message shows. */
  private readonly asked = new Set<string>();
  /** Calls that a person has declined. */
  private readonly declined = new Set<string>();
  /** The client holds calls of the run before it was suspended. */
  isResumed = false;
  private readonly version: 6 | 7;
  private readonly dynamic: { readonly dynamic?: true };
  private readonly text: (failure: UiFailure) => string;

  constructor({ version, dynamic, text }: UiCallsOptions) {
    this.version = version;
    this.dynamic = dynamic ? { dynamic: true } : {};
    this.text = text;
  }

  /** The name of a call that this message shows. */
  nameOf(callId: string): string | undefined {
    return this.calls.get(callId)?.name;
  }

  /** An attempt begins: indexes count from 0 again. */
  attempt(): void {
    this.indexes.clear();
  }

  *start(index: number, callId: string, name: string): Generator<UiMessageChunk> {
    const call: UiCall = { callId, name, hasText: false, isAccepted: false, isClosed: false };
    this.calls.set(callId, call);
    this.indexes.set(index, call);
    yield { type: 'tool-input-start', toolCallId: callId, toolName: name, ...this.dynamic };
  }

  /** A piece of a call that has not begun, or is over, is dropped: the client would fail of it. */
  *write(index: number, chunk: string): Generator<UiMessageChunk> {
    const call = this.indexes.get(index);
    if (call === undefined || call.call !== undefined || chunk === '') return;
    call.hasText = true;
    yield { type: 'tool-input-delta', toolCallId: call.callId, inputTextDelta: chunk };
  }

  /** The whole call, also one whose pieces nobody saw. */
  *complete(made: ToolCall, index = -1): Generator<UiMessageChunk> {
    if (!this.calls.has(made.id)) yield* this.start(index, made.id, made.name);
    const call = this.calls.get(made.id) as UiCall;
    call.call ??= made;
    if (call.hasText) return;
    call.hasText = true;
    const inputTextDelta = typeof made.arguments === 'string' ? made.arguments : JSON.stringify(made.arguments ?? {});
    yield { type: 'tool-input-delta', toolCallId: call.callId, inputTextDelta };
  }

  /** The call may run: with these arguments, under this title. What this message has not announced, its client holds. */
  *accept(call: ToolCall, { title, ...own }: Own & { readonly title?: string | undefined } = {}): Generator<UiMessageChunk> {
    if (this.calls.get(call.id)?.isAccepted === false) yield this.available(call, own, title);
  }

  /** A nested run's call is shown beside those of this one, because a person has to answer it. */
  *lift(call: ToolCall, runId: string): Generator<UiMessageChunk> {
    yield* this.complete(call);
    yield* this.accept(call, { nested: runId });
  }

  *ask({ id, kind, callId, call, reason }: EventOf<'approval-request'>): Generator<UiMessageChunk> {
    if (kind === 'input') return;
    // A client finds the request to answer in the input; a call that was approved before has one without it.
    if (kind === 'result') return yield this.available(call, { request: id });
    if (this.calls.get(callId)?.isAccepted !== true) yield this.available(call, {});
    // Version 6 has no field for the reason.
    const told = this.version === 7 && reason !== undefined ? { reason } : {};
    this.asked.add(id);
    yield { type: 'tool-approval-request', approvalId: id, toolCallId: callId, ...told };
  }

  *answer({ id, kind, callId, answer }: EventOf<'approval-answer'>): Generator<UiMessageChunk> {
    const { type } = answer;
    if (kind === 'approval' && type === 'decline') this.declined.add(callId);
    // The answer to a request that another message made came from the client itself.
    if (!this.asked.has(id) || this.version === 6 || (type !== 'approve' && type !== 'decline')) return;
    const reason = type === 'decline' && answer.reason !== undefined ? { reason: answer.reason } : {};
    yield { type: 'tool-approval-response', approvalId: id, approved: type === 'approve', ...reason };
  }

  *progress(callId: string, output: unknown): Generator<UiMessageChunk> {
    const call = this.calls.get(callId);
    if (call === undefined ? this.isElsewhere(callId) : !call.isClosed) yield { type: 'tool-output-available', toolCallId: callId, output, preliminary: true, ...this.dynamic };
  }

  /** The run is suspended by another call. A chat sends its answers only once all calls of the step have an output, so this one gets one for now. */
  *wait(made: ToolCall): Generator<UiMessageChunk> {
    yield* this.accept(made);
    yield { type: 'tool-output-available', toolCallId: made.id, output: { waiting: true }, ...this.dynamic, ...ownMetadata({ waiting: true }) };
  }

  /** What a call came to; the client holds the input of one that an earlier message announced. */
  *settle(made: ToolCall, result: ToolResult): Generator<UiMessageChunk> {
    const { callId: toolCallId, name: toolName } = result;
    const call = this.calls.get(toolCallId);
    if (call === undefined ? !this.isElsewhere(toolCallId) : call.isClosed) return;
    if (call !== undefined) call.isClosed = true;
    const meta = call === undefined || call.isAccepted ? undefined : call.call?.meta;
    if (!result.isError) return yield this.output(result, meta);
    if (result.error?.kind === 'refused' && this.declined.has(toolCallId)) return yield { type: 'tool-output-denied', toolCallId };
    const text = resultText(result.content);
    const error = result.error ?? { kind: 'other', message: text, retryable: false };
    const errorText = this.text({ of: 'tool', callId: toolCallId, name: toolName, error, text });
    if (call === undefined || call.isAccepted) yield { type: 'tool-output-error', toolCallId, errorText, ...this.dynamic, ...ownMetadata({ settled: true }) };
    else yield { type: 'tool-input-error', toolCallId, toolName: call.name, input: made.arguments, errorText, ...this.dynamic, ...ownMetadata({ settled: true, meta }) };
  }

  /** These calls have been withdrawn. */
  withdraw(callIds: readonly string[]): void {
    for (const callId of callIds) {
      this.calls.delete(callId);
      this.withdrawn.add(callId);
    }
    this.indexes.clear();
  }

  /**
   * Ends calls that nothing will end any more: those that were never finished, all of a step that ignores its calls, or
   * whatever is open. Of the first two the conversation has no trace.
   */
  *end(which: 'unfinished' | 'ignored' | 'open'): Generator<UiMessageChunk> {
    for (const call of this.calls.values()) {
      if (call.isClosed || (which === 'unfinished' && call.call !== undefined)) continue;
      call.isClosed = true;
      const error = { kind: 'cancelled', message: 'The run ended before this call did.', retryable: false } as const;
      const errorText = this.text({ of: 'tool', callId: call.callId, name: call.name, error, text: error.message });
      if (call.isAccepted) yield { type: 'tool-output-error', toolCallId: call.callId, errorText, ...this.dynamic };
      else {
        const own = ownMetadata({ incomplete: call.call === undefined || which === 'ignored' ? true : undefined });
        yield { type: 'tool-input-error', toolCallId: call.callId, toolName: call.name, input: call.call?.arguments ?? {}, errorText, ...this.dynamic, ...own };
      }
    }
  }

  private available({ id, name, arguments: input, meta: own }: ToolCall, more: Own, title?: string): UiMessageChunk {
    const call = this.calls.get(id);
    if (call !== undefined) call.isAccepted = true;
    const metadata = ownMetadata({ ...more, meta: call?.call?.meta ?? own });
    return { type: 'tool-input-available', toolCallId: id, toolName: name, input, ...this.dynamic, ...(title !== undefined && { title }), ...metadata };
  }

  /** Whether the client holds a call that this stream has not announced. */
  private isElsewhere(callId: string): boolean {
    return this.isResumed && !this.withdrawn.has(callId);
  }

  private output({ callId, content, output, display }: ToolResult, meta: Meta | undefined): UiMessageChunk {
    const shown = output ?? resultText(content);
    const [only] = content;
    const isPlain = content.length === 1 && only?.type === 'text' && only.text === (typeof shown === 'string' ? shown : JSON.stringify(shown));
    const toolMetadata = display === undefined ? {} : { toolMetadata: { display: display as UiJson } };
    const own = ownMetadata({ settled: true, meta, content: isPlain ? undefined : content });
    return { type: 'tool-output-available', toolCallId: callId, output: shown, ...this.dynamic, ...toolMetadata, ...own };
  }
}
