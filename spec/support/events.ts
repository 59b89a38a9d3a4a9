import { userMessage } from '../../lib/index.ts';
import type { Correction, Delta, LoopEvent, Outcome, StepEnd, StepRecord } from '../../lib/index.ts';

// Events of one hand-written run, for specs that judge event streams rather than produce them.

const runId = 'run1';

export const start = (): LoopEvent => ({ type: 'run-start', runId });

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

export const correction = (number: number, count = 1, more: Partial<Correction> = {}): LoopEvent => ({
  type: 'correction', runId, step: number, cause: 'stream', count, max: 3, reason: 'cut', message: userMessage('again'), ...more,
});

export const steering = (...words: string[]): LoopEvent => ({ type: 'steering', runId, messages: words.map(userMessage) });

export const dropped = (number: number, id: string): LoopEvent => ({
  type: 'tool-dropped', runId, step: number, callId: id, elapsedMs: 9, isError: false, reason: 'late',
});

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

export const record = (number: number, more: Partial<StepRecord> = {}): StepRecord => ({
  step: number, attempts: 1, usage: {}, finish: 'stop', toolCalls: 0, model: 'm', ...more,
});
