/**
 * zod schemas of what a run says, for events, messages, outcomes and checkpoints that come back from a wire or a file.
 *
 * They check and change nothing: what a run said, sent as JSON, parses to the same JSON. Unknown fields are kept, and an
 * event or a delta of an unknown type passes whole, because consumers ignore what they do not know. A known type with a
 * wrong field is refused; each issue has the path of the field.
 */
import * as z from 'zod/mini';
import type { EventOf, EventType, LoopEvent } from './event.ts';
import { answer, asked, question } from './schema-approval.ts';
import { deltaSchema, ids } from './schema-delta.ts';
import { flag, json, maybe, number, open, text, texts, yes } from './schema-field.ts';
import { call, finish, messageSchema, result, usage, userMessage } from './schema-message.ts';
import { outcomeSchema } from './schema-outcome.ts';

export { checkpointSchema } from './schema-checkpoint.ts';
export { messageSchema, outcomeSchema };

const step = { step: number };
const attempt = { ...step, attempt: number };
const count = { count: number, max: number, reason: text };
const ofCall = { ...step, callId: text };

const plan = z.array(
  z.looseObject({
    content: text,
    status: z.enum(['pending', 'in-progress', 'completed']),
    priority: maybe(z.enum(['high', 'medium', 'low'])),
  }),
);

const patch = z.array(
  z.discriminatedUnion('op', [
    z.looseObject({ op: z.enum(['add', 'replace', 'test']), path: text, value: json }),
    z.looseObject({ op: z.literal('remove'), path: text }),
    z.looseObject({ op: z.enum(['move', 'copy']), from: text, path: text }),
  ]),
);

const events: { readonly [Type in EventType]: z.ZodMiniType<Omit<EventOf<Type>, 'type' | 'runId' | 'parent'>> } = {
  'run-start': z.looseObject({ threadId: maybe(text), resumed: maybe(yes) }),
  'step-start': z.looseObject({ ...attempt, model: text }),
  delta: z.looseObject({ ...step, delta: deltaSchema }),
  retry: z.looseObject({ ...attempt, ...count, delayMs: number, retryAfter: maybe(yes), by: z.literal('loop') }),
  fallback: z.looseObject({ ...step, from: text, to: text, reason: text }),
  'step-retract': z.looseObject({ ...attempt, reason: text, blocks: texts, callIds: texts, usage, finish: maybe(finish) }),
  'step-end': z.looseObject({
    ...attempt,
    usage,
    finish,
    rawFinish: maybe(text),
    toolCalls: number,
    ids: maybe(ids),
    context: maybe(z.looseObject({ used: number, window: number })),
    costUsd: maybe(number),
  }),
  'tool-call': z.looseObject({ ...ofCall, call }),
  'approval-request': z.looseObject({ ...ofCall, ...question }),
  'approval-answer': z.looseObject({ ...ofCall, ...asked, answer }),
  'tool-start': z.looseObject({
    ...ofCall,
    call,
    title: maybe(text),
    kind: maybe(z.enum(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'other'])),
    startedAt: number,
    speculative: maybe(yes),
  }),
  'tool-progress': z.looseObject({ ...ofCall, progress: json }),
  'tool-commit': z.looseObject({ ...ofCall, call }),
  'tool-result': z.looseObject({ ...ofCall, call, result, elapsedMs: number }),
  'tool-dropped': z.looseObject({
    ...ofCall,
    elapsedMs: number,
    isError: maybe(flag),
    reason: z.enum(['late', 'retracted', 'restarted']),
  }),
  correction: z.looseObject({ ...step, ...count, cause: z.enum(['stream', 'output', 'hook']), message: userMessage }),
  steering: z.looseObject({ messages: z.array(userMessage) }),
  compaction: z.looseObject({ removed: number, kept: number, summary: z.array(messageSchema) }),
  status: z.looseObject({ text, data: maybe(json) }),
  plan: z.looseObject({ entries: plan }),
  title: z.looseObject({ title: text }),
  state: z.looseObject({ patch }),
  custom: z.looseObject({ name: text, data: json }),
  done: z.looseObject({ outcome: outcomeSchema }),
};

/** An event of a run. One of an unknown type needs `type` and `runId` alone. */
export const eventSchema: z.ZodMiniType<LoopEvent> = open<LoopEvent>(
  { runId: text, parent: maybe(z.looseObject({ runId: text, callId: text })) },
  events,
);
