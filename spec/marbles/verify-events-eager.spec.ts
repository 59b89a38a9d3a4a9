import { describe, it } from '@jest/globals';
import type { LoopEvent } from '../../lib/index.ts';
import { dropped, eager, end, progress, record, result, retract, retractWhole, start, step, tool } from '../support/events.ts';
import { answers, called, finish, passes, refuses, said, text, wanted } from '../support/grammar-cases.ts';
import type { Passing, Refused } from '../support/grammar-cases.ts';

// Tools that start while the model speaks, what becomes of them with their attempt, and calls that nobody was shown.

const opened = [start(), step(0), ...called(0, 0, 'c')];
const begun = [...opened, eager(0, 'c')];
const ends = [finish(0, 'tool-use'), end(0, { finish: 'tool-use', toolCalls: 1 }), tool('tool-call', 0, 'c')];
const commit = [tool('tool-commit', 0, 'c'), result(0, 'c')];
const then = [...answers(1), said('answer', [wanted(0, 1), record(1)], 'yes')];
const withdrawn = [...begun, retract(0, 1, [], ['c'])];
const again = [step(0, 2), text(0, 'yes', 'b'), finish(0), end(0, { attempt: 2 })];
const answered = said('answer', [record(0, { attempts: 2 })], 'yes');
/** A step of which these calls were shown, and which counts so many. */
const counts = (toolCalls: number, ...shown: string[]): LoopEvent[] => [
  start(), step(0), ...shown.flatMap((id, index) => called(0, index, id)), finish(0, 'tool-use'), end(0, { finish: 'tool-use', toolCalls }),
];
const call = (id: string): LoopEvent => tool('tool-call', 0, id);
const whole = [start(), step(0), text(0, 'no', 'a'), retractWhole(0, 1, ['a'])];

describe('verifyEvents, of tools that start early,', () => {
  it.each<Passing>([
    ['a start and progress in the attempt, the result in the batch', [...begun, progress(0, 'c'), text(0, 'x'), ...ends, ...commit, ...answers(1), said('answer', [wanted(0, 1), record(1)], 'yes')]],
    ['progress in the batch too', [...begun, ...ends, progress(0, 'c'), ...commit, ...then]],
    ['progress before its call is announced', [...begun, ...ends.slice(0, -1), progress(0, 'c'), ...ends.slice(-1), ...commit, ...then]],
    ['a start after the finish', [...opened, finish(0, 'tool-use'), eager(0, 'c'), ...ends.slice(1), ...commit, ...then]],
    ['one beside others that wait for their batch', [
      ...begun, ...called(0, 1, 'd'), finish(0, 'tool-use'), end(0, { finish: 'tool-use', toolCalls: 2 }), call('c'), call('d'),
      tool('tool-start', 0, 'd'), ...commit, tool('tool-commit', 0, 'd'), result(0, 'd'), ...answers(1), said('answer', [wanted(0, 2), record(1)], 'yes')]],
    ['one of a step that was aborted, with its result', [
      ...begun, end(0, { finish: 'aborted', toolCalls: 1 }), call('c'), ...commit, said('aborted', [record(0, { finish: 'aborted', toolCalls: 1 })])]],
    ['one that is dropped right before its attempt is withdrawn', [...begun, dropped(0, 'c', 'retracted'), retract(0, 1, [], ['c']), ...again, answered]],
    ['one that is dropped right after its attempt was withdrawn', [...withdrawn, dropped(0, 'c', 'retracted'), ...again, answered]],
    ['two, dropped before and after', [
      ...begun, ...called(0, 1, 'd'), eager(0, 'd'), dropped(0, 'd', 'retracted'), retract(0, 1, [], ['c', 'd']), dropped(0, 'c', 'retracted'), ...again, answered]],
    ['one that is dropped, and a budget that ends the run', [...withdrawn, dropped(0, 'c', 'retracted'), said('max-tokens', [])]],
    ['one that a crash has cut with its attempt', [...begun, dropped(0, 'c', 'restarted'), retract(0, 1, [], ['c']), ...again, answered]],
    ['one that starts again in the next attempt under another id', [
      ...withdrawn, dropped(0, 'c', 'retracted'), step(0, 2), ...called(0, 0, 'd'), eager(0, 'd'), finish(0, 'tool-use'),
      end(0, { attempt: 2, finish: 'tool-use', toolCalls: 1 }), call('d'), tool('tool-commit', 0, 'd'), result(0, 'd'), ...answers(1),
      said('answer', [record(0, { attempts: 2, finish: 'tool-use', toolCalls: 1 }), record(1)], 'yes')]],
  ])('passes %s', passes);

  it.each<Refused>([
    ['a start before its tool-call-end', [...opened.slice(0, -1), eager(0, 'c')], '0 delta tool-call-start c', '0 tool-start c', 'when its tool-call-end has been shown'],
    ['a start of a call that was not shown', [...opened, eager(0, 'd')], '0 delta tool-call-end c', '0 tool-start d', 'when its tool-call-end has been shown'],
    ['a start that is not eager', [...opened, tool('tool-start', 0, 'c')], '0 delta tool-call-end c', '0 tool-start c', 'but for eager ones'],
    ['progress without a start', [...opened, progress(0, 'c')], '0 delta tool-call-end c', '0 tool-progress c', 'but for eager ones'],
    ['two starts in the attempt', [...begun, eager(0, 'c')], '0 tool-start c', '0 tool-start c', 'a call starts once'],
    ['a second start in the batch', [...begun, ...ends, tool('tool-start', 0, 'c')], '0 tool-start c', '0 tool-start c', 'a call starts once'],
    ['an eager start in the batch', [...opened, ...ends, eager(0, 'c')], '0 step-end', '0 tool-start c', 'while the model speaks'],
    ['progress of another call before all are announced', [
      ...begun, ...called(0, 1, 'd'), finish(0, 'tool-use'), end(0, { finish: 'tool-use', toolCalls: 2 }), progress(0, 'd')], '0 step-end', '0 tool-progress d', 'comes first'],
    ['a start of another step', [...opened, eager(1, 'c')], '0 step-start', '1 tool-start c', 'the step that is open is 0'],
    ['a commit in the attempt', [...begun, tool('tool-commit', 0, 'c')], '0 tool-start c', '0 tool-commit c', 'a step ends before its tools begin'],
    ['a result in the attempt', [...begun, result(0, 'c')], '0 tool-start c', '0 tool-result c', 'a step ends before its tools begin'],
    ['a result without its commit', [...begun, ...ends, result(0, 'c')], '0 tool-start c', '0 tool-result c', 'committed right before its result'],
    ['one that nobody drops', [...withdrawn, step(0, 2)], '0 step-retract', '0 step-start', 'the call of "0 tool-start c" is dropped together'],
    ['one that nobody drops before the ending', [...withdrawn, said('max-steps', [])], '0 step-retract', 'done', 'dropped together'],
    ['one that is dropped twice', [...withdrawn, dropped(0, 'c', 'retracted'), dropped(0, 'c', 'retracted')], '0 tool-dropped c', '0 tool-dropped c', 'dropped once'],
    ['a step-end after its call was dropped', [...begun, dropped(0, 'c', 'retracted'), ...ends.slice(0, 1)], '0 tool-dropped c', '0 delta finish', 'is withdrawn'],
    ['progress after its call was dropped', [...begun, dropped(0, 'c', 'retracted'), progress(0, 'c')], '0 tool-dropped c', '0 tool-progress c', 'is withdrawn'],
    ['a drop of a call whose attempt stands', [...begun, ...ends, dropped(0, 'c', 'retracted')], '0 tool-start c', '0 tool-dropped c', 'no attempt was withdrawn'],
    ['a drop of a call that never started', [...opened, dropped(0, 'c', 'retracted')], '0 delta tool-call-end c', '0 tool-dropped c', 'never started is not dropped'],
    ['a late call that does not say how it settled', [...begun, ...ends, ...commit, { ...dropped(0, 'c', 'restarted'), reason: 'late' } as LoopEvent], '0 tool-result c', '0 tool-dropped c', 'says how it settled'],
    ['a call that starts again after its result', [...begun, ...ends, ...commit, dropped(0, 'c', 'restarted')], '0 tool-result c', '0 tool-dropped c', 'does not start again'],
  ])('refuses %s', refuses);
});

describe('verifyEvents, of what was not shown,', () => {
  it.each<Passing>([
    ['a call that was rejected at its name', [...counts(1), call('x'), result(0, 'x', true), ...then]],
    ['calls before, between and after the shown ones', [
      ...counts(5, 'c', 'd'), call('x'), call('c'), call('y'), call('d'), call('z'), ...['x', 'c', 'y', 'd', 'z'].map((id) => result(0, id, true)),
      ...answers(1), said('answer', [wanted(0, 5), record(1)], 'yes')]],
    ['a shown call that runs beside one that was rejected', [...counts(2, 'c'), call('x'), call('c'), result(0, 'x', true), tool('tool-start', 0, 'c'), ...commit, ...answers(1), said('answer', [wanted(0, 2), record(1)], 'yes')]],
    ['a stop at the name of a call', [start(), step(0), end(0, { finish: 'aborted', toolCalls: 1 }), call('x'), result(0, 'x', true), said('stopped', [record(0, { finish: 'aborted', toolCalls: 1 })])]],
    ['a whole step that a hook withdrew', [...whole, step(0, 2), ...again.slice(1), answered]],
    ['a whole step that a hook withdrew, and no budget lets be followed', [...whole, said('max-steps', [])]],
  ])('passes %s', passes);

  it.each<Refused>([
    ['a call too many', [...counts(1, 'c'), call('x')], '0 step-end', '0 tool-call x', 'the next call of the step is "c"'],
    ['a call more than the step has counted', [...counts(2, 'c'), call('c'), call('x'), call('y')], '0 step-end', '0 tool-call y', 'the step had 2 complete calls'],
    ['a batch that begins before all are told', [...counts(2, 'c'), call('c'), tool('tool-start', 0, 'c')], '0 tool-call c', '0 tool-start c', 'all 2 tool-calls of the batch come first'],
    ['a rejected call that runs', [...counts(1), call('x'), tool('tool-start', 0, 'x')], '0 tool-call x', '0 tool-start x', 'rejected at its name does not run'],
    ['a rejected call under an id that is taken', [...counts(1), call('x'), result(0, 'x', true), step(1), finish(1, 'tool-use'), end(1, { finish: 'tool-use', toolCalls: 1 }), tool('tool-call', 1, 'x')], '1 step-end', '1 tool-call x', '"x" is taken in this run'],
    ['shown calls out of order', [...counts(3, 'c', 'd'), call('d')], '0 step-end', '0 tool-call d', 'the next call of the step is "c"'],
    ['results in another order than the calls', [...counts(2, 'c'), call('x'), call('c'), result(0, 'c', true)], '0 tool-call x', '0 tool-result c', 'call order'],
    ['more calls of a step that answered', [start(), step(0), finish(0), end(0, { toolCalls: 1 })], '0 delta finish', '0 step-end', 'it counts 1 calls and 0 were complete'],
    ['fewer calls than were shown', [start(), step(0), ...called(0, 0, 'c'), ...called(0, 1, 'd'), finish(0, 'tool-use'), end(0, { finish: 'tool-use', toolCalls: 1 })], '0 delta finish', '0 step-end', 'it counts 1 calls and 2 were complete'],
    ['a whole step with calls that is withdrawn', [...opened, retractWhole(0, 1, [], ['c'])], '0 delta tool-call-end c', '0 step-retract', 'a whole step that asks for tools is not withdrawn'],
    ['an output of a step that was withdrawn', [...whole, said('output', [])], '0 step-retract', 'done', 'no output without a step'],
  ])('refuses %s', refuses);
});
