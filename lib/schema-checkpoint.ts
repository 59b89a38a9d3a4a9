/** Schemas of `lib/checkpoint.ts`, and of what an outcome has in common with it. */
import * as z from 'zod/mini';
import type { Checkpoint } from './checkpoint.ts';
import { request } from './schema-approval.ts';
import { ids } from './schema-delta.ts';
import { flag, json, maybe, number, text, texts, yes } from './schema-field.ts';
import { assistantMessage, call, finish, messageSchema, result, usage, userMessage } from './schema-message.ts';

export const reason = z.enum([
  'answer',
  'output',
  'max-steps',
  'max-tokens',
  'max-cost',
  'max-duration',
  'context-full',
  'repetition',
  'stopped',
  'aborted',
  'suspended',
  'length',
  'content-filter',
  'refusal',
  'error',
]);

/** What a run has come to so far, or in the end. */
export const progress = {
  messages: z.array(messageSchema),
  completion: z.looseObject({
    text,
    json: maybe(json),
    reasoning: maybe(text),
    refusal: maybe(text),
    toolCalls: z.array(call),
    finish: maybe(finish),
    rawFinish: maybe(text),
    model: maybe(text),
  }),
  steps: z.array(
    z.looseObject({
      step: number,
      attempts: number,
      usage,
      finish,
      toolCalls: number,
      model: text,
      ids: maybe(ids),
    }),
  ),
  nestedUsage: maybe(usage),
  unread: maybe(z.looseObject({ steering: z.array(userMessage), followUp: z.array(userMessage) })),
};

const repeat = z.looseObject({ key: text, count: number });
const counters = z.looseObject({
  calls: number,
  toolCalls: number,
  failures: number,
  repairs: number,
  invalidCalls: number,
  corrections: number,
  context: maybe(number),
  repeats: z.looseObject({ text: repeat, calls: repeat }),
  warned: texts,
  elapsedMs: number,
});

const batch = z.looseObject({
  turn: assistantMessage,
  announced: flag,
  calls: z.array(
    z.looseObject({
      call,
      effective: maybe(call),
      cleared: maybe(yes),
      request: maybe(request),
      startedAt: maybe(number),
      nested: maybe(z.lazy(() => checkpointSchema)),
      settled: maybe(z.looseObject({ result, elapsedMs: number, ran: flag, call })),
      released: maybe(yes),
    }),
  ),
  notRun: maybe(text),
  then: maybe(z.looseObject({ reason })),
});

/** Where a run stands. Another `version` is refused: it could not be resumed. */
export const checkpointSchema: z.ZodMiniType<Checkpoint> = z.looseObject({
  version: z.literal(1),
  runId: text,
  threadId: maybe(text),
  input: number,
  step: number,
  attempt: number,
  model: number,
  ...progress,
  usage: maybe(usage),
  retracted: maybe(usage),
  counters,
  ids: z.looseObject({ calls: texts, blocks: texts }),
  batch: maybe(batch),
});
