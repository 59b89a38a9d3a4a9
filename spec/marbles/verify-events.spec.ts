import { describe, expect, it } from '@jest/globals';
import { concat, from, NEVER, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Delta, LoopEvent, StepRecord } from '../../lib/index.ts';
import { verifyEvents } from '../../marbles/index.ts';
import { delta, done, end, progress, record, result, retry, start, steering, step, tool } from '../support/events.ts';

const text = (number: number, words: string, block = `t${number}`): LoopEvent => delta(number, { type: 'text', block, text: words });
const finish = (number: number): LoopEvent => delta(number, { type: 'finish', reason: 'stop' });
const opens = (number: number, index: number, id: string): LoopEvent => delta(number, { type: 'tool-call-start', index, id, name: 'add' });
const pieces = (number: number, index: number): LoopEvent => delta(number, { type: 'tool-call-arguments', index, chunk: '{}' });
const ends = (number: number, index: number, id: string): LoopEvent =>
  delta(number, { type: 'tool-call-end', index, call: { id, name: 'add', arguments: {} } });

const answers = [start(), step(0), text(0, 'hi'), finish(0)];
/** A step whose turn asks for these calls, up to its end. */
const asks = (...ids: string[]): LoopEvent[] => [
  start(),
  step(0),
  ...ids.flatMap((id, index) => [opens(0, index, id), pieces(0, index), ends(0, index, id)]),
  finish(0),
  end(0, { finish: 'tool-use', toolCalls: ids.length }),
];
const called = (...ids: string[]): LoopEvent[] => [...asks(...ids), ...ids.map((id) => tool('tool-call', 0, id))];
const runs = (id: string): LoopEvent[] => [tool('tool-start', 0, id), progress(0, id), tool('tool-commit', 0, id), result(0, id)];
const second = [step(1), text(1, 'yes'), finish(1), end(1)];
/** What an outcome says of the step of `asks`. */
const asked = (count: number): StepRecord => record(0, { finish: 'tool-use', toolCalls: count });
const after = (count: number): LoopEvent => done([asked(count), record(1)], 'yes');

interface Heard {
  readonly events: LoopEvent[];
  error?: unknown;
  completed?: true;
}

function hear(events$: Observable<LoopEvent>): Heard {
  const heard: Heard = { events: [] };
  events$.pipe(verifyEvents()).subscribe({
    next: (event) => heard.events.push(event),
    error: (error) => (heard.error = error),
    complete: () => (heard.completed = true),
  });
  return heard;
}

describe('verifyEvents', () => {
  it.each<[string, LoopEvent[]]>([
    ['an answer', [...answers, end(0), done(1, 'hi')]],
    ['no step at all', [start(), done(0, '', { reason: 'max-steps' })]],
    ['a tool round and an answer', [...called('c', 'd'), ...runs('c'), ...runs('d'), ...second, after(2)]],
    ['a call that never ran', [...called('c', 'd'), result(0, 'c', true), ...runs('d'), ...second, after(2)]],
    ['calls that overlap', [
      ...called('c', 'd'), tool('tool-start', 0, 'c'), tool('tool-start', 0, 'd'), progress(0, 'd'), progress(0, 'c'),
      tool('tool-commit', 0, 'c'), result(0, 'c'), tool('tool-commit', 0, 'd'), result(0, 'd'), ...second, after(2),
    ]],
    ['an attempt that waits twice', [start(), step(0), retry(0, 1), retry(0, 2), text(0, 'hi'), finish(0), end(0), done(1, 'hi')]],
    ['a call that never ended and does not count', [start(), step(0), opens(0, 0, 'c'), pieces(0, 0), finish(0), end(0), done(1)]],
    ['a step that was aborted, without its finish', [
      start(), step(0), text(0, 'hi'), end(0, { finish: 'aborted' }), done([record(0, { finish: 'aborted' })], 'hi', { reason: 'aborted' }),
    ]],
    ['text blocks that alternate', [start(), step(0), text(0, 'a', 'x'), text(0, 'b', 'y'), text(0, 'c', 'x'), finish(0), end(0), done(1, 'abc')]],
    ['events of types to come', [
      start(), { type: 'status', runId: 'run1' } as unknown as LoopEvent, ...answers.slice(1),
      { type: 'plan', runId: 'run1' } as unknown as LoopEvent, end(0), done(1, 'hi'),
    ]],
    ['an error that became a done, wherever it came', [...answers, done(0, '', { reason: 'error' })]],
  ])('passes %s', (_name, events) => {
    expect(hear(from(events))).toEqual({ events, completed: true });
  });

  it('checks each run by itself', () => {
    const other = [...answers, end(0), done(1, 'hi')].map((event) => ({ ...event, runId: 'run2' }));
    const mixed = [...answers, end(0), done(1, 'hi')].flatMap((event, index) => [event, other[index] as LoopEvent]);

    expect(hear(from(mixed))).toEqual({ events: mixed, completed: true });
  });

  it('lets an error come anywhere', () => {
    const cut = new Error('cut');

    for (let length = 0; length <= answers.length; length += 1) {
      const events = answers.slice(0, length);
      expect(hear(concat(from(events), throwError(() => cut)))).toEqual({ events, error: cut });
    }
  });

  it('does not judge a run that was left or goes on', () => {
    expect(hear(concat(from(answers), NEVER))).toEqual({ events: answers });
  });

  it('keeps no state from one subscription to the next', () => {
    const run$ = from([...answers, end(0), done(1, 'hi')]).pipe(verifyEvents());

    expect([hear(run$).completed, hear(run$).completed]).toEqual([true, true]);
  });

  it('leaves the source at the first clash, a synchronous one too', () => {
    let said = 0;
    const endless$ = from((function* (): Generator<LoopEvent> {
      for (;;) {
        said += 1;
        yield start();
      }
    })());

    expect(hear(endless$).events).toHaveLength(1);
    expect(said).toBe(2);
  });

  /** Name, the events, the pair that clashes; the last event (or the completion) is the one refused. */
  it.each<[string, LoopEvent[], string, string]>([
    ['no run-start', [step(0)], 'nothing', '0 step-start'],
    ['a second run-start', [start(), start()], 'run-start', 'run-start'],
    ['a delta outside an attempt', [start(), text(0, 'hi')], 'run-start', '0 delta text'],
    ['a retry outside an attempt', [start(), retry(0, 1)], 'run-start', '0 retry'],
    ['a step that is skipped', [start(), step(1)], 'run-start', '1 step-start'],
    ['a step that is repeated', [...answers, end(0), step(0)], '0 step-end', '0 step-start'],
    ['a first attempt that is not 1', [start(), step(0, 2)], 'run-start', '0 step-start'],
    ['a step inside a step', [start(), step(0), step(1)], '0 step-start', '1 step-start'],
    ['a retry after something was shown', [start(), step(0), text(0, 'hi'), retry(0, 1)], '0 delta text', '0 retry'],
    ['a retry after a finish', [start(), step(0), finish(0), retry(0, 1)], '0 delta finish', '0 retry'],
    ['a retry that skips a count', [start(), step(0), retry(0, 1), retry(0, 3)], '0 retry', '0 retry'],
    ['a retry over its max', [start(), step(0), retry(0, 1, 1), retry(0, 2, 1)], '0 retry', '0 retry'],
    ['a delta of another step', [start(), step(0), text(1, 'hi')], '0 step-start', '1 delta text'],
    ['a block of two steps', [...called('c'), ...runs('c'), step(1), text(1, 'hi', 'x'), text(1, 'hi', 'x'), finish(1), end(1), steering('more'), step(2), text(2, 'hi', 'x')], '2 step-start', '2 delta text'],
    ['a delta after the finish', [...answers, text(0, 'more')], '0 delta finish', '0 delta text'],
    ['two finishes', [...answers, finish(0)], '0 delta finish', '0 delta finish'],
    ['two calls of one index', [start(), step(0), opens(0, 0, 'c'), opens(0, 0, 'd')], '0 delta tool-call-start c', '0 delta tool-call-start d'],
    ['two calls of one id', [start(), step(0), opens(0, 0, 'c'), opens(0, 1, 'c')], '0 delta tool-call-start c', '0 delta tool-call-start c'],
    ['a call id of an earlier step', [...called('c'), ...runs('c'), step(1), opens(1, 0, 'c')], '1 step-start', '1 delta tool-call-start c'],
    ['a call without an id', [start(), step(0), opens(0, 0, '')], '0 step-start', '0 delta tool-call-start '],
    ['arguments before their start', [start(), step(0), pieces(0, 0)], '0 step-start', '0 delta tool-call-arguments'],
    ['arguments after their end', [start(), step(0), opens(0, 0, 'c'), ends(0, 0, 'c'), pieces(0, 0)], '0 delta tool-call-end c', '0 delta tool-call-arguments'],
    ['an end before its start', [start(), step(0), ends(0, 0, 'c')], '0 step-start', '0 delta tool-call-end c'],
    ['an end under another id', [start(), step(0), opens(0, 0, 'c'), ends(0, 0, 'd')], '0 delta tool-call-start c', '0 delta tool-call-end d'],
    ['a step-end without its step', [start(), end(0)], 'run-start', '0 step-end'],
    ['a step-end of another step', [start(), step(0), finish(0), end(1)], '0 step-start', '1 step-end'],
    ['a step-end of another attempt', [start(), step(0), finish(0), end(0, { attempt: 2 })], '0 step-start', '0 step-end'],
    ['a success without its finish', [start(), step(0), text(0, 'hi'), end(0)], '0 delta text', '0 step-end'],
    ['a step-end that counts wrong', [...answers, end(0, { toolCalls: 1 })], '0 delta finish', '0 step-end'],
    ['two step-ends', [...answers, end(0), end(0)], '0 step-end', '0 step-end'],
  ])('refuses %s', refuses);

  it.each<[string, LoopEvent[], string, string]>([
    ['a tool before the step has ended', [start(), step(0), tool('tool-call', 0, 'c')], '0 step-start', '0 tool-call c'],
    ['a tool before any step', [start(), tool('tool-start', 0, 'c')], 'run-start', '0 tool-start c'],
    ['a tool of a step without calls', [...answers, end(0), tool('tool-call', 0, 'c')], '0 step-end', '0 tool-call c'],
    ['a tool of another step', [...asks('c'), tool('tool-call', 1, 'c')], '0 step-end', '1 tool-call c'],
    ['tool-calls out of order', [...asks('c', 'd'), tool('tool-call', 0, 'd')], '0 step-end', '0 tool-call d'],
    ['a tool-start before all tool-calls', [...asks('c', 'd'), tool('tool-call', 0, 'c'), tool('tool-start', 0, 'c')], '0 tool-call c', '0 tool-start c'],
    ['a tool-call after the batch has begun', [...called('c'), tool('tool-start', 0, 'c'), tool('tool-call', 0, 'c')], '0 tool-start c', '0 tool-call c'],
    ['an event of a call that nobody made', [...called('c'), tool('tool-start', 0, 'x')], '0 tool-call c', '0 tool-start x'],
    ['a call that starts twice', [...called('c'), tool('tool-start', 0, 'c'), tool('tool-start', 0, 'c')], '0 tool-start c', '0 tool-start c'],
    ['progress before its start', [...called('c'), progress(0, 'c')], '0 tool-call c', '0 tool-progress c'],
    ['a commit without its start', [...called('c'), tool('tool-commit', 0, 'c')], '0 tool-call c', '0 tool-commit c'],
    ['a start without its commit', [...called('c'), tool('tool-start', 0, 'c'), result(0, 'c')], '0 tool-start c', '0 tool-result c'],
    ['progress between a commit and its result', [...called('c'), ...runs('c').slice(0, 3), progress(0, 'c')], '0 tool-commit c', '0 tool-progress c'],
    ['another result between a commit and its own', [...called('c', 'd'), ...runs('c').slice(0, 3), result(0, 'd')], '0 tool-commit c', '0 tool-result d'],
    ['results out of call order', [...called('c', 'd'), tool('tool-start', 0, 'c'), result(0, 'd')], '0 tool-start c', '0 tool-result d'],
    ['two results of one call', [...called('c'), ...runs('c'), result(0, 'c')], '0 tool-result c', '0 tool-result c'],
    ['a start after its result', [...called('c', 'd'), result(0, 'c'), tool('tool-start', 0, 'c')], '0 tool-result c', '0 tool-start c'],
    ['a next step before the calls', [...asks('c'), step(1)], '0 step-end', '1 step-start'],
    ['a next step before the results', [...called('c'), tool('tool-start', 0, 'c'), step(1)], '0 tool-start c', '1 step-start'],
    ['a next step between a commit and its result', [...called('c'), ...runs('c').slice(0, 3), step(1)], '0 tool-commit c', '1 step-start'],
    ['done before the results', [...called('c'), done(1)], '0 tool-call c', 'done'],
    ['done inside a step', [...answers, done(0, 'hi')], '0 step-start', 'done'],
    ['two dones', [...answers, end(0), done(1, 'hi'), done(1, 'hi')], 'done', 'done'],
    ['anything after done', [...answers, end(0), done(1, 'hi'), { type: 'status', runId: 'run1' } as unknown as LoopEvent], 'done', 'status'],
    ['done that forgets a step', [...answers, end(0), done(0, 'hi')], '0 step-end', 'done'],
    ['done whose steps are out of place', [...answers, end(0), done(1, 'hi', { steps: [record(1)] })], '0 step-end', 'done'],
    ['done that says something else', [...answers, end(0), done(1, 'ho')], '0 step-end', 'done'],
    ['a completion without done', [...answers, end(0)], '0 step-end', 'complete'],
    ['a completion without a run', [], 'nothing', 'complete'],
  ])('refuses %s', refuses);

  it('names the run, the two events and the rule', () => {
    expect(hear(of(start(), step(0), step(1))).error).toMatchObject({
      name: 'VerifyEventsError',
      code: 'verify-events',
      message: 'Run run1: "1 step-start" cannot follow "0 step-start": a step ends with its step-end before the next begins.',
      clash: { runId: 'run1', before: '0 step-start', after: '1 step-start' },
    });
  });

  it('refuses a result or a call that says another id', () => {
    const other = { ...result(0, 'c'), result: { callId: 'd', name: 'add', content: [], isError: true } } as LoopEvent;
    const mine = { ...tool('tool-call', 0, 'c'), call: { id: 'd', name: 'add', arguments: {} } } as LoopEvent;

    expect(hear(from([...called('c'), other])).error).toMatchObject({ clash: { after: '0 tool-result c', rule: 'its result is of "d"' } });
    expect(hear(from([...asks('c'), mine])).error).toMatchObject({ clash: { after: '0 tool-call c', rule: 'its call has the id "d"' } });
  });

  it('passes deltas to come', () => {
    const unknown = delta(0, { type: 'source', url: 'x' } as unknown as Delta);

    expect(hear(from([start(), step(0), unknown, finish(0), end(0), done(1)])).completed).toBe(true);
  });
});

function refuses(_name: string, events: LoopEvent[], before: string, after: string): void {
  const heard = hear(from(events));

  expect(heard.error).toMatchObject({ code: 'verify-events', clash: { before, after } });
  expect(heard.events).toHaveLength(after === 'complete' ? events.length : events.length - 1);
}
