import type { DeltaOf } from '../delta.ts';
import type { Meta } from '../message.ts';
import type { AgUiDesk } from './ag-ui-desk.ts';
import type { AgUiEvent } from './ag-ui-event.ts';

type Piece = DeltaOf<'text' | 'refusal' | 'reasoning'>;
type Kind = Piece['type'];

const KINDS = ['text', 'refusal', 'reasoning', 'opaque'] as const;

/** A message of this attempt: what it is made from. */
interface Block {
  readonly id: string;
  readonly kind: Kind;
  meta?: Meta;
}

/**
 * Text and reasoning of one run as messages: one message a block, and one open at a time, so that a reader never sees two
 * of them woven together. Ids are made of the run's id and the block's.
 *
 * @internal
 */
export class AgUiBlocks {
  private readonly runId: string;
  private readonly tag: { readonly subagentRunId?: string };
  private readonly desk: AgUiDesk;
  private attempt = '';
  private open: Block | undefined;
  /** Of the attempt, by kind and block; a block that goes on elsewhere is one more message. */
  private readonly current = new Map<string, Block>();
  private readonly all = new Set<string>();
  private lastText: Block | undefined;
  /** The message to which the next call belongs. */
  private parent: string | undefined;

  constructor(runId: string, tag: { readonly subagentRunId?: string }, desk: AgUiDesk) {
    this.runId = runId;
    this.tag = tag;
    this.desk = desk;
  }

  startAttempt(name: string): void {
    this.attempt = name;
    this.current.clear();
    this.all.clear();
    this.lastText = undefined;
    this.parent = undefined;
  }

  /** The messages of the attempt. */
  shown(): Iterable<string> {
    return this.all;
  }

  /** The ids that a block's messages begin with. */
  idsOf(block: string): string[] {
    return KINDS.map((kind) => this.idOf(kind, block));
  }

  piece({ type: kind, block: name, text, meta }: Piece): void {
    if (text === '' && meta === undefined) return;
    const block = this.blockOf(kind, name);
    this.enter(block);
    if (meta !== undefined) block.meta = { ...block.meta, ...meta };
    if (text === '') return;
    const type = kind === 'reasoning' ? 'REASONING_MESSAGE_CONTENT' : 'TEXT_MESSAGE_CONTENT';
    this.desk.say({ type, messageId: block.id, delta: text, ...this.tag });
  }

  /** What takes the place of all reasoning so far has the id of its first message. */
  replaceReasoning({ text, meta }: DeltaOf<'reasoning-replace'>): void {
    this.close();
    const [first, ...others] = [...this.all].filter((id) => id.startsWith(this.idOf('reasoning', '')));
    for (const [key, { kind }] of this.current) if (kind === 'reasoning') this.current.delete(key);
    if (first === undefined) return this.piece({ type: 'reasoning', block: `${this.attempt}-replaced`, text, ...(meta && { meta }) });
    this.desk.messages.withdraw(new Set(others), new Set());
    for (const id of others) this.all.delete(id);
    this.desk.messages.rewrite(first, text);
    this.desk.snapshot();
    if (meta !== undefined) this.seal({ id: first, kind: 'reasoning', meta });
  }

  /** A block that nobody can read, kept for the provider that it came from. */
  opaque({ block: name, data, meta }: DeltaOf<'opaque'>): void {
    this.enter(this.make('reasoning', this.idOf('opaque', name)), { opaque: true });
    if (this.open !== undefined) this.open.meta = { data, ...(meta && { meta }) };
    this.close();
  }

  /** The message that a call belongs to: the text before it, or the first call that has none. */
  holder(callId: string): string {
    this.parent ??= `${this.runId}/calls/${callId}`;
    return this.parent;
  }

  close(): void {
    const { open } = this;
    this.open = undefined;
    if (open === undefined) return;
    const isReasoning = open.kind === 'reasoning';
    this.desk.say({ type: isReasoning ? 'REASONING_MESSAGE_END' : 'TEXT_MESSAGE_END', messageId: open.id, ...this.tag });
    this.seal(open);
    if (isReasoning) this.desk.say({ type: 'REASONING_END', messageId: open.id, ...this.tag });
  }

  private enter(block: Block, metadata: Meta | undefined = block.kind === 'refusal' ? { refusal: true } : undefined): void {
    if (this.open === block) return;
    this.close();
    this.open = block;
    const { id: messageId, kind } = block;
    const more = { messageId, ...this.tag };
    const start: AgUiEvent =
      kind === 'reasoning'
        ? { type: 'REASONING_MESSAGE_START', role: 'reasoning', ...more, ...(metadata && { metadata }) }
        : { type: 'TEXT_MESSAGE_START', role: 'assistant', ...more, ...(metadata && { metadata }) };
    if (kind === 'reasoning') this.desk.say({ type: 'REASONING_START', ...more });
    this.desk.say(start);
    // A call that follows reasoning is not moved before it.
    this.parent = kind === 'reasoning' ? undefined : messageId;
  }

  /** A text that goes on behind another text is a message of its own, so that the answer reads as it was heard. */
  private blockOf(kind: Kind, name: string): Block {
    const known = this.current.get(`${kind} ${name}`);
    if (known !== undefined && (kind !== 'text' || known === this.lastText)) return known;
    const block = this.make(kind, this.idOf(kind, name));
    this.current.set(`${kind} ${name}`, block);
    if (kind === 'text') this.lastText = block;
    return block;
  }

  private make(kind: Kind, wanted: string): Block {
    const id = this.desk.newId(wanted);
    this.all.add(id);
    return { id, kind };
  }

  private idOf(kind: Kind | 'opaque', name: string): string {
    return `${this.runId}/${kind}/${name}`;
  }

  private seal({ id, meta }: Block): void {
    if (meta === undefined) return;
    this.desk.say({ type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: id, encryptedValue: JSON.stringify(meta), ...this.tag });
  }
}
