import type { LoopEvent } from '../event.ts';
import type { UserMessage } from '../message.ts';
import type { UiMessageChunk } from './ui-messages-chunk.ts';

/** Names of this projection's own data parts. */
const NAMES: ReadonlySet<string> = new Set([
  'retry', 'fallback', 'retract', 'correction', 'steering', 'compaction', 'status', 'plan', 'title', 'state', 'input', 'nested', 'nested-chunk',
]);

/**
 * What an event beside the conversation is as data parts. Passing ones are `transient`: the client hears of them and keeps
 * nothing. Of a failure's own words nothing is told where `isMasked`.
 *
 * @internal
 */
export function dataChunks(event: LoopEvent, isMasked: boolean): UiMessageChunk[] {
  switch (event.type) {
    case 'retry': {
      const { step, attempt, count, max, delayMs, reason } = event;
      return [{ type: 'data-retry', data: { step, attempt, count, max, delayMs, ...(!isMasked && { reason }) }, transient: true }];
    }
    case 'fallback': {
      const { step, from, to, reason } = event;
      return [{ type: 'data-fallback', data: { step, from, to, ...(!isMasked && { reason }) }, transient: true }];
    }
    case 'correction': {
      const { step, cause, count, max, reason, message } = event;
      return [{ type: 'data-correction', data: { step, cause, count, max, ...(!isMasked && { reason, parts: userParts(message) }) } }];
    }
    case 'steering':
      return event.messages.map((message) => ({ type: 'data-steering', data: { parts: userParts(message) } }));
    case 'compaction':
      return [{ type: 'data-compaction', data: { removed: event.removed, kept: event.kept }, transient: true }];
    case 'status':
      return [{ type: 'data-status', id: 'status', data: { text: event.text }, transient: true }];
    case 'plan':
      return [{ type: 'data-plan', id: 'plan', data: { entries: event.entries } }];
    case 'title':
      return [{ type: 'data-title', id: 'title', data: { title: event.title } }];
    case 'state':
      return [{ type: 'data-state', id: 'state', data: { patch: event.patch }, transient: true }];
    case 'custom':
      return [{ type: `data-${NAMES.has(event.name) ? 'custom-' : ''}${event.name}`, data: event.data }];
    default:
      return inputChunks(event);
  }
}

/** What a running tool asks of a person: the same part is asked, then answered. */
function inputChunks(event: LoopEvent): UiMessageChunk[] {
  if ((event.type !== 'approval-request' && event.type !== 'approval-answer') || event.kind !== 'input') return [];
  const { id, callId } = event;
  if (event.type === 'approval-answer') return [{ type: 'data-input', id, data: { callId, state: event.answer.type === 'input' ? 'answered' : 'declined' } }];
  const { call, reason, schema } = event;
  return [{ type: 'data-input', id, data: { callId, state: 'asked', name: call.name, ...(reason !== undefined && { reason }), ...(schema !== undefined && { schema }) } }];
}

/** A user's message in the parts of a UI message. */
function userParts({ content }: UserMessage): unknown[] {
  return content.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    const { mediaType = 'image/*', data, url = `data:${mediaType};base64,${data ?? ''}` } = part;
    return { type: 'file', mediaType, url, ...(part.type === 'file' && part.name !== undefined && { filename: part.name }) };
  });
}
