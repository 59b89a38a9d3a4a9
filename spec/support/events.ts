import type { Delta, LoopEvent, Outcome, StepEnd, StepRecord } from '../../lib/index.ts';

// Events of one hand-written run, for specs that judge event streams rather than produce them.

const runId = 'run1';

export const start = (): LoopEvent => ({ type: 'run-start', runId });

export const step = (number: number, attempt = 1): LoopEvent => ({ type: 'step-start', runId, step: number, attempt, model: 'm' });

export const delta = (number: number, said: Delta): LoopEvent => ({ type: 'delta', runId, step: number, delta: said });

export const end = (number: number, more: Partial<StepEnd> = {}): LoopEvent => ({
  type: 'step-end', runId, step: number, attempt: 1, usage: {}, finish: 'stop', toolCalls: 0, ...more,
});

export const retry = (number: number, count: number, max = 3): LoopEvent => ({
  type: 'retry', runId, step: number, attempt: 1, count, max, reason: 'busy', delayMs: 5, by: 'loop',
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

export const done = (steps = 0, text = '', more: Partial<Outcome> = {}): LoopEvent => ({
  type: 'done',
  runId,
  outcome: { reason: 'answer', completion: { text, toolCalls: [] }, messages: [], steps: Array.from({ length: steps }, (_, index) => record(index)), usage: {}, ...more },
});

export const record = (number: number): StepRecord => ({ step: number, attempts: 1, usage: {}, finish: 'stop', toolCalls: 0, model: 'm' });
