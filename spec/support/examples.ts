import type { ApprovalAnswer, ApprovalRequest } from '../../lib/approval.ts';
import type { Checkpoint, CheckpointCall } from '../../lib/checkpoint.ts';
import type { DeltaOf, DeltaType } from '../../lib/delta.ts';
import type { ErrorInfo } from '../../lib/errors.ts';
import type { EventOf, EventType } from '../../lib/event.ts';
import type { JsonPatchOperation } from '../../lib/host.ts';
import type { Completion, Outcome, StepRecord } from '../../lib/outcome.ts';
import type { AssistantMessage, Message, ResultPart, ToolCall, ToolDisplay, ToolResult, UserMessage } from '../../lib/message.ts';
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
const content: readonly ResultPart[] = [
  { type: 'text', text: '3', block: 'b1', meta },
  { type: 'image', mediaType: 'image/png', data: 'AA==', url: 'https://example.com/a.png', meta },
  { type: 'file', mediaType: 'text/plain', data: 'AA==', url: 'https://example.com/a.txt', name: 'a.txt', block: 'b2', meta },
];
const display: Required<ToolDisplay> = {
  text: 'Added.',
  diff: { path: 'a.txt', oldText: '2', newText: '3' },
  locations: [{ path: 'a.txt', line: 1 }],
  terminalId: 't1',
  filterStats: { linesIn: 9, linesOut: 2 },
  keptLines: [1, 9],
  raw: hostile,
};
const result: Required<ToolResult> = {
  callId: 'c1',
  name: 'add',
  content,
  isError: true,
  error: { kind: 'timeout', message: 'Too slow.', retryable: true },
  output: hostile,
  display,
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

const completion: Required<Completion> = {
  text: 'Three.',
  json: hostile,
  reasoning: 'Hm.',
  refusal: 'No.',
  toolCalls: [call],
  finish: 'stop',
  rawFinish: 'end_turn',
  model: 'm',
};
const steps: readonly Required<StepRecord>[] = [{ step: 0, attempts: 1, usage, finish: 'tool-use', toolCalls: 1, model: 'm', ids }];
const unread = { steering: [said], followUp: [said] };

const request: Required<ApprovalRequest> = {
  id: 'q1', kind: 'approval', runId: 'r1', step: 0, callId: 'c1', call, schema: meta, reason: 'It adds.',
};

/** One answer of each type that an event has, with every field. */
export const answers: readonly Required<Exclude<ApprovalAnswer, { type: 'suspend' }>>[] = [
  { type: 'approve', arguments: hostile },
  { type: 'decline', reason: 'No.' },
  { type: 'result', content, isError: true },
  { type: 'input', value: hostile },
  { type: 'stop', reason: 'Enough.' },
];

/** One operation of each kind. */
const patch: readonly JsonPatchOperation[] = [
  { op: 'add', path: '/a', value: hostile },
  { op: 'replace', path: '/a', value: hostile },
  { op: 'test', path: '/a', value: hostile },
  { op: 'remove', path: '/a' },
  { op: 'move', from: '/a', path: '/b' },
  { op: 'copy', from: '/a', path: '/b' },
];

const plainCheckpoint: Omit<Required<Checkpoint>, 'batch'> = {
  version: 1,
  runId: 'r1',
  threadId: 't1',
  messages,
  input: 1,
  step: 1,
  attempt: 1,
  model: 0,
  steps,
  completion,
  usage,
  nestedUsage: usage,
  retracted: usage,
  counters: {
    calls: 2, toolCalls: 1, failures: 0, repairs: 0, invalidCalls: 0, corrections: 0, context: 0.5,
    repeats: { text: { key: 'k', count: 1 }, calls: { key: 'k', count: 1 } }, warned: ['maxSteps'], elapsedMs: 12.5,
  },
  ids: { calls: ['c1'], blocks: ['b1'] },
  unread,
  wait: { delayMs: 500, retryAfter: true, reason: 'Busy.', from: 0 },
};
const suspendedCall: Required<CheckpointCall> = {
  call, effective: call, cleared: true, request, startedAt: 0, nested: plainCheckpoint,
  approved: true, answer: { type: 'approve', arguments: hostile }, settled: { call, result, elapsedMs: 12.5, ran: true, answered: true, unseen: true },
  verdict: { content, isError: true, error: { kind: 'refused', message: 'No.', retryable: false } }, released: true,
};

/** A checkpoint with every field, and a nested one. */
export const checkpoint: Required<Checkpoint> = {
  ...plainCheckpoint,
  batch: { turn: answer, announced: true, calls: [suspendedCall] },
};

/** An outcome with every field. */
export const outcome: Required<Outcome> = {
  reason: 'error',
  completion,
  messages,
  answer,
  steps,
  usage,
  nestedUsage: usage,
  unread,
  checkpoint,
  stopped: { reason: 'Enough.', callId: 'c1' },
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

const inRun = { runId: 'r1', parent: { runId: 'r0', callId: 'c0' } } as const;
const inStep = { ...inRun, step: 0 } as const;
const ofCall = { ...inStep, callId: 'c1' } as const;

/** One event of each type, with every field. */
export const events: { readonly [Type in EventType]: Required<EventOf<Type>> } = {
  'run-start': { type: 'run-start', ...inRun, threadId: 't1', resumed: true },
  'step-start': { type: 'step-start', ...inStep, attempt: 1, model: 'm' },
  delta: { type: 'delta', ...inStep, delta: deltas.text },
  retry: { type: 'retry', ...inStep, attempt: 1, count: 1, max: 3, reason: 'Busy.', delayMs: 500, retryAfter: true, by: 'loop' },
  fallback: { type: 'fallback', ...inStep, from: 'm', to: 'n', reason: 'Busy.' },
  'step-retract': { type: 'step-retract', ...inStep, attempt: 1, reason: 'Cut.', blocks: ['b1'], callIds: ['c1'], usage, finish: 'stop' },
  'step-end': {
    type: 'step-end', ...inStep, attempt: 1, usage, finish: 'tool-use', rawFinish: 'tool_use', toolCalls: 1, ids,
    context: { used: 15, window: 200_000 }, costUsd: 0.0125,
  },
  'tool-call': { type: 'tool-call', ...ofCall, call },
  'approval-request': { type: 'approval-request', ...ofCall, id: 'q1', kind: 'approval', call, schema: meta, reason: 'It adds.' },
  'approval-answer': { type: 'approval-answer', ...ofCall, id: 'q1', kind: 'approval', answer: { type: 'approve', arguments: hostile } },
  'tool-start': { type: 'tool-start', ...ofCall, call, title: 'Adds', kind: 'other', startedAt: 0, speculative: true },
  'tool-progress': { type: 'tool-progress', ...ofCall, progress: hostile },
  'tool-commit': { type: 'tool-commit', ...ofCall, call },
  'tool-result': { type: 'tool-result', ...ofCall, call, result, elapsedMs: 12.5 },
  'tool-dropped': { type: 'tool-dropped', ...ofCall, elapsedMs: 90.5, isError: false, reason: 'late' },
  correction: { type: 'correction', ...inStep, cause: 'stream', count: 1, max: 3, reason: 'Cut.', message: said },
  steering: { type: 'steering', ...inRun, messages: [said] },
  compaction: { type: 'compaction', ...inRun, removed: 4, kept: 2, summary: messages },
  status: { type: 'status', ...inRun, text: 'No seed here.', data: hostile },
  plan: { type: 'plan', ...inRun, entries: [{ content: 'Add.', status: 'in-progress', priority: 'high' }] },
  title: { type: 'title', ...inRun, title: 'Sums' },
  state: { type: 'state', ...inRun, patch },
  custom: { type: 'custom', ...inRun, name: 'seen', data: hostile },
  done: { type: 'done', ...inRun, outcome },
};
