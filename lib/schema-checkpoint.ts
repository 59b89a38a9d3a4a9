/** Schemas of `lib/checkpoint.ts`, and of what an outcome has in common with it. */
import * as z from 'zod/mini';
import type { Checkpoint } from './checkpoint.ts';
import { answer, request } from './schema-approval.ts';
import { ids } from './schema-delta.ts';
import { flag, json, maybe, number, text, texts, yes } from './schema-field.ts';
import { assistantMessage, call, fault, finish, messageSchema, plainPart, result, usage, userMessage } from './schema-message.ts';

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

const settled = z.looseObject({ call, result, elapsedMs: number, ran: flag, answered: maybe(yes), unseen: maybe(yes) });
const verdict = z.looseObject({ content: z.array(plainPart), isError: flag, error: maybe(fault) });

const batch = z.looseObject({
  turn: assistantMessage,
  announced: flag,
  calls: z.array(
    z.looseObject({
      call,
      effective: maybe(call),
      cleared: maybe(yes),
      approved: maybe(yes),
      request: maybe(request),
      answer: maybe(answer),
      startedAt: maybe(number),
      nested: maybe(z.lazy(() => checkpointSchema)),
      settled: maybe(settled),
      verdict: maybe(verdict),
      released: maybe(yes),
    }),
  ),
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
  wait: maybe(z.looseObject({ delayMs: maybe(number), retryAfter: maybe(flag), reason: text, from: maybe(number) })),
  batch: maybe(batch),
});
