import { describe, expect, it } from '@jest/globals';
import type { ApprovalAnswerEvent, LoopEvent } from '../../lib/index.ts';
import { ask, below, compaction, correction, done, dropped, end, progress, record, reply, result, resumed, retract, start, step, tool } from '../support/events.ts';
import { answers, finish, hear, passes, refuses, round, runs, said, text, wanted, wants } from '../support/grammar-cases.ts';
import type { Passing, Refused } from '../support/grammar-cases.ts';

// A run that goes on from a checkpoint: its beginning was said before, by a run that this grammar has not seen.

const input: ApprovalAnswerEvent['answer'] = { type: 'input', value: 1 };
const third = [...answers(3), said('answer', [0, 1, 2, 3].map((number) => record(number)), 'yes')];
const next = [step(0, 3), text(0, 'yes', 'b'), finish(0), end(0, { attempt: 3 }), said('answer', [record(0, { attempts: 3 })], 'yes')];

describe('verifyEvents, of a run that was resumed,', () => {
  it.each<Passing>([
    ['the answer to a request that was made before', [resumed(), reply(2, 'c'), ...runs(2, 'c'), ...third]],
    ['a call that was declined', [resumed(), reply(2, 'c', { type: 'decline' }), result(2, 'c', true), ...third]],
    ['a result that had settled before', [resumed(), reply(2, 'c'), tool('tool-start', 2, 'c'), tool('tool-commit', 2, 'c'), result(2, 'c'), tool('tool-commit', 2, 'd'), result(2, 'd'), ...third]],
    ['input for a tool', [resumed(), reply(2, 'c', input, 'input'), progress(2, 'c'), tool('tool-commit', 2, 'c'), result(2, 'c'), ...third]],
    ['a batch that had not been announced', [resumed(), tool('tool-call', 2, 'c'), tool('tool-call', 2, 'd'), ...runs(2, 'c'), ...runs(2, 'd'), ...third]],
    ['a call that had run early, before its batch was announced', [resumed(), tool('tool-call', 2, 'c'), tool('tool-commit', 2, 'c'), result(2, 'c'), ...third]],
    ['a run inside a run that has not spoken yet', [resumed(), below('x', reply(0, 'y'), 'run3', 'run2'), below('x', result(0, 'y', true), 'run3', 'run2'), below('c', result(0, 'x', true)), tool('tool-commit', 2, 'c'), result(2, 'c', true), ...third]],
    ['a request that comes only now', [resumed(), reply(2, 'c'), ask(2, 'd'), ...runs(2, 'c'), reply(2, 'd'), ...runs(2, 'd'), ...third]],
    ['a call that a crash has cut, and that runs again', [resumed(), dropped(2, 'c', 'restarted'), ...runs(2, 'c'), ...third]],
    ['an attempt that a crash has cut', [resumed(), retract(0, 2, ['a'], ['x']), ...next]],
    ['an attempt that a crash has cut with its eager call', [resumed(), dropped(0, 'x', 'restarted'), retract(0, 2, [], ['x']), ...next]],
    ['a later attempt', [resumed(), ...next]],
    ['a next step', [resumed(), compaction(), ...third]],
    ['corrections that count on', [resumed(), ...answers(0), correction(0, 2, { cause: 'output' }), ...answers(1), correction(1, 3, { cause: 'output' }), ...answers(2), done(3, 'yes')]],
    ['a correction of the batch that was open', [resumed(), result(2, 'c', true), correction(2, 2, { cause: 'hook' }), ...third]],
    ['nothing but the ending', [resumed(), said('aborted', [record(0)])]],
    ['another suspension at once', [resumed(), said('suspended', [wanted(0, 1)])]],
    ['another suspension after some answers', [resumed(), reply(2, 'c'), ...runs(2, 'c'), said('suspended', [record(0), record(1), wanted(2, 2)])]],
    ['a budget right after its batch', [resumed(), reply(2, 'c'), ...runs(2, 'c'), said('max-steps', [record(0), record(1), wanted(2, 1)])]],
    ['a stop', [resumed(), reply(2, 'c', { type: 'stop' }), result(2, 'c', true), said('stopped', [record(0), record(1), wanted(2, 1)])]],
  ])('passes %s', passes);

  it.each<Refused>([
    ['a second answer', [resumed(), reply(2, 'c'), reply(2, 'c')], '2 approval-answer c', '2 approval-answer c', 'answered once'],
    ['an answer that does not fit its kind', [resumed(), reply(2, 'c', input)], 'run-start', '2 approval-answer c', '"input" answers no'],
    ['a start of what was declined', [resumed(), reply(2, 'c', { type: 'decline' }), tool('tool-start', 2, 'c')], '2 approval-answer c', '2 tool-start c', 'was declined does not start'],
    ['two starts', [resumed(), tool('tool-start', 2, 'c'), tool('tool-start', 2, 'c')], '2 tool-start c', '2 tool-start c', 'a call starts once'],
    ['a start without its commit', [resumed(), tool('tool-start', 2, 'c'), result(2, 'c')], '2 tool-start c', '2 tool-result c', 'committed right before'],
    ['two results', [resumed(), result(2, 'c', true), result(2, 'c', true)], '2 tool-result c', '2 tool-result c', 'over with its one result'],
    ['results in another order than the calls', [resumed(), tool('tool-call', 2, 'c'), tool('tool-call', 2, 'd'), result(2, 'd', true)], '2 tool-call c', '2 tool-result d', 'call order'],
    ['a call that is announced twice', [resumed(), tool('tool-call', 2, 'c'), tool('tool-call', 2, 'c')], '2 tool-call c', '2 tool-call c', 'announced once'],
    ['a call that is announced too late', [resumed(), reply(2, 'c'), tool('tool-call', 2, 'd')], '2 approval-answer c', '2 tool-call d', 'come first'],
    ['a batch of two steps', [resumed(), reply(2, 'c'), reply(3, 'd')], 'run-start', '3 approval-answer d', 'the batch is of step 2'],
    ['a next step before the results', [resumed(), reply(2, 'c'), step(3)], '2 approval-answer c', '3 step-start', 'every call has its tool-result'],
    ['a step that does not count on', [resumed(), reply(2, 'c'), ...runs(2, 'c'), step(2)], '2 tool-result c', '2 step-start', 'this one is 3'],
    ['a step after the next that does not count on', [resumed(), ...wants(3, 'c'), ...runs(3, 'c'), step(5)], '3 tool-result c', '5 step-start', 'this one is 4'],
    ['an attempt that does not count on', [resumed(), retract(0, 2), step(0, 2)], '0 step-retract', '0 step-start', 'attempts count 1, 2, 3 and this one is 3'],
    ['a withdrawal after its batch', [resumed(), reply(2, 'c'), ...runs(2, 'c'), retract(2, 1)], '2 tool-result c', '2 step-retract', 'needs the step-start'],
    ['a late call of the run before', [resumed(), dropped(2, 'c')], 'run-start', '2 tool-dropped c', 'never started cannot be late'],
    ['an outcome that forgets what came before', [resumed(), ...answers(3), done([record(3)], 'yes')], '3 step-end', 'done', 'has 1 steps and the run had 4'],
    ['an outcome whose tail is wrong', [resumed(), ...answers(1), done([record(0), record(1, { attempts: 2 })], 'yes')], '1 step-end', 'done', 'outcome.steps[1] is not what its step-end said'],
    ['an outcome of another text', [resumed(), ...answers(1), done(2, 'no')], '1 step-end', 'done', "the step's deltas said"],
    ['a second beginning', [resumed(), resumed()], 'run-start', 'run-start', 'a run starts once'],
    ['a nested run after its call was answered', [resumed(), result(2, 'c', true), below('c', resumed())], '2 tool-result c', 'run-start', 'over with its one result'],
  ])('refuses %s', refuses);

  it('is what the suspended run had left to say', () => {
    const before = [start(), ...wants(0, 'c', 'd'), ask(0, 'd'), ...runs(0, 'c')];
    const after: LoopEvent[] = [reply(0, 'd'), ...runs(0, 'd'), ...answers(1), said('answer', [wanted(0, 2), record(1)], 'yes')];

    expect(hear([...before, said('suspended', [wanted(0, 2)])]).error).toBeUndefined();
    expect(hear([resumed(), ...after]).error).toBeUndefined();
    expect([...before, ...after]).toEqual(round(['c', 'd'], ...before.slice(-4), ...after.slice(0, 4)));
    expect(hear([...before, ...after]).error).toBeUndefined();
  });

  it('is what a log says of a crash, without the second beginning', () => {
    const crashed = [start(), ...wants(0, 'c'), tool('tool-start', 0, 'c')];
    const after = [dropped(0, 'c', 'restarted'), ...runs(0, 'c'), step(1), text(1, 'no', 'a'), retract(1, 1, ['a']), step(1, 2), text(1, 'yes', 'b'), finish(1), end(1, { attempt: 2 })];

    expect(hear([...crashed, ...after, said('answer', [wanted(0, 1), record(1, { attempts: 2 })], 'yes')]).error).toBeUndefined();
  });
});
