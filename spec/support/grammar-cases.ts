import { expect } from '@jest/globals';
import { from } from 'rxjs';
import type { FinishReason, LoopEvent, Reason, StepRecord } from '../../lib/index.ts';
import { verifyEvents } from '../../marbles/index.ts';
import { checkpoint, delta, done, end, record, result, start, step, tool } from './events.ts';

// Pieces of runs for the specs of the grammar, and what is said of them there.

export const text = (number: number, words: string, block = `t${number}`): LoopEvent => delta(number, { type: 'text', block, text: words });
export const finish = (number: number, reason: FinishReason = 'stop'): LoopEvent => delta(number, { type: 'finish', reason });
/** A call in the model's own words, complete. */
export const called = (number: number, index: number, id: string): LoopEvent[] => [
  delta(number, { type: 'tool-call-start', index, id, name: 'add' }),
  delta(number, { type: 'tool-call-end', index, call: { id, name: 'add', arguments: {} } }),
];
export const answers = (number: number): LoopEvent[] => [step(number), text(number, 'yes'), finish(number), end(number)];
/** A step that asks for these calls, up to its tool-calls. */
export const wants = (number: number, ...ids: string[]): LoopEvent[] => [
  step(number), ...ids.flatMap((id, index) => called(number, index, id)), finish(number, 'tool-use'), end(number, { finish: 'tool-use', toolCalls: ids.length }),
  ...ids.map((id) => tool('tool-call', number, id)),
];
export const wanted = (number: number, count: number): StepRecord => record(number, { finish: 'tool-use', toolCalls: count });
export const runs = (number: number, id: string): LoopEvent[] => [tool('tool-start', number, id), tool('tool-commit', number, id), result(number, id)];
export const said = (reason: Reason, steps: readonly StepRecord[], words = ''): LoopEvent =>
  done(steps, words, { reason, ...(reason === 'suspended' && { checkpoint }) });
/** A run of one step with these calls; then what happens to them, and an answer. */
export const round = (ids: readonly string[], ...batch: LoopEvent[]): LoopEvent[] => [
  start(), ...wants(0, ...ids), ...batch, ...answers(1), said('answer', [wanted(0, ids.length), record(1)], 'yes'),
];

export interface Heard {
  readonly events: LoopEvent[];
  readonly error?: unknown;
}

export function hear(events: readonly LoopEvent[]): Heard {
  const heard: { events: LoopEvent[]; error?: unknown } = { events: [] };
  from(events).pipe(verifyEvents()).subscribe({ next: (event) => heard.events.push(event), error: (error: unknown) => (heard.error = error) });
  return heard;
}

/** What a row of `passes` says. */
export function passes(_name: string, events: readonly LoopEvent[]): void {
  expect(hear(events)).toEqual({ events });
}

/** What a row of `refuses` says: the last event is the one refused, `before` and `after` are the pair that clashes. */
export function refuses(_name: string, events: readonly LoopEvent[], before: string, after: string, rule: string): void {
  const heard = hear(events);

  expect(heard.error).toMatchObject({ code: 'verify-events', clash: { before, after, rule: expect.stringContaining(rule) } });
  expect(heard.events).toHaveLength(events.length - 1);
}

export type Passing = [name: string, events: LoopEvent[]];
export type Refused = [name: string, events: LoopEvent[], before: string, after: string, rule: string];
