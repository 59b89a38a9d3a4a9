/** Schemas of `lib/message.ts`, and of what its messages carry. */
import * as z from 'zod/mini';
import type { Message, ToolFault } from './message.ts';
import { flag, json, maybe, number, record, text, yes } from './schema-field.ts';

export const meta = record;

export const finish = z.enum([
  'stop',
  'length',
  'tool-use',
  'content-filter',
  'refusal',
  'pause',
  'aborted',
  'error',
  'other',
]);

export const usage = z.looseObject({
  inputTokens: maybe(number),
  outputTokens: maybe(number),
  cachedInputTokens: maybe(number),
  cacheWriteTokens: maybe(number),
  reasoningTokens: maybe(number),
  totalTokens: maybe(number),
  costUsd: maybe(number),
  partial: maybe(yes),
});

export const call = z.looseObject({ id: text, name: text, arguments: json, rawArguments: maybe(text), meta: maybe(meta) });

export const fault: z.ZodMiniType<ToolFault> = z.looseObject({
  kind: z.enum([
    'invalid-input',
    'timeout',
    'cancelled',
    'not-found',
    'permission-denied',
    'rate-limited',
    'provider',
    'network',
    'refused',
    'other',
  ]),
  message: text,
  retryable: flag,
});

// What a part and the delta that brought it have in common.
export const file = { mediaType: text, data: maybe(text), url: maybe(text), meta: maybe(meta) };
export const serverTool = { id: text, name: text, phase: z.enum(['call', 'result']), data: maybe(json), meta: maybe(meta) };
export const source = { url: maybe(text), title: maybe(text), data: maybe(json), block: maybe(text), meta: maybe(meta) };

const said = { text, block: maybe(text), meta: maybe(meta) };
const textPart = z.looseObject({ type: z.literal('text'), ...said });
const filePart = z.looseObject({ type: z.literal('file'), ...file, name: maybe(text), block: maybe(text) });

/** What a user's message holds, and a tool's result too. */
export const plainPart = z.discriminatedUnion('type', [
  textPart,
  z.looseObject({ type: z.literal('image'), ...file, mediaType: maybe(text) }),
  filePart,
]);

const assistantPart = z.discriminatedUnion('type', [
  textPart,
  z.looseObject({ type: z.literal('refusal'), ...said }),
  z.looseObject({ type: z.literal('reasoning'), ...said }),
  z.looseObject({ type: z.literal('tool-call'), call }),
  z.looseObject({ type: z.literal('server-tool'), ...serverTool, block: maybe(text) }),
  z.looseObject({ type: z.literal('source'), ...source }),
  filePart,
  z.looseObject({ type: z.literal('opaque'), data: json, block: maybe(text), meta: maybe(meta) }),
]);

const display = z.looseObject({
  text: maybe(text),
  diff: maybe(z.looseObject({ path: text, oldText: maybe(text), newText: text })),
  locations: maybe(z.array(z.looseObject({ path: text, line: maybe(number) }))),
  terminalId: maybe(text),
  filterStats: maybe(z.looseObject({ linesIn: number, linesOut: number })),
  keptLines: maybe(z.array(number)),
  raw: maybe(json),
});

export const result = z.looseObject({
  callId: text,
  name: text,
  content: z.array(plainPart),
  isError: flag,
  error: maybe(fault),
  output: maybe(json),
  display: maybe(display),
});

export const assistantMessage = z.looseObject({
  role: z.literal('assistant'),
  content: z.array(assistantPart),
  finish: maybe(finish),
  usage: maybe(usage),
  model: maybe(text),
});

export const userMessage = z.looseObject({ role: z.literal('user'), content: z.array(plainPart) });

/** A message of a conversation. A part of an unknown type is refused: a model that is sent it could not read it. */
export const messageSchema: z.ZodMiniType<Message> = z.discriminatedUnion('role', [
  userMessage,
  assistantMessage,
  z.looseObject({ role: z.literal('tool'), results: z.array(result) }),
]);
