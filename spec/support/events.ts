import { userMessage } from '../../lib/index.ts';
import type { ApprovalAnswerEvent, ApprovalKind, Checkpoint, Correction, Delta, LoopEvent, Outcome, StepEnd, StepRecord, ToolDropped } from '../../lib/index.ts';

// Events of one hand-written run, for specs that judge event streams rather than produce them.

const runId = 'run1';

export const start = (): LoopEvent => ({ type: 'run-start', runId });

export const resumed = (): LoopEvent => ({ type: 'run-start', runId, resumed: true });

/** The same event of a nested run, below a call of `run1` or of another run. */
export const below = (callId: string, event: LoopEvent, id = 'run2', above = runId): LoopEvent =>
  ({ ...event, runId: id, parent: { runId: above, callId } }) as LoopEvent;

export const step = (number: number, attempt = 1): LoopEvent => ({ type: 'step-start', runId, step: number, attempt, model: 'm' });

export const delta = (number: number, said: Delta): LoopEvent => ({ type: 'delta', runId, step: number, delta: said });

export const end = (number: number, more: Partial<StepEnd> = {}): LoopEvent => ({
  type: 'step-end', runId, step: number, attempt: 1, usage: {}, finish: 'stop', toolCalls: 0, ...more,
});

export const retry = (number: number, count: number, max = 3, attempt = 1): LoopEvent => ({
  type: 'retry', runId, step: number, attempt, count, max, reason: 'busy', delayMs: 5, by: 'loop',
});

export const fallback = (number: number, from: string, to: string): LoopEvent => ({ type: 'fallback', runId, step: number, from, to, reason: 'busy' });

export const retract = (number: number, attempt: number, blocks: string[] = [], callIds: string[] = []): LoopEvent => ({
  type: 'step-retract', runId, step: number, attempt, reason: 'cut', blocks, callIds, usage: {},
});

/** A hook's: the exchange was whole. */
export const retractWhole = (number: number, attempt: number, blocks: string[] = [], callIds: string[] = []): LoopEvent =>
  ({ ...retract(number, attempt, blocks, callIds), finish: 'stop' }) as LoopEvent;

export const correction = (number: number, count = 1, more: Partial<Correction> = {}): LoopEvent => ({
  type: 'correction', runId, step: number, cause: 'stream', count, max: 3, reason: 'cut', message: userMessage('again'), ...more,
});

export const steering = (...words: string[]): LoopEvent => ({ type: 'steering', runId, messages: words.map(userMessage) });

export const compaction = (): LoopEvent => ({ type: 'compaction', runId, removed: 4, kept: 2, summary: [userMessage('Before.')] });

/** One of each, for the host. */
export const hostEvents: readonly LoopEvent[] = [
  { type: 'status', runId, text: 'Adding.' },
  { type: 'plan', runId, entries: [{ content: 'Add.', status: 'pending' }] },
  { type: 'title', runId, title: 'Sums' },
  { type: 'state', runId, patch: [{ op: 'remove', path: '/a' }] },
  { type: 'custom', runId, name: 'seen', data: 1 },
];

/** A call that was late has settled; of the others nothing is known. */
export const dropped = (number: number, id: string, reason: ToolDropped['reason'] = 'late'): LoopEvent => ({
  type: 'tool-dropped', runId, step: number, callId: id, elapsedMs: 9, reason, ...(reason === 'late' && { isError: false }),
});

/** A request; its id is `q` and the call's id unless given. */
export const ask = (number: number, callId: string, kind: ApprovalKind = 'approval', id = `q${callId}`): LoopEvent => ({
  type: 'approval-request', runId, step: number, callId, id, kind, call: { id: callId, name: 'add', arguments: {} },
});

export const reply = (
  number: number, callId: string, answer: ApprovalAnswerEvent['answer'] = { type: 'approve' }, kind: ApprovalKind = 'approval', id = `q${callId}`,
): LoopEvent => ({ type: 'approval-answer', runId, step: number, callId, id, kind, answer });

/** The start of an eager tool, while the model speaks. */
export const eager = (number: number, id: string): LoopEvent => ({ ...tool('tool-start', number, id), speculative: true }) as LoopEvent;

/** An event that carries its call. */
export const tool = (type: 'tool-call' | 'tool-start' | 'tool-commit', number: number, id: string): LoopEvent => {
  const event = { runId, step: number, callId: id, call: { id, name: 'add', arguments: {} } };
  return type === 'tool-start' ? { ...event, type, startedAt: 0 } : { ...event, type };
};

export const progress = (number: number, id: string): LoopEvent => ({ type: 'tool-progress', runId, step: number, callId: id, progress: 'p' });

export const result = (number: number, id: string, isError = false): LoopEvent => ({
  type: 'tool-result', runId, step: number, callId: id, call: { id, name: 'add', arguments: {} }, elapsedMs: 0,
  result: { callId: id, name: 'add', content: [], isError },
});

/** By default every step was a plain answer; give the records of those that were not. */
export const done = (steps: number | readonly StepRecord[] = 0, text = '', more: Partial<Outcome> = {}): LoopEvent => ({
  type: 'done',
  runId,
  outcome: {
    reason: 'answer',
    completion: { text, toolCalls: [] },
    messages: [],
    steps: typeof steps === 'number' ? Array.from({ length: steps }, (_, index) => record(index)) : steps,
    usage: {},
    ...more,
  },
});

/** The smallest that an outcome may hold. */
export const checkpoint: Checkpoint = {
  version: 1, runId, messages: [], input: 0, step: 0, attempt: 1, model: 0, steps: [], completion: { text: '', toolCalls: [] },
  counters: {
    calls: 0, toolCalls: 0, failures: 0, repairs: 0, invalidCalls: 0, corrections: 0, warned: [], elapsedMs: 0,
    repeats: { text: { key: '', count: 0 }, calls: { key: '', count: 0 } },
  },
  ids: { calls: [], blocks: [] },
};

export const record = (number: number, more: Partial<StepRecord> = {}): StepRecord => ({
  step: number, attempts: 1, usage: {}, finish: 'stop', toolCalls: 0, model: 'm', ...more,
});
