import type { EventOf } from '../event.ts';
import type { AgUiDesk } from './ag-ui-desk.ts';
import type { AgUiEvent } from './ag-ui-event.ts';

/** Events that stand beside the conversation: each is told as one event, and none changes what is open. */
export type AsideEvent = EventOf<
  'retry' | 'fallback' | 'correction' | 'compaction' | 'approval-request' | 'approval-answer' | 'status' | 'plan' | 'title' | 'state' | 'custom'
>;

/**
 * What AG-UI has for an event beside the conversation: an activity for what stays on the screen, `CUSTOM` for what passes.
 * Why something failed is only said where nothing is masked.
 *
 * @internal
 */
export function agUiAside(event: AsideEvent, desk: AgUiDesk): AgUiEvent | undefined {
  const { runId, parent } = event;
  const tag = parent === undefined ? {} : { subagentRunId: runId };
  const custom = (name: string, value: unknown): AgUiEvent => ({ type: 'CUSTOM', name, value, ...tag });
  const why = (reason: string): { readonly reason?: string } => (desk.mask ? {} : { reason });
  switch (event.type) {
    case 'retry': {
      const { step, attempt, count, max, delayMs, retryAfter, reason } = event;
      return custom('retry', { step, attempt, count, max, delayMs, ...(retryAfter && { retryAfter }), ...why(reason) });
    }
    case 'fallback':
      return custom('fallback', { step: event.step, from: event.from, to: event.to, ...why(event.reason) });
    case 'correction': {
      const { step, cause, count, max, reason, message } = event;
      return custom('correction', { step, cause, count, max, ...why(reason), ...(!desk.mask && { message }) });
    }
    case 'compaction':
      return custom('compaction', { removed: event.removed, kept: event.kept });
    case 'approval-request': {
      const { id, kind, callId: toolCallId, call, schema, reason } = event;
      const asked = { id, kind, toolCallId, toolName: call.name, arguments: call.arguments };
      return custom('approval-request', { ...asked, ...(schema && { schema }), ...(reason !== undefined && { reason }) });
    }
    case 'approval-answer':
      return custom('approval-answer', { id: event.id, kind: event.kind, toolCallId: event.callId, answer: event.answer.type });
    case 'status': {
      const { text, data } = event;
      const content = { text, ...(!desk.mask && data !== undefined && { data }) };
      return { type: 'ACTIVITY_SNAPSHOT', messageId: `${runId}/status`, activityType: 'STATUS', content, ...tag };
    }
    case 'plan':
      return { type: 'ACTIVITY_SNAPSHOT', messageId: `${runId}/plan`, activityType: 'PLAN', content: { entries: event.entries }, ...tag };
    case 'title':
      return custom('session.title', { title: event.title });
    case 'state':
      return { type: 'STATE_DELTA', delta: event.patch, ...tag };
    case 'custom':
      return custom(event.name, event.data);
    default:
      // An event of tomorrow.
      return undefined;
  }
}
