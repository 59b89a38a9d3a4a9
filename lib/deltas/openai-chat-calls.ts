import type { Delta } from '../delta.ts';
import { toolCall } from '../message.ts';

/** One entry of `delta.tool_calls`. Every field can be missing, empty or repeated. */
export interface CallFragment {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

type Emit = (delta: Delta) => void;

interface Call {
  id: string;
  name: string;
  text: string;
  /** The delta's index, -1 until it has started. */
  index: number;
  ended: boolean;
}

/**
 * Puts the calls of one response together from their fragments.
 *
 * Fragments belong together by `index`, else by `id`; with neither, a name opens a call and its absence continues the
 * last. The first non-empty id and name hold, and another id with a name under a used index opens another call.
 *
 * A call starts once its id and name are known. It ends when it is proved whole: its text is a JSON object and another
 * call has begun (a server that interleaves its calls must not have one closed while it is empty), or {@link end}.
 * Calls start and end in the order in which they were opened.
 *
 * @internal
 */
export class OpenaiChatCalls {
  private readonly newId: () => string;
  private readonly calls: Call[] = [];
  private readonly places = new Map<unknown, Call>();
  /** The first call that has not started, the first that has not ended, and the index of the next to start. */
  private toStart = 0;
  private toEnd = 0;
  private started = 0;

  /** @param newId - makes the id of a call to which the wire gave none */
  constructor(newId: () => string) {
    this.newId = newId;
  }

  /** How many have begun. */
  get count(): number {
    return this.calls.length;
  }

  add(fragment: CallFragment, emit: Emit): void {
    const id = textOf(fragment.id);
    const name = textOf(fragment.function?.name);
    const call = this.find(fragment.index, id, name) ?? this.open(fragment.index, emit);
    if (call.id === '' && id !== '') {
      call.id = id;
      this.places.set(id, call);
    }
    if (call.name === '') call.name = name;
    const chunk = argumentsOf(fragment.function?.arguments);
    if (call.ended) {
      if (chunk.trim() !== '') emit({ type: 'unknown', raw: fragment });
      return;
    }
    call.text += chunk;
    if (call.index >= 0) say(call, chunk, emit);
    else this.startReady(emit);
  }

  /** The wire has said that nothing was cut: ends every call that is still open. A call without a name is no call. */
  end(emit: Emit): void {
    for (const call of this.calls.slice(this.toEnd)) {
      if (call.name === '') emit({ type: 'unknown', raw: { id: call.id, arguments: call.text } });
      else this.close(call, emit);
      call.ended = true;
    }
    this.toStart = this.calls.length;
    this.toEnd = this.calls.length;
  }

  private find(index: unknown, id: string, name: string): Call | undefined {
    if (typeof index === 'number') {
      const call = this.places.get(index);
      const isOther = call !== undefined && id !== '' && call.id !== '' && id !== call.id && name !== '';
      return isOther ? undefined : call;
    }
    if (id !== '') return this.places.get(id);
    return name === '' ? this.calls.at(-1) : undefined;
  }

  private open(index: unknown, emit: Emit): Call {
    this.endWhole(emit);
    const call: Call = { id: '', name: '', text: '', index: -1, ended: false };
    this.calls.push(call);
    if (typeof index === 'number') this.places.set(index, call);
    return call;
  }

  private startReady(emit: Emit): void {
    for (let call = this.calls[this.toStart]; call !== undefined; call = this.calls[this.toStart]) {
      if (call.id === '' || call.name === '') return;
      this.start(call, emit);
      this.toStart += 1;
    }
  }

  /** Another call begins: what the wire has not given an id by now gets none from it. */
  private endWhole(emit: Emit): void {
    const last = this.calls.at(-1);
    if (last !== undefined && last.id === '' && last.name !== '') last.id = this.newId();
    this.startReady(emit);
    for (let call = this.calls[this.toEnd]; call !== undefined; call = this.calls[this.toEnd]) {
      if (call.index < 0 || !isJsonObject(call.text)) return;
      this.close(call, emit);
      this.toEnd += 1;
    }
  }

  private close(call: Call, emit: Emit): void {
    if (call.index < 0) this.start(call, emit);
    call.ended = true;
    emit({ type: 'tool-call-end', index: call.index, call: toolCall(call.id, call.name, call.text) });
  }

  private start(call: Call, emit: Emit): void {
    if (call.id === '') call.id = this.newId();
    call.index = this.started;
    this.started += 1;
    emit({ type: 'tool-call-start', index: call.index, id: call.id, name: call.name });
    say(call, call.text, emit);
  }
}

function say(call: Call, chunk: string, emit: Emit): void {
  if (chunk !== '') emit({ type: 'tool-call-arguments', index: call.index, chunk });
}

function isJsonObject(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Some servers send the arguments as the object itself. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
}
