import type { DeltaOf, DeltaType } from '../../lib/delta.ts';
import type { ErrorInfo } from '../../lib/errors.ts';
import type { EventOf, EventType } from '../../lib/event.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { AssistantMessage, Message, ToolCall, ToolResult, UserMessage } from '../../lib/message.ts';
import type { Usage } from '../../lib/usage.ts';

/** Free-form JSON with the keys that are easily lost. */
export const hostile: unknown = JSON.parse('{"__proto__":{"__proto__":[{"constructor":1}]},"a":[null,{"__proto__":"x"}]}');
const meta = hostile as Readonly<Record<string, unknown>>;

const usage: Required<Usage> = {
  inputTokens: 10,
  outputTokens: 0,
  cachedInputTokens: 1,
  cacheWriteTokens: 2,
  reasoningTokens: 3,
  totalTokens: 15,
  costUsd: 0.0125,
  partial: true,
};
const ids = { response: 'resp_1', request: 'req_1' };
const call: Required<ToolCall> = { id: 'c1', name: 'add', arguments: hostile, rawArguments: '{"a":1}', meta };
const result: Required<ToolResult> = {
  callId: 'c1',
  name: 'add',
  content: [{ type: 'text', text: '3', block: 'b1', meta }],
  isError: true,
  error: { kind: 'timeout', message: 'Too slow.', retryable: true },
  output: hostile,
};
const answer: Required<AssistantMessage> = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'Three.', block: 'b1', meta },
    { type: 'refusal', text: 'No.', block: 'b2', meta },
    { type: 'reasoning', text: 'Hm.', block: 'b3', meta },
    { type: 'tool-call', call },
    { type: 'server-tool', id: 's1', name: 'search', phase: 'call', data: hostile, block: 'b4', meta },
    { type: 'source', url: 'https://example.com', title: 'A page', data: hostile, block: 'b5', meta },
    { type: 'file', mediaType: 'image/png', data: 'AA==', url: 'https://example.com/a.png', name: 'a.png', block: 'b6', meta },
    { type: 'opaque', data: hostile, block: 'b7', meta },
  ],
  finish: 'stop',
  usage,
  model: 'm',
};
const errorInfo: Required<ErrorInfo> = { code: 'model-http', message: 'Busy.', retryable: true, status: 529 };

const said: UserMessage = { role: 'user', content: [{ type: 'text', text: 'And then?', block: 'b', meta }] };

/** One message of each kind, with every field. */
export const messages: readonly Message[] = [
  { role: 'user', content: [
    { type: 'text', text: 'Add 1 and 2.', block: 'b', meta },
    { type: 'image', mediaType: 'image/png', data: 'AA==', url: 'https://example.com/a.png', meta },
    { type: 'file', mediaType: 'text/plain', data: 'AA==', name: 'a.txt', meta },
  ] },
  answer,
  { role: 'tool', results: [result] },
];

/** An outcome with every field. */
export const outcome: Required<Outcome> = {
  reason: 'error',
  completion: {
    text: 'Three.',
    reasoning: 'Hm.',
    refusal: 'No.',
    toolCalls: [call],
    finish: 'stop',
    rawFinish: 'end_turn',
    model: 'm',
  },
  messages,
  answer,
  steps: [{ step: 0, attempts: 1, usage, finish: 'tool-use', toolCalls: 1, model: 'm', ids }],
  usage,
  unread: { steering: [said], followUp: [said] },
  error: errorInfo,
};

/** One delta of each type, with every field, as JSON has it. */
export const deltas: { readonly [Type in DeltaType]: Type extends 'error' ? { type: Type; error: ErrorInfo } : Required<DeltaOf<Type>> } = {
  text: { type: 'text', block: 'b1', text: 'Th', meta },
  refusal: { type: 'refusal', block: 'b2', text: 'N', meta },
  reasoning: { type: 'reasoning', block: 'b3', text: 'H', meta },
  'reasoning-replace': { type: 'reasoning-replace', text: 'Hm.', meta },
  'tool-call-start': { type: 'tool-call-start', index: 0, id: 'c1', name: 'add' },
  'tool-call-arguments': { type: 'tool-call-arguments', index: 0, chunk: '{"a"' },
  'tool-call-end': { type: 'tool-call-end', index: 0, call },
  'server-tool': { type: 'server-tool', block: 'b4', id: 's1', name: 'search', phase: 'result', data: hostile, meta },
  source: { type: 'source', block: 'b5', url: 'https://example.com', title: 'A page', data: hostile, meta },
  file: { type: 'file', block: 'b6', mediaType: 'image/png', data: 'AA==', url: 'https://example.com/a.png', meta },
  opaque: { type: 'opaque', block: 'b7', data: hostile, meta },
  warning: { type: 'warning', text: 'No seed here.', data: hostile },
  unknown: { type: 'unknown', raw: hostile },
  alive: { type: 'alive' },
  usage: { type: 'usage', usage, reported: JSON.parse('{"__proto__":1,"prompt_tokens":10}') as Record<string, number> },
  error: { type: 'error', error: errorInfo },
  finish: { type: 'finish', reason: 'stop', rawFinish: 'end_turn', model: 'm', ids },
};

const inStep = { runId: 'r1', step: 0 } as const;
const ofCall = { ...inStep, callId: 'c1' } as const;

/** One event of each type, with every field. */
export const events: { readonly [Type in EventType]: Required<EventOf<Type>> } = {
  'run-start': { type: 'run-start', runId: 'r1', threadId: 't1' },
  'step-start': { type: 'step-start', ...inStep, attempt: 1, model: 'm' },
  delta: { type: 'delta', ...inStep, delta: deltas.text },
  retry: { type: 'retry', ...inStep, attempt: 1, count: 1, max: 3, reason: 'Busy.', delayMs: 500, retryAfter: true, by: 'loop' },
  'step-end': {
    type: 'step-end', ...inStep, attempt: 1, usage, finish: 'tool-use', rawFinish: 'tool_use', toolCalls: 1, ids,
    context: { used: 15, window: 200_000 }, costUsd: 0.0125,
  },
  fallback: { type: 'fallback', ...inStep, from: 'm', to: 'n', reason: 'Busy.' },
  'step-retract': { type: 'step-retract', ...inStep, attempt: 1, reason: 'Cut.', blocks: ['b1'], callIds: ['c1'], usage },
  correction: { type: 'correction', ...inStep, cause: 'stream', count: 1, max: 3, reason: 'Cut.', message: said },
  steering: { type: 'steering', runId: 'r1', messages: [said] },
  'tool-dropped': { type: 'tool-dropped', ...ofCall, elapsedMs: 90.5, isError: false, reason: 'late' },
  'tool-call': { type: 'tool-call', ...ofCall, call },
  'tool-start': { type: 'tool-start', ...ofCall, call, startedAt: 0 },
  'tool-progress': { type: 'tool-progress', ...ofCall, progress: hostile },
  'tool-commit': { type: 'tool-commit', ...ofCall, call },
  'tool-result': { type: 'tool-result', ...ofCall, call, result, elapsedMs: 12.5 },
  status: { type: 'status', runId: 'r1', text: 'No seed here.', data: hostile },
  done: { type: 'done', runId: 'r1', outcome },
};
