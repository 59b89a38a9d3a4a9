import type { BlockState, CallState, LoopState, MessageState } from '../loop-state.ts';
import type { Message, ToolResult } from '../message.ts';

/**
 * The state before a run: idle, with the messages that the run is given, which no event tells of.
 *
 * @param messages - what goes into the run: its `messages`, and its `prompt` as a user message
 * @public
 */
export function initialState(messages: readonly Message[] = []): LoopState {
  return {
    runId: '',
    status: 'idle',
    ...readMessages(messages, (n) => `input.${n}`),
    requests: [],
    plan: [],
    shared: {},
    nested: {},
  };
}

/**
 * Messages as a state shows them: their calls stand apart, with their results.
 *
 * @param idOf - the id of message n
 * @internal
 */
export function readMessages(messages: readonly Message[], idOf: (n: number) => string): Pick<LoopState, 'messages' | 'calls'> {
  const results = new Map(messages.flatMap((one) => (one.role === 'tool' ? one.results.map((result) => [result.callId, result] as const) : [])));
  const read: MessageState[] = [];
  const calls: CallState[] = [];
  messages.forEach((message, n) => {
    if (message.role === 'tool') return;
    const blocks = message.content.map((part): BlockState => {
      if (part.type !== 'tool-call') return part;
      const { id, name, arguments: given, rawArguments = JSON.stringify(given) } = part.call;
      calls.push(settled({ callId: id, name, argumentsText: rawArguments, arguments: given, state: 'asked' }, results.get(id)));
      return { type: 'tool-call', callId: id };
    });
    const finish = message.role === 'assistant' ? message.finish : undefined;
    const state = finish === 'error' || finish === 'aborted' ? 'broken' : 'committed';
    read.push({ id: idOf(n), role: message.role, state, ...(finish && { finish }), blocks });
  });
  return { messages: read, calls };
}

/**
 * A call with what it came to.
 *
 * @internal
 */
export function settled(call: CallState, result: ToolResult | undefined): CallState {
  if (result === undefined) return call;
  const { display, isError } = result;
  return { ...call, state: isError ? 'error' : 'ok', result, ...(display && { display }) };
}
