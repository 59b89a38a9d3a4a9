import type { Step } from '../fold/step.ts';
import type { AssistantMessage, AssistantPart, FinishReason, Message, ToolResult } from '../message.ts';
import type { Usage } from '../usage.ts';

/** Whether a turn says anything: reasoning alone is nothing, and providers refuse a turn of nothing else. */
export function saysSomething(parts: readonly AssistantPart[]): boolean {
  return parts.some((part) => {
    switch (part.type) {
      case 'text':
      case 'refusal':
        return part.text !== '';
      case 'tool-call':
      case 'server-tool':
      case 'file':
        return true;
      default:
        return false;
    }
  });
}

/** The assistant turn of a step, or none where nothing was said: an empty turn is never stored. */
export function turnOf(
  { parts, finish }: Pick<Step, 'parts' | 'finish'>,
  ended: { readonly finish: FinishReason; readonly usage: Usage | undefined },
): AssistantMessage | undefined {
  if (!saysSomething(parts)) return undefined;
  return {
    role: 'assistant',
    content: parts,
    finish: ended.finish,
    ...(ended.usage !== undefined && { usage: ended.usage }),
    ...(finish?.model !== undefined && { model: finish.model }),
  };
}

/** A turn and the results of its calls, as they are appended: together, in call order, or not at all. */
export function closed(turn: AssistantMessage | undefined, results: readonly ToolResult[]): Message[] {
  if (turn === undefined) return [];
  return results.length === 0 ? [turn] : [turn, { role: 'tool', results }];
}

/** The results of calls that no event reports, because an error ends the run: every call in the transcript has one. */
export function unreported(step: Pick<Step, 'calls'>, why: string): ToolResult[] {
  return step.calls.map(({ id, name }) => ({
    callId: id,
    name,
    content: [{ type: 'text', text: why }],
    isError: true,
    error: { kind: 'cancelled', message: why, retryable: false },
  }));
}

/**
 * The messages as a run hands them out. Without `keepReasoning` the readable reasoning of the run's own turns is left
 * out; what carries `meta` stays, because its provider wants it back.
 *
 * @param own - from this index on the messages are the run's own
 */
export function handOut(messages: readonly Message[], own: number, keepReasoning: boolean): readonly Message[] {
  if (keepReasoning) return messages;
  return messages.map((message, at) => (at < own || message.role !== 'assistant' ? message : withoutReasoning(message)));
}

/** A turn without its readable reasoning; the same turn where it has none. */
export function withoutReasoning(turn: AssistantMessage): AssistantMessage {
  if (!turn.content.some(isReadable)) return turn;
  return { ...turn, content: turn.content.filter((part) => !isReadable(part)) };
}

function isReadable(part: AssistantPart): boolean {
  return part.type === 'reasoning' && part.meta === undefined;
}
