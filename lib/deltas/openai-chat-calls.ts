import { json } from '../bytes/json.ts';
import type { Delta } from '../delta.ts';
import { toolCall } from '../message.ts';
import type { Meta } from '../message.ts';

/** One entry of `delta.tool_calls`. Every field can be missing, empty or repeated. */
export interface CallFragment {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
  /** Gemini's signatures, which it wants back with the call. */
  readonly extra_content?: unknown;
}

/** See {@link openaiChatCalls}. */
export interface OpenaiChatCalls {
  add(fragment: CallFragment): void;
  /** The wire has said that nothing was cut: ends every call that is still open. A call without a name is no call. */
  end(): void;
  /** How many there are, those without a name too; and how many of them have been told of. */
  opened(): number;
  started(): number;
}

interface Call {
  id: string;
  name: string;
  text: string;
  /** The delta's index, -1 until it has started. */
  index: number;
  ended: boolean;
  meta?: Meta;
}

/**
 * Puts the calls of one response together from their fragments.
 *
 * Fragments belong together by `index`, else by `id`; with neither, a name opens a call and its absence continues the
 * last. The first non-empty id and name hold, and another id with a name under a used index opens another call.
 *
 * A call starts once its id and name are known. It ends when it is proved whole: its text is a JSON object and another
 * call has begun (a server that interleaves its calls must not have one closed while it is empty), or at `end()`.
 * Calls start and end in the order in which they were opened.
 *
 * @param newId - makes the id of a call to which the wire gave none
 * @param server - kept with what must go back to this server alone
 * @internal
 */
export function openaiChatCalls(newId: () => string, emit: (delta: Delta) => void, server = ''): OpenaiChatCalls {
  const calls: Call[] = [];
  const places = new Map<unknown, Call>();
  // The first call that has not started, the first that has not ended, and the index of the next to start.
  let [toStart, toEnd, started] = [0, 0, 0];

  const find = (index: unknown, id: string, name: string): Call | undefined => {
    if (typeof index === 'number') {
      const call = places.get(index);
      const isOther = call !== undefined && id !== '' && call.id !== '' && id !== call.id && name !== '';
      return isOther ? undefined : call;
    }
    if (id !== '') return places.get(id);
    return name === '' ? calls.at(-1) : undefined;
  };

  const say = ({ index }: Call, chunk: string): void => {
    if (chunk !== '') emit({ type: 'tool-call-arguments', index, chunk });
  };

  const start = (call: Call): void => {
    call.id ||= newId();
    call.index = started;
    started += 1;
    emit({ type: 'tool-call-start', index: call.index, id: call.id, name: call.name });
    say(call, call.text);
  };

  const startReady = (): void => {
    for (let call = calls[toStart]; call?.id && call.name; call = calls[toStart]) {
      start(call);
      toStart += 1;
    }
  };

  const close = (call: Call): void => {
    if (call.index < 0) start(call);
    call.ended = true;
    emit({ type: 'tool-call-end', index: call.index, call: toolCall(call.id, call.name, call.text, call.meta) });
  };

  const open = (index: unknown): Call => {
    // What the wire has not given an id by now gets none from it.
    const last = calls.at(-1);
    if (last?.name) last.id ||= newId();
    startReady();
    for (let call = calls[toEnd]; call !== undefined && call.index >= 0 && isJsonObject(call.text); call = calls[toEnd]) {
      close(call);
      toEnd += 1;
    }
    const call: Call = { id: '', name: '', text: '', index: -1, ended: false };
    calls.push(call);
    if (typeof index === 'number') places.set(index, call);
    return call;
  };

  return {
    opened: () => calls.length,
    started: () => started,
    add(fragment) {
      const said = fragment.function;
      const [id, name] = [textOf(fragment.id), textOf(said?.name)];
      const call = find(fragment.index, id, name) ?? open(fragment.index);
      if (call.id === '' && id !== '') {
        call.id = id;
        places.set(id, call);
      }
      call.name ||= name;
      if (fragment.extra_content) call.meta = { server, extra_content: fragment.extra_content };
      // Some servers send the arguments as the object itself.
      const value = said?.arguments;
      const chunk = typeof value === 'object' && value !== null ? JSON.stringify(value) : textOf(value);
      if (call.ended) {
        if (chunk.trim() !== '') emit({ type: 'unknown', raw: fragment });
        return;
      }
      call.text += chunk;
      if (call.index >= 0) say(call, chunk);
      else startReady();
    },
    end() {
      for (const call of calls.slice(toEnd)) {
        if (call.name === '') emit({ type: 'unknown', raw: { id: call.id, arguments: call.text } });
        else close(call);
        call.ended = true;
      }
      toStart = toEnd = calls.length;
    },
  };
}

function isJsonObject(text: string): boolean {
  return text.trimStart().startsWith('{') && json(text) !== undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
