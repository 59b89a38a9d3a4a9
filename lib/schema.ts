/**
 * zod schemas of what a run says, for events, messages and outcomes that come back from a wire or a file.
 *
 * They check and change nothing: what a run said, sent as JSON, parses to the same JSON. Unknown fields are kept, and an
 * event or a delta of an unknown type passes whole, because consumers ignore what they do not know. A known type with a
 * wrong field is refused; each issue has the path of the field.
 *
 * Made with `zod/mini`: `zod/v4/core` has no words to write a schema in, and the whole `zod` is three times as large.
 */
import * as z from 'zod/mini';
import type { Delta, DeltaOf, DeltaType } from './delta.ts';
import type { ErrorInfo } from './errors.ts';
import type { EventOf, EventType, LoopEvent } from './event.ts';
import type { Outcome } from './outcome.ts';
import type { Message, ToolFault } from './message.ts';

const text = z.string();
const number = z.number();
const flag = z.boolean();
/** Free-form JSON, passed on as it is: a schema of records would drop a key named `__proto__`. */
const json = z.unknown();
const meta = z.custom<Readonly<Record<string, unknown>>>(isRecord, 'Expected an object.');
const figures = z.custom<Readonly<Record<string, number>>>(
  (value) => isRecord(value) && Object.values(value).every((figure) => typeof figure === 'number'),
  'Expected an object of numbers.',
);

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field that may be absent. JSON has no `undefined`, so neither has the type. */
function maybe<T extends z.core.SomeType>(schema: T): z.ZodMiniExactOptional<T> {
  return z.optional(schema) as unknown as z.ZodMiniExactOptional<T>;
}

/** An object that is checked by its `type`, where that is known, and by `common` alone where it is not. */
function open<T>(common: z.core.$ZodLooseShape, fields: Readonly<Record<string, z.ZodMiniType>>): z.ZodMiniType<T> {
  const known = new Map(Object.entries(fields));
  const schema = z.looseObject({ type: text, ...common }).check((context) => {
    const { value } = context;
    const issues = known.get(value.type)?.safeParse(value).error?.issues ?? [];
    for (const issue of issues) context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
  });
  return schema as unknown as z.ZodMiniType<T>;
}

const finish = z.enum([
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

const reason = z.enum([
  'answer', 'max-steps', 'max-tokens', 'max-cost', 'max-duration', 'context-full', 'repetition', 'aborted', 'length', 'content-filter', 'refusal', 'error',
]);

const usage = z.looseObject({
  inputTokens: maybe(number),
  outputTokens: maybe(number),
  cachedInputTokens: maybe(number),
  cacheWriteTokens: maybe(number),
  reasoningTokens: maybe(number),
  totalTokens: maybe(number),
  costUsd: maybe(number),
  partial: maybe(z.literal(true)),
});

const ids = z.looseObject({ response: maybe(text), request: maybe(text) });

const errorInfo: z.ZodMiniType<ErrorInfo> = z.looseObject({
  code: text,
  message: text,
  retryable: flag,
  status: maybe(number),
});

const fault: z.ZodMiniType<ToolFault> = z.looseObject({
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

const call = z.looseObject({ id: text, name: text, arguments: json, rawArguments: maybe(text), meta: maybe(meta) });

const said = { text, block: maybe(text), meta: maybe(meta) };
const textPart = z.looseObject({ type: z.literal('text'), ...said });

const file = { mediaType: text, data: maybe(text), url: maybe(text), meta: maybe(meta) };
const filePart = z.looseObject({ type: z.literal('file'), ...file, name: maybe(text), block: maybe(text) });
const serverTool = { id: text, name: text, phase: z.enum(['call', 'result']), data: maybe(json), meta: maybe(meta) };
const source = { url: maybe(text), title: maybe(text), data: maybe(json), block: maybe(text), meta: maybe(meta) };

const userPart = z.discriminatedUnion('type', [
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

const result = z.looseObject({
  callId: text,
  name: text,
  content: z.array(textPart),
  isError: flag,
  error: maybe(fault),
  output: maybe(json),
});

const assistantMessage = z.looseObject({
  role: z.literal('assistant'),
  content: z.array(assistantPart),
  finish: maybe(finish),
  usage: maybe(usage),
  model: maybe(text),
});

const userMessage = z.looseObject({ role: z.literal('user'), content: z.array(userPart) });

/** A message of a conversation. A part of an unknown type is refused: a model that is sent it could not read it. */
export const messageSchema: z.ZodMiniType<Message> = z.discriminatedUnion('role', [
  userMessage,
  assistantMessage,
  z.looseObject({ role: z.literal('tool'), results: z.array(result) }),
]);

/** What a run came to: the `outcome` of its last event. */
export const outcomeSchema: z.ZodMiniType<Outcome> = z.looseObject({
  reason,
  completion: z.looseObject({
    text,
    reasoning: maybe(text),
    refusal: maybe(text),
    toolCalls: z.array(call),
    finish: maybe(finish),
    rawFinish: maybe(text),
    model: maybe(text),
  }),
  messages: z.array(messageSchema),
  answer: maybe(assistantMessage),
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
  usage,
  unread: maybe(z.looseObject({ steering: z.array(userMessage), followUp: z.array(userMessage) })),
  error: maybe(errorInfo),
});

/** As JSON an error is its {@link ErrorInfo}. A run itself shows no `error` delta: it ends. */
type Wired<Type extends DeltaType> = Type extends 'error' ? { readonly error: ErrorInfo } : Omit<DeltaOf<Type>, 'type'>;

const spoken = z.looseObject({ block: text, text, meta: maybe(meta) });
const deltas: { readonly [Type in DeltaType]: z.ZodMiniType<Wired<Type>> } = {
  text: spoken,
  refusal: spoken,
  reasoning: spoken,
  'reasoning-replace': z.looseObject({ text, meta: maybe(meta) }),
  'tool-call-start': z.looseObject({ index: number, id: text, name: text }),
  'tool-call-arguments': z.looseObject({ index: number, chunk: text }),
  'tool-call-end': z.looseObject({ index: number, call }),
  'server-tool': z.looseObject({ block: text, ...serverTool }),
  source: z.looseObject(source),
  file: z.looseObject({ block: text, ...file }),
  opaque: z.looseObject({ block: text, data: json, meta: maybe(meta) }),
  warning: z.looseObject({ text, data: maybe(json) }),
  unknown: z.looseObject({ raw: json }),
  alive: z.looseObject({}),
  usage: z.looseObject({ usage, reported: maybe(figures) }),
  error: z.looseObject({ error: errorInfo }),
  finish: z.looseObject({ reason: finish, rawFinish: maybe(text), model: maybe(text), ids: maybe(ids) }),
};

const step = { step: number };
const ofCall = { ...step, callId: text };
const events: { readonly [Type in EventType]?: z.ZodMiniType<Omit<EventOf<Type>, 'type' | 'runId'>> } = {
  'run-start': z.looseObject({ threadId: maybe(text) }),
  'step-start': z.looseObject({ ...step, attempt: number, model: text }),
  delta: z.looseObject({ ...step, delta: open<Delta>({}, deltas) }),
  retry: z.looseObject({
    ...step,
    attempt: number,
    count: number,
    max: number,
    reason: text,
    delayMs: number,
    retryAfter: maybe(z.literal(true)),
    by: z.literal('loop'),
  }),
  'step-end': z.looseObject({
    ...step,
    attempt: number,
    usage,
    finish,
    rawFinish: maybe(text),
    toolCalls: number,
    ids: maybe(ids),
    context: maybe(z.looseObject({ used: number, window: number })),
    costUsd: maybe(number),
  }),
  fallback: z.looseObject({ ...step, from: text, to: text, reason: text }),
  'step-retract': z.looseObject({ ...step, attempt: number, reason: text, blocks: z.array(text), callIds: z.array(text), usage }),
  correction: z.looseObject({ ...step, cause: z.literal('stream'), count: number, max: number, reason: text, message: userMessage }),
  steering: z.looseObject({ messages: z.array(userMessage) }),
  'tool-dropped': z.looseObject({ ...ofCall, elapsedMs: number, isError: flag, reason: z.literal('late') }),
  'tool-call': z.looseObject({ ...ofCall, call }),
  'tool-start': z.looseObject({ ...ofCall, call, startedAt: number }),
  'tool-progress': z.looseObject({ ...ofCall, progress: json }),
  'tool-commit': z.looseObject({ ...ofCall, call }),
  'tool-result': z.looseObject({ ...ofCall, call, result, elapsedMs: number }),
  status: z.looseObject({ text, data: maybe(json) }),
  done: z.looseObject({ outcome: outcomeSchema }),
};

/** An event of a run. One of an unknown type needs `type` and `runId` alone. */
export const eventSchema: z.ZodMiniType<LoopEvent> = open<LoopEvent>({ runId: text }, events as Required<typeof events>);
