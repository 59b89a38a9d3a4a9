import type { AssistantMessage, Message, ToolCall } from '../../lib/index.ts';

/**
 * What is wrong with a transcript as the start of a next request, in words; empty when nothing is. Every call has one
 * result, in the message right after its turn and in call order; no id is missing or used twice; no turn is empty.
 */
export function transcriptFaults(messages: readonly Message[]): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool' && callsOf(messages[at - 1]).length === 0) faults.push(`message ${at}: results without calls before them`);
    if (message.role !== 'assistant') continue;
    if (!saysSomething(message)) faults.push(`message ${at}: an empty turn`);
    const calls = callsOf(message);
    for (const { id } of calls) {
      if (id === '') faults.push(`message ${at}: a call without id`);
      if (ids.has(id)) faults.push(`message ${at}: the id ${id} is used twice`);
      ids.add(id);
    }
    const next = messages[at + 1];
    const results = next?.role === 'tool' ? next.results : [];
    const asked = calls.map(({ id, name }) => `${id} ${name}`).join(', ');
    const given = results.map(({ callId, name }) => `${callId} ${name}`).join(', ');
    if (asked !== given) faults.push(`message ${at}: the calls are (${asked}) and the results (${given})`);
  }
  return faults;
}

/** The ids of all calls of a transcript, in order. */
export function callIdsOf(messages: readonly Message[]): string[] {
  return messages.flatMap(callsOf).map(({ id }) => id);
}

function callsOf(message: Message | undefined): readonly ToolCall[] {
  return message?.role === 'assistant' ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.call] : [])) : [];
}

/** Reasoning alone is nothing: providers refuse a turn of nothing else. */
function saysSomething({ content }: AssistantMessage): boolean {
  return content.some((part) => ['tool-call', 'server-tool', 'file'].includes(part.type) || (part.type !== 'reasoning' && 'text' in part && part.text !== ''));
}
