import type { DeltaOf } from '../delta.ts';
import type { EventOf } from '../event.ts';
import type { Meta, ToolCall } from '../message.ts';
import type { Usage } from '../usage.ts';
import { AgUiBlocks } from './ag-ui-blocks.ts';
import type { AgUiDesk } from './ag-ui-desk.ts';
import type { AgUiContent } from './ag-ui-event.ts';

const UNANSWERED = 'The run ended before this call was answered.';

interface OpenCall {
  readonly id: string;
  said: boolean;
  ended: boolean;
}

/**
 * The brackets of one run: its step, its text and reasoning, its calls. What a lane has opened it closes, whatever comes.
 *
 * @internal
 */
export class AgUiLane {
  readonly runId: string;
  /** Calls that are complete and have no result. */
  readonly unanswered = new Set<string>();
  private readonly desk: AgUiDesk;
  private readonly tag: { readonly subagentRunId?: string };
  private readonly blocks: AgUiBlocks;
  private step: string | undefined;
  private model = '';
  /** What the open exchange has reported so far. */
  private used: Usage | undefined;
  /** By index, of the open attempt. */
  private readonly calls = new Map<number, OpenCall>();

  constructor(runId: string, isNested: boolean, desk: AgUiDesk) {
    this.runId = runId;
    this.desk = desk;
    this.tag = isNested ? { subagentRunId: runId } : {};
    this.blocks = new AgUiBlocks(runId, this.tag, desk);
  }

  startStep({ step, attempt, model }: EventOf<'step-start'>): void {
    this.close();
    this.calls.clear();
    this.blocks.startAttempt(`${step}.${attempt}`);
    this.model = model;
    this.step = `step-${step}`;
    this.desk.say({ type: 'STEP_STARTED', stepName: this.step, ...this.tag });
  }

  delta({ delta }: EventOf<'delta'>): void {
    switch (delta.type) {
      case 'text':
      case 'refusal':
      case 'reasoning':
        return this.blocks.piece(delta);
      case 'reasoning-replace':
        return this.blocks.replaceReasoning(delta);
      case 'opaque':
        return this.blocks.opaque(delta);
      case 'tool-call-start':
        return this.startCall(delta);
      case 'tool-call-arguments': {
        const call = this.calls.get(delta.index);
        // A fragment of a call that has not begun, or is over, belongs to nothing.
        if (call !== undefined && !call.ended) this.argue(call, delta.chunk);
        return;
      }
      case 'tool-call-end':
        return this.endCall(delta);
      case 'server-tool':
      case 'source':
      case 'file': {
        const { type: name, ...value } = delta;
        this.desk.say({ type: 'CUSTOM', name, value, ...this.tag });
        return;
      }
      case 'usage':
        this.used = delta.usage;
        return;
      case 'unknown':
        return this.desk.reveal(() => ({ type: 'CUSTOM', name: 'unknown', value: delta.raw, ...this.tag }));
      default:
    }
  }

  /** A call that stands: one that no delta has told of is told here. */
  announce(call: ToolCall): void {
    if (this.unanswered.has(call.id)) return;
    this.blocks.close();
    const open = { id: call.id, said: false, ended: false };
    this.open(open, call.name);
    this.finishCall(open, call);
  }

  endStep({ usage, finish, toolCalls, costUsd, context, rawFinish }: EventOf<'step-end'>): void {
    this.closeCalls();
    const all = [...this.calls.values()];
    const isIgnored = toolCalls < all.filter(({ ended }) => ended).length;
    const cut = all.filter(({ ended }) => isIgnored || !ended).map(({ id }) => id);
    const metadata = { usage, finish, ...(rawFinish !== undefined && { rawFinish }), ...(costUsd !== undefined && { costUsd }), ...(context && { context }) };
    this.leaveStep(usage, metadata);
    this.withdraw(new Set(), cut);
    this.calls.clear();
  }

  retract({ usage, blocks, callIds, attempt }: EventOf<'step-retract'>): void {
    this.closeCalls();
    this.leaveStep(usage, { usage, retracted: attempt });
    const ids = new Set([...this.blocks.shown(), ...blocks.flatMap((block) => this.blocks.idsOf(block))]);
    this.withdraw(ids, [...callIds, ...[...this.calls.values()].map(({ id }) => id)]);
    this.calls.clear();
  }

  /** Closes what is open; what the open exchange used counts. */
  close(): void {
    this.closeCalls();
    if (this.step !== undefined) this.leaveStep(this.used ?? {}, {});
    this.withdraw(new Set(), [...this.calls.values()].flatMap(({ id, ended }) => (ended ? [] : [id])));
    this.calls.clear();
  }

  /** Closes what is open, and gives every call that has none a result: what the client holds can be sent to a model. */
  abandon(): void {
    this.close();
    for (const callId of this.unanswered) this.answer(callId, { content: UNANSWERED, metadata: { isError: true, kind: 'cancelled' } });
  }

  answer(toolCallId: string, result: { readonly content: AgUiContent; readonly metadata?: Meta }): void {
    this.unanswered.delete(toolCallId);
    // The client has sent it: a second one would be another message of its conversation.
    if (this.desk.messages.isAnswered(toolCallId)) return;
    const messageId = this.desk.newId(`${this.runId}/result/${toolCallId}`);
    this.desk.say({ type: 'TOOL_CALL_RESULT', messageId, toolCallId, role: 'tool', ...result, ...this.tag });
  }

  fallBack(to: string): void {
    this.model = to;
  }

  private startCall({ index, id, name }: DeltaOf<'tool-call-start'>): void {
    if (this.calls.has(index)) return;
    this.blocks.close();
    const call = { id, said: false, ended: false };
    this.calls.set(index, call);
    this.open(call, name);
  }

  private endCall({ index, call }: DeltaOf<'tool-call-end'>): void {
    if (!this.calls.has(index)) this.startCall({ type: 'tool-call-start', index, id: call.id, name: call.name });
    const open = this.calls.get(index);
    if (open !== undefined && !open.ended) this.finishCall(open, call);
  }

  private open({ id }: OpenCall, toolCallName: string): void {
    const parentMessageId = this.blocks.holder(id);
    this.desk.say({ type: 'TOOL_CALL_START', toolCallId: id, toolCallName, parentMessageId, ...this.tag });
  }

  private argue(call: OpenCall, delta: string): void {
    if (delta === '') return;
    call.said = true;
    this.desk.say({ type: 'TOOL_CALL_ARGS', toolCallId: call.id, delta, ...this.tag });
  }

  private finishCall(open: OpenCall, call: ToolCall): void {
    if (!open.said) this.argue(open, call.rawArguments?.trim() ? call.rawArguments : JSON.stringify(call.arguments ?? {}));
    open.ended = true;
    this.unanswered.add(call.id);
    this.desk.say({ type: 'TOOL_CALL_END', toolCallId: open.id, ...this.tag });
    if (call.meta !== undefined) this.seal(call.id, call.meta);
  }

  private seal(entityId: string, meta: Meta): void {
    this.desk.say({ type: 'REASONING_ENCRYPTED_VALUE', subtype: 'tool-call', entityId, encryptedValue: JSON.stringify(meta), ...this.tag });
  }

  private closeCalls(): void {
    this.blocks.close();
    for (const call of this.calls.values()) {
      if (!call.ended) this.desk.say({ type: 'TOOL_CALL_END', toolCallId: call.id, ...this.tag });
    }
  }

  private leaveStep(usage: Usage, metadata: Meta): void {
    this.desk.usage.add(this.model, usage);
    this.used = undefined;
    if (this.step !== undefined) this.desk.say({ type: 'STEP_FINISHED', stepName: this.step, metadata, ...this.tag });
    this.step = undefined;
  }

  private withdraw(ids: ReadonlySet<string>, callIds: readonly string[]): void {
    for (const id of callIds) this.unanswered.delete(id);
    if (this.desk.messages.withdraw(ids, new Set(callIds))) this.desk.snapshot();
  }
}
