import { describe, expect, it } from '@jest/globals';
import { from } from 'rxjs';
import type { Delta, FinishReason, LoopEvent, Reason, StepRecord } from '../../lib/index.ts';
import { verifyEvents } from '../../marbles/index.ts';
import { correction, delta, done, dropped, end, fallback, record, result, retract, retry, start, steering, step, tool } from '../support/events.ts';

// The grammar of what goes wrong: attempts, corrections, late calls, and the endings of a budget or a stop.

const text = (number: number, words: string, block: string): LoopEvent => delta(number, { type: 'text', block, text: words });
const finish = (number: number, reason: FinishReason = 'stop'): LoopEvent => delta(number, { type: 'finish', reason });
const opens = (number: number, index: number, id: string): LoopEvent => delta(number, { type: 'tool-call-start', index, id, name: 'add' });
const asks = (number: number, index: number, id: string): LoopEvent[] => [
  opens(number, index, id),
  delta(number, { type: 'tool-call-end', index, call: { id, name: 'add', arguments: {} } }),
];
const opaque = (block: string): LoopEvent => delta(0, { type: 'opaque', block, data: 1 });
const said = (reason: Reason, steps: readonly StepRecord[], words = ''): LoopEvent => done(steps, words, { reason });

const again = (number: number): StepRecord => record(number, { attempts: 2 });
const broke = (number: number): StepRecord => record(number, { finish: 'error' });
/** A first attempt that showed a text and half a call. */
const shown = [start(), step(0), text(0, 'no', 'a'), opens(0, 0, 'c')];
const withdrawn = [...shown, retract(0, 1, ['a'], ['c'])];
const secondAttempt = [step(0, 2), text(0, 'yes', 'b'), finish(0), end(0, { attempt: 2 })];
/** A step that broke and was closed. */
const broken = [start(), step(0), text(0, 'hm', 'a'), ...asks(0, 0, 'c'), end(0, { finish: 'error', toolCalls: 1 }), tool('tool-call', 0, 'c'), result(0, 'c', true)];
const brokenOne = record(0, { finish: 'error', toolCalls: 1 });
const answers = (number: number): LoopEvent[] => [step(number), text(number, 'yes', `t${number}`), finish(number), end(number)];
/** A step with one call, up to its tool-calls. */
const wants = (...ids: string[]): LoopEvent[] => [
  start(), step(0), ...ids.flatMap((id, index) => asks(0, index, id)), finish(0, 'tool-use'), end(0, { finish: 'tool-use', toolCalls: ids.length }),
  ...ids.map((id) => tool('tool-call', 0, id)),
];
const wanted = (count: number): StepRecord => record(0, { finish: 'tool-use', toolCalls: count });
const ran = (id: string): LoopEvent[] => [tool('tool-start', 0, id), tool('tool-commit', 0, id), result(0, id, true)];
const ends = (reason: FinishReason): LoopEvent[] => [start(), step(0), text(0, 'hi', 'a'), finish(0, reason), end(0, { finish: reason })];
const aborted = [start(), step(0), text(0, 'hi', 'a'), end(0, { finish: 'aborted' })];
const abortedOne = record(0, { finish: 'aborted' });
const reserved = [start(), step(0), text(0, 'hi', 'a'), ...asks(0, 0, 'c'), finish(0, 'tool-use'), end(0, { finish: 'tool-use' })];
const reservedOne = record(0, { finish: 'tool-use' });

function hear(events: readonly LoopEvent[]): { events: LoopEvent[]; error?: unknown } {
  const heard: { events: LoopEvent[]; error?: unknown } = { events: [] };
  from(events).pipe(verifyEvents()).subscribe({ next: (event) => heard.events.push(event), error: (error: unknown) => (heard.error = error) });
  return heard;
}

describe('verifyEvents', () => {
  it.each<[string, LoopEvent[]]>([
    ['a second attempt, of which alone the text and the calls count', [...withdrawn, ...secondAttempt, said('answer', [again(0)], 'yes')]],
    ['a third attempt', [
      ...withdrawn, step(0, 2), text(0, 'no', 'b'), retract(0, 2, ['b']), step(0, 3), text(0, 'yes', 'c'), finish(0), end(0, { attempt: 3 }),
      said('answer', [record(0, { attempts: 3 })], 'yes'),
    ]],
    ['an attempt that is withdrawn with nothing shown', [start(), step(0), retract(0, 1), ...secondAttempt, said('answer', [again(0)], 'yes')]],
    ['a withdrawal that names the blocks in another order, and an unseen one or not', [
      start(), step(0), opaque('o'), text(0, 'x', 'a'), text(0, 'y', 'b'), retract(0, 1, ['b', 'o', 'a']),
      step(0, 2), opaque('p'), text(0, 'x', 'q'), retract(0, 2, ['q']), step(0, 3), finish(0), end(0, { attempt: 3 }), said('answer', [record(0, { attempts: 3 })]),
    ]],
    ['a wait before the second attempt shows anything', [...withdrawn, step(0, 2), retry(0, 1, 3, 2), ...secondAttempt.slice(1), said('answer', [again(0)], 'yes')]],
    ['retries that count anew for the next model', [
      start(), step(0), retry(0, 1), retry(0, 2), fallback(0, 'm', 'n'), retry(0, 1), fallback(0, 'n', 'o'), ...answers(0).slice(1), said('answer', [record(0)], 'yes'),
    ]],
    ['a next model for the second attempt', [...withdrawn, step(0, 2), fallback(0, 'm', 'n'), ...secondAttempt.slice(1), said('answer', [again(0)], 'yes')]],
    ['a withdrawn attempt that no budget lets be followed', [...withdrawn, said('max-steps', [])]],
    ['a correction after the results of a broken step', [...broken, correction(0), ...answers(1), said('answer', [brokenOne, record(1)], 'yes')]],
    ['a correction of a step that said nothing', [start(), step(0), end(0, { finish: 'error' }), correction(0), ...answers(1), said('answer', [broke(0), record(1)], 'yes')]],
    ['corrections in a row', [
      ...broken, correction(0, 1), step(1), end(1, { finish: 'error' }), correction(1, 2), ...answers(2), said('answer', [brokenOne, broke(1), record(2)], 'yes'),
    ]],
    ['corrections that count anew after a clean step', [
      ...broken, correction(0, 1), ...answers(1), steering('more'), step(2), end(2, { finish: 'error' }), correction(2, 1), ...answers(3),
      said('answer', [brokenOne, record(1), broke(2), record(3)], 'yes'),
    ]],
    ['a budget that ends the run after a correction', [...broken, correction(0), said('context-full', [brokenOne], 'hm')]],
    ['steering before the first step, between steps and after an answer', [
      start(), steering('first'), ...wants('c').slice(1), ...ran('c'), steering('second', 'third'), ...answers(1), steering('fourth'), ...answers(2),
      said('answer', [wanted(1), record(1), record(2)], 'yes'),
    ]],
    ['calls that overlap, and results in call order', [
      ...wants('c', 'd'), tool('tool-start', 0, 'c'), tool('tool-start', 0, 'd'), tool('tool-commit', 0, 'c'), result(0, 'c'),
      tool('tool-commit', 0, 'd'), result(0, 'd'), ...answers(1), said('answer', [wanted(2), record(1)], 'yes'),
    ]],
    ['a late call at any later time', [
      ...wants('c', 'd'), ...ran('c'), dropped(0, 'c'), ...ran('d'), step(1), text(1, 'yes', 'x'), dropped(0, 'd'), finish(1), end(1), said('answer', [wanted(2), record(1)], 'yes'),
    ]],
    ['a stop while the model speaks', [...aborted, said('aborted', [abortedOne], 'hi')]],
    ['a stop whose calls are closed', [
      start(), step(0), ...asks(0, 0, 'c'), end(0, { finish: 'aborted', toolCalls: 1 }), tool('tool-call', 0, 'c'), result(0, 'c', true),
      said('max-duration', [record(0, { finish: 'aborted', toolCalls: 1 })]),
    ]],
    ['a stop before any step, between steps, and in the very moment of the finish', [
      ...wants('c'), ...ran('c'), step(1), text(1, 'hi', 'b'), finish(1), end(1, { finish: 'aborted' }), said('aborted', [wanted(1), record(1, { finish: 'aborted' })], 'hi'),
    ]],
    ['a run that was stopped at once', [start(), said('aborted', [])]],
    ['a budget of tokens or money that closes the calls', [...wants('c'), result(0, 'c', true), said('max-tokens', [wanted(1)])]],
    ['calls that a reserved last step ignores', [...reserved, said('max-steps', [reservedOne], 'hi')]],
    ['an answer of a reserved last step', [...ends('stop'), said('max-steps', [record(0)], 'hi')]],
    ['a step that was cut', [...ends('length'), said('length', [record(0, { finish: 'length' })], 'hi')]],
    ['a turn that pauses', [...ends('pause'), ...answers(1), said('answer', [record(0, { finish: 'pause' }), record(1)], 'yes')]],
    ['a reason to come', [start(), said('tomorrow' as Reason, [])]],
  ])('passes %s', (_name, events) => {
    expect(hear(events)).toEqual({ events });
  });

  /** Name, the events, the pair that clashes, and the rule; the last event is the one refused. */
  it.each<[string, LoopEvent[], string, string, string]>([
    ['a fallback outside an attempt', [start(), fallback(0, 'm', 'n')], 'run-start', '0 fallback', 'belongs into an attempt'],
    ['a fallback of another step', [start(), step(0), fallback(1, 'm', 'n')], '0 step-start', '1 fallback', 'the step that is open is 0'],
    ['a fallback after something was shown', [...shown, fallback(0, 'm', 'n')], '0 delta text', '0 fallback', 'is not repeated'],
    ['a fallback after a finish', [start(), step(0), finish(0), fallback(0, 'm', 'n')], '0 delta finish', '0 fallback', 'an exchange that succeeded'],
    ['a fallback from a model that does not serve', [start(), step(0), fallback(0, 'm', 'n'), fallback(0, 'm', 'o')], '0 fallback', '0 fallback', 'the model that serves is "n"'],
    ['retries that count on after a fallback', [start(), step(0), retry(0, 1), fallback(0, 'm', 'n'), retry(0, 2)], '0 fallback', '0 retry', 'this one is 1'],
    ['a retry of another attempt', [...withdrawn, step(0, 2), retry(0, 1)], '0 step-start', '0 retry', 'the attempt that is open is 2'],
    ['retries that count on in the next attempt', [start(), step(0), retry(0, 1), retract(0, 1), step(0, 2), retry(0, 2, 3, 2)], '0 step-start', '0 retry', 'this one is 1'],

    ['a withdrawal without an attempt', [start(), retract(0, 1)], 'run-start', '0 step-retract', 'needs the step-start'],
    ['a withdrawal after the step-end', [...ends('stop'), retract(0, 1, ['a'])], '0 step-end', '0 step-retract', 'needs the step-start'],
    ['a withdrawal of another step', [start(), step(0), retract(1, 1)], '0 step-start', '1 step-retract', 'the step that is open is 0'],
    ['a withdrawal of another attempt', [start(), step(0), retract(0, 2)], '0 step-start', '0 step-retract', 'the attempt that is open is 1'],
    ['a withdrawal after its finish was shown', [start(), step(0), finish(0), retract(0, 1)], '0 delta finish', '0 step-retract', 'only where the attempt stands'],
    ['a withdrawal that forgets a block', [...shown, retract(0, 1, [], ['c'])], '0 delta tool-call-start c', '0 step-retract', 'had shown the block "a"'],
    ['a withdrawal that forgets a call', [...shown, retract(0, 1, ['a'])], '0 delta tool-call-start c', '0 step-retract', 'had shown the call "c"'],
    ['a withdrawal of a block that was not shown', [...shown, retract(0, 1, ['a', 'b'], ['c'])], '0 delta tool-call-start c', '0 step-retract', 'had shown no block "b"'],
    ['a withdrawal of a call that was not shown', [...shown, retract(0, 1, ['a'], ['c', 'd'])], '0 delta tool-call-start c', '0 step-retract', 'had shown no call "d"'],
    ['a withdrawal that names a block twice', [...shown, retract(0, 1, ['a', 'a'], ['c'])], '0 delta tool-call-start c', '0 step-retract', 'names a block twice'],
    ['a withdrawal that names what an earlier attempt had shown', [...withdrawn, step(0, 2), retract(0, 2, ['a'])], '0 step-start', '0 step-retract', 'had shown no block "a"'],
    ['an attempt that is skipped', [...withdrawn, step(0, 3)], '0 step-retract', '0 step-start', 'attempts count 1, 2, 3 and this one is 2'],
    ['an attempt that starts over', [...withdrawn, step(0, 1)], '0 step-retract', '0 step-start', 'this one is 2'],
    ['a next step in place of the next attempt', [...withdrawn, step(1)], '0 step-retract', '1 step-start', 'this one is 0'],
    ['a block of a withdrawn attempt', [...withdrawn, step(0, 2), text(0, 'x', 'a')], '0 step-start', '0 delta text', 'block "a" belongs to step 0, attempt 1'],
    ['a call of a withdrawn attempt', [...withdrawn, step(0, 2), opens(0, 0, 'c')], '0 step-start', '0 delta tool-call-start c', 'callId "c" is taken'],
    ['arguments of a call that was withdrawn', [...withdrawn, step(0, 2), delta(0, { type: 'tool-call-arguments', index: 0, chunk: '' })], '0 step-start', '0 delta tool-call-arguments', 'has started in this attempt'],
    ['a source that cites a block of a withdrawn attempt', [...withdrawn, step(0, 2), delta(0, { type: 'source', block: 'a' } satisfies Delta)], '0 step-start', '0 delta source', 'block "a" belongs'],
    ['done that counts what was withdrawn', [...withdrawn, ...secondAttempt, said('answer', [again(0)], 'noyes')], '0 step-end', 'done', "step's deltas said \"yes\""],
    ['done that forgets an attempt', [...withdrawn, ...secondAttempt, said('answer', [record(0)], 'yes')], '0 step-end', 'done', 'outcome.steps[0] is not what its step-end said'],
    ['an answer in place of the next attempt', [...withdrawn, said('answer', [])], '0 step-retract', 'done', 'no answer without a step'],
    ['a tool between two attempts', [...withdrawn, tool('tool-call', 0, 'c')], '0 step-retract', '0 tool-call c', 'a step that has ended'],
    ['steering between two attempts', [...withdrawn, steering('hi')], '0 step-retract', 'steering', 'not between attempts'],
  ])('refuses %s', refuses);

  it.each<[string, LoopEvent[], string, string, string]>([
    ['a step that broke after all', [start(), step(0), finish(0), end(0, { finish: 'error' })], '0 delta finish', '0 step-end', 'did not break'],
    ['a broken step that is not corrected', [...broken, step(1)], '0 tool-result c', '1 step-start', 'followed by its correction'],
    ['done after a broken step', [...broken, said('aborted', [brokenOne], 'hm')], '0 tool-result c', 'done', 'followed by its correction'],
    ['steering before the correction', [...broken, steering('hi')], '0 tool-result c', 'steering', 'followed by its correction'],
    ['a call of a broken step that runs', [...broken.slice(0, -1), tool('tool-start', 0, 'c')], '0 step-end', '0 tool-start c', 'no call of a step that ended with "error" runs'],
    ['a correction before the results', [...broken.slice(0, -1), correction(0)], '0 tool-call c', '0 correction', 'every call has its tool-result'],
    ['a correction before any step', [start(), correction(0)], 'run-start', '0 correction', 'follows the step that it corrects'],
    ['a correction inside a step', [start(), step(0), correction(0)], '0 step-start', '0 correction', 'stands between steps'],
    ['a correction of another step', [...broken, correction(1)], '0 tool-result c', '1 correction', 'the step before it is 0'],
    ['a correction of a step that did not break', [...ends('stop'), correction(0)], '0 step-end', '0 correction', 'did not break'],
    ['two corrections of one step', [...broken, correction(0), correction(0, 2)], '0 correction', '0 correction', 'at once, and once'],
    ['a correction that skips a count', [...broken, correction(0, 2)], '0 tool-result c', '0 correction', 'this one is 1'],
    ['a correction over its max', [...broken, correction(0, 1, { max: 0 })], '0 tool-result c', '0 correction', 'over its own max of 0'],
    ['a correction of an aborted step', [...aborted, correction(0)], '0 step-end', '0 correction', 'nothing follows the last step'],
    ['an answer right after a correction', [...broken, correction(0), said('answer', [brokenOne], 'hm')], '0 correction', 'done', 'the last word'],

    ['steering inside a step', [start(), step(0), steering('hi')], '0 step-start', 'steering', 'stands between steps'],
    ['steering before the results', [...wants('c'), steering('hi')], '0 tool-call c', 'steering', 'every call has its tool-result'],
    ['steering after an aborted step', [...aborted, steering('hi')], '0 step-end', 'steering', 'nothing follows an aborted step'],
    ['an answer that does not hear the user', [...ends('stop'), steering('hi'), said('answer', [record(0)], 'hi')], 'steering', 'done', 'the last word'],
    ['a step after an answer that nobody followed', [...ends('stop'), step(1)], '0 step-end', '1 step-start', 'unless somebody says more'],

    ['a late call that never started', [...wants('c'), result(0, 'c', true), dropped(0, 'c')], '0 tool-result c', '0 tool-dropped c', 'never started'],
    ['a late call that has not been answered', [...wants('c'), tool('tool-start', 0, 'c'), dropped(0, 'c')], '0 tool-start c', '0 tool-dropped c', 'answered without it'],
    ['a call that is late twice', [...wants('c'), ...ran('c'), dropped(0, 'c'), dropped(0, 'c')], '0 tool-dropped c', '0 tool-dropped c', 'dropped once'],
    ['a late call of another step', [...wants('c'), ...ran('c'), dropped(1, 'c')], '0 tool-start c', '1 tool-dropped c', 'the call is of step 0'],
    ['a late call after the ending', [...aborted, said('aborted', [abortedOne], 'hi'), dropped(0, 'c')], 'done', '0 tool-dropped c', 'nothing follows the ending'],
    ['a commit out of call order', [...wants('c', 'd'), tool('tool-start', 0, 'c'), tool('tool-start', 0, 'd'), tool('tool-commit', 0, 'd'), result(0, 'd')], '0 tool-start c', '0 tool-result d', 'call order'],
    ['an event of another call between a commit and its result', [
      ...wants('c', 'd'), tool('tool-start', 0, 'c'), tool('tool-commit', 0, 'c'), tool('tool-start', 0, 'd'),
    ], '0 tool-commit c', '0 tool-start d', 'followed by its own tool-result'],

    ['a step after an aborted one', [...aborted, step(1)], '0 step-end', '1 step-start', 'nothing follows an aborted step'],
    ['a step after a cut one', [...ends('length'), step(1)], '0 step-end', '1 step-start', 'ended with "length"'],
    ['a step after calls that were ignored', [...reserved, step(1)], '0 step-end', '1 step-start', 'calls are ignored'],
    ['a tool of a step whose calls are ignored', [...reserved, tool('tool-call', 0, 'c')], '0 step-end', '0 tool-call c', 'the step had 0 complete calls'],
    ['an answer after an aborted step', [...aborted, said('answer', [abortedOne], 'hi')], '0 step-end', 'done', 'is no answer'],
    ['a budget after an aborted step', [...aborted, said('max-steps', [abortedOne], 'hi')], '0 step-end', 'done', 'for which its step was aborted'],
    ['an answer that wants tools', [...wants('c'), ...ran('c'), said('answer', [wanted(1)])], '0 tool-result c', 'done', 'ended with "tool-use" is no answer'],
    ['a reason that no step reported', [...ends('stop'), said('length', [record(0)], 'hi')], '0 step-end', 'done', 'did not end with "length"'],
    ['a refusal that was a cut', [...ends('length'), said('refusal', [record(0, { finish: 'length' })], 'hi')], '0 step-end', 'done', 'did not end with "refusal"'],
    ['a budget of money whose calls ran', [...wants('c'), ...ran('c'), said('max-cost', [wanted(1)])], '0 tool-result c', 'done', 'do not run'],
    ['a budget of tokens after an answer', [...ends('stop'), said('max-tokens', [record(0)], 'hi')], '0 step-end', 'done', 'where a step asks for tools'],
  ])('refuses %s', refuses);
});

function refuses(_name: string, events: readonly LoopEvent[], before: string, after: string, rule: string): void {
  const heard = hear(events);

  expect(heard.error).toMatchObject({ code: 'verify-events', clash: { before, after, rule: expect.stringContaining(rule) } });
  expect(heard.events).toHaveLength(events.length - 1);
}
