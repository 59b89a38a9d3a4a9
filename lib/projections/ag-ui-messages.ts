import type { AgUiEvent, AgUiMessage, AgUiToolCall } from './ag-ui-event.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type HeldCall = Mutable<Omit<AgUiToolCall, 'function'>> & { function: Mutable<AgUiToolCall['function']> };
/** Any message, open for writing. */
interface Held {
  readonly id: string;
  readonly role: AgUiMessage['role'];
  content?: unknown;
  toolCalls?: HeldCall[];
  encryptedValue?: string;
  metadata?: AgUiMessage['metadata'];
  [more: string]: unknown;
}

/**
 * The messages that an AG-UI client holds, kept by folding the events that it is sent as it folds them. A run needs them
 * because the protocol can withdraw something only by saying all that stays (`MESSAGES_SNAPSHOT`).
 *
 * Activities are left out: a snapshot without any leaves the client's own alone.
 *
 * @internal
 */
export class AgUiMessages {
  private list: Held[];
  private readonly byId = new Map<string, Held>();
  /** The message and the call of each call id. */
  private readonly calls = new Map<string, { readonly owner: Held; readonly call: HeldCall }>();
  /** Calls whose result is here. */
  private readonly answered = new Set<unknown>();

  /** @param messages - those that the client sent */
  constructor(messages: readonly AgUiMessage[]) {
    this.list = messages.filter(({ role }) => role !== 'activity').map(copyOf);
    for (const held of this.list) this.index(held);
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  isAnswered(callId: string): boolean {
    return this.answered.has(callId);
  }

  /** The name of the tool that a call asks for. */
  toolOf(callId: string): string | undefined {
    return this.calls.get(callId)?.call.function.name;
  }

  /** Synchronous and in place: what one delta costs does not depend on what was said before. */
  fold(event: AgUiEvent): void {
    switch (event.type) {
      case 'TEXT_MESSAGE_START':
      case 'REASONING_MESSAGE_START':
        if (!this.byId.has(event.messageId)) this.add({ id: event.messageId, role: event.role, content: '', ...more(event) });
        return;
      case 'TEXT_MESSAGE_CONTENT':
      case 'REASONING_MESSAGE_CONTENT': {
        const held = this.byId.get(event.messageId);
        if (held !== undefined) held.content = `${(held.content as string | undefined) ?? ''}${event.delta}`;
        return;
      }
      case 'REASONING_ENCRYPTED_VALUE': {
        const held = event.subtype === 'message' ? this.byId.get(event.entityId) : this.calls.get(event.entityId)?.call;
        if (held !== undefined) held.encryptedValue = event.encryptedValue;
        return;
      }
      case 'TOOL_CALL_START': {
        if (this.calls.has(event.toolCallId)) return;
        const { parentMessageId: id } = event;
        const owner = this.byId.get(id) ?? this.add({ id, role: 'assistant', ...(event.subagentRunId !== undefined && { subagentRunId: event.subagentRunId }) });
        const call: HeldCall = { id: event.toolCallId, type: 'function', function: { name: event.toolCallName, arguments: '' } };
        (owner.toolCalls ??= []).push(call);
        this.calls.set(call.id, { owner, call });
        return;
      }
      case 'TOOL_CALL_ARGS': {
        const held = this.calls.get(event.toolCallId);
        if (held !== undefined) held.call.function.arguments += event.delta;
        return;
      }
      case 'TOOL_CALL_RESULT': {
        const { messageId: id, toolCallId, content, metadata } = event;
        // The event has no field for it, the message has.
        const error = metadata?.['isError'] === true && typeof content === 'string' ? { error: content } : {};
        this.answer({ id, role: 'tool', toolCallId, content, ...error, ...more(event) }, toolCallId);
        return;
      }
      default:
    }
  }

  /** Adds what no event but a snapshot can say. */
  add(message: AgUiMessage | Held): Held {
    const held = copyOf(message);
    this.list.push(held);
    this.index(held);
    return held;
  }

  /** Gives a reasoning message another text. */
  rewrite(id: string, content: string): void {
    const held = this.byId.get(id);
    if (held === undefined) return;
    held.content = content;
    delete held.encryptedValue;
  }

  /**
   * Takes messages and calls back; what is left of a message stays. A client keeps its reasoning where a snapshot has
   * none at all, so of reasoning alone one message is left, and it is blank.
   *
   * @returns whether anything was there to take back
   */
  withdraw(ids: ReadonlySet<string>, callIds: ReadonlySet<string>): boolean {
    const gone = this.list.filter((held) => ids.has(held.id));
    const cut = [...callIds].flatMap((id) => this.calls.get(id) ?? []);
    if (gone.length + cut.length === 0) return false;
    for (const { owner, call } of cut) {
      this.calls.delete(call.id);
      owner.toolCalls = owner.toolCalls?.filter((one) => one !== call) ?? [];
      if (owner.toolCalls.length > 0) continue;
      delete owner.toolCalls;
      if (owner.content === undefined) gone.push(owner);
    }
    const kept = new Set(this.list);
    for (const held of gone) kept.delete(held);
    const blank = gone.find(isReasoning);
    if (blank !== undefined && ![...kept].some(isReasoning)) {
      kept.add(blank);
      this.rewrite(blank.id, '');
    }
    this.list = this.list.filter((held) => kept.has(held));
    for (const held of gone) if (!kept.has(held)) this.byId.delete(held.id);
    return true;
  }

  snapshot(): readonly AgUiMessage[] {
    return this.list.map((held) => copyOf(held) as unknown as AgUiMessage);
  }

  private index(held: Held): void {
    this.byId.set(held.id, held);
    if (held.role === 'tool') this.answered.add(held['toolCallId']);
    for (const call of held.toolCalls ?? []) this.calls.set(call.id, { owner: held, call });
  }

  /** A result stands behind the message that asked for it and the results that are there already. */
  private answer(result: Held, callId: string): void {
    const owner = this.calls.get(callId)?.owner;
    this.index(result);
    // Mostly it is among the last ones.
    let at = owner === undefined ? this.list.length : this.list.lastIndexOf(owner) + 1;
    while (at < this.list.length && this.list[at]?.role === 'tool') at += 1;
    this.list.splice(at, 0, result);
  }
}

function isReasoning({ role }: Held): boolean {
  return role === 'reasoning';
}

function more({ subagentRunId, metadata }: { readonly subagentRunId?: string; readonly metadata?: Held['metadata'] }): Partial<Held> {
  return { ...(subagentRunId !== undefined && { subagentRunId }), ...(metadata !== undefined && { metadata }) };
}

function copyOf(message: AgUiMessage | Held): Held {
  const held = { ...message } as Held;
  if (held.toolCalls !== undefined) held.toolCalls = held.toolCalls.map((call) => ({ ...call, function: { ...call.function } }));
  return held;
}
