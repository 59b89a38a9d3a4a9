import { describe, expect, it } from '@jest/globals';
import type { LoopEvent } from '../../lib/index.ts';
import { ask, below, done, dropped, eager, end, progress, record, reply, result, resumed, retract, start, step, tool } from '../support/events.ts';
import { answers, called, finish, hear, passes, refuses, round, runs, said, text, wanted, wants } from '../support/grammar-cases.ts';
import type { Passing, Refused } from '../support/grammar-cases.ts';

// Runs inside the calls of other runs: each with a grammar of its own, between its call's tool-start and tool-result.

const commit = tool('tool-commit', 0, 'c');
const running = [start(), ...wants(0, 'c'), tool('tool-start', 0, 'c')];
const child = [start(), ...answers(0), done(1, 'yes')];
const inside = (events: readonly LoopEvent[], callId = 'c', id = 'run2', above = 'run1'): LoopEvent[] => events.map((event) => below(callId, event, id, above));
const open = [...running, ...inside(child.slice(0, 2))];
const suspendedChild = [start(), ...wants(0, 'x'), ask(0, 'x'), said('suspended', [wanted(0, 1)])];

describe('verifyEvents, of nested runs,', () => {
  it.each<Passing>([
    ['a run inside a call', round(['c'], tool('tool-start', 0, 'c'), ...inside(child), commit, result(0, 'c'))],
    ['its events between those of its parent', round(['c', 'd'],
      tool('tool-start', 0, 'c'), tool('tool-start', 0, 'd'), ...inside(child.slice(0, 2)), progress(0, 'd'), ...inside(child.slice(2)), commit, result(0, 'c'), tool('tool-commit', 0, 'd'), result(0, 'd'))],
    ['two runs at the same time, in two calls', round(['c', 'd'],
      tool('tool-start', 0, 'c'), tool('tool-start', 0, 'd'), ...child.flatMap((event) => [below('c', event), below('d', event, 'run3')]), commit, result(0, 'c'), tool('tool-commit', 0, 'd'), result(0, 'd'))],
    ['two runs in one call, one after the other', round(['c'], tool('tool-start', 0, 'c'), ...inside(child), ...inside(child, 'c', 'run3'), commit, result(0, 'c'))],
    ['a run in a run in a run', round(['c'], tool('tool-start', 0, 'c'),
      ...inside([start(), ...wants(0, 'x'), tool('tool-start', 0, 'x')]), ...inside(child, 'x', 'run3', 'run2'),
      ...inside([tool('tool-commit', 0, 'x'), result(0, 'x'), ...answers(1), said('answer', [wanted(0, 1), record(1)], 'yes')]), commit, result(0, 'c'))],
    ["a run that failed, closed by its parent's error result", round(['c'], tool('tool-start', 0, 'c'), ...inside(child.slice(0, 3)), commit, result(0, 'c', true))],
    ['runs at any depth, closed by one error result', round(['c'], tool('tool-start', 0, 'c'),
      ...inside([start(), ...wants(0, 'x'), tool('tool-start', 0, 'x')]), ...inside(child.slice(0, 2), 'x', 'run3', 'run2'), commit, result(0, 'c', true))],
    ['a run inside an eager call', [
      start(), step(0), ...called(0, 0, 'c'), eager(0, 'c'), ...inside(child.slice(0, 3)), finish(0, 'tool-use'), ...inside(child.slice(3, 4)), end(0, { finish: 'tool-use', toolCalls: 1 }),
      tool('tool-call', 0, 'c'), ...inside(child.slice(4)), commit, result(0, 'c'), ...answers(1), said('answer', [wanted(0, 1), record(1)], 'yes')]],
    ['a run inside an eager call, which speaks before the call is announced', [
      start(), step(0), ...called(0, 0, 'c'), eager(0, 'c'), ...inside(child.slice(0, 3)), finish(0, 'tool-use'), end(0, { finish: 'tool-use', toolCalls: 1 }), ...inside(child.slice(3)),
      tool('tool-call', 0, 'c'), commit, result(0, 'c'), ...answers(1), said('answer', [wanted(0, 1), record(1)], 'yes')]],
    ['a run that is withdrawn with its eager call', [
      start(), step(0), ...called(0, 0, 'c'), eager(0, 'c'), ...inside(child.slice(0, 3)), dropped(0, 'c', 'retracted'), retract(0, 1, [], ['c']),
      step(0, 2), text(0, 'yes', 'b'), finish(0), end(0, { attempt: 2 }), said('answer', [record(0, { attempts: 2 })], 'yes')]],
    ['a run that a crash has cut with its call, and the one that begins in its place', round(['c'],
      tool('tool-start', 0, 'c'), ...inside(suspendedChild.slice(0, -1)), dropped(0, 'c', 'restarted'), tool('tool-start', 0, 'c'), ...inside(child, 'c', 'run3'), commit, result(0, 'c'))],
    ['a run that is suspended, and its parent', [...running, ...inside(suspendedChild), said('suspended', [wanted(0, 1)])]],
    ["a run that has no ending of its own where its parent's is that of a suspension", [...running, ...inside(suspendedChild.slice(0, -1)), said('suspended', [wanted(0, 1)])]],
    ['a suspension whose request is two runs below', [
      ...running, ...inside([start(), ...wants(0, 'x'), tool('tool-start', 0, 'x')]), ...inside(suspendedChild.slice(0, -1), 'x', 'run3', 'run2'), said('suspended', [wanted(0, 1)])]],
    ['a suspended run whose parent is stopped', [...running, ...inside(suspendedChild), result(0, 'c', true), said('aborted', [wanted(0, 1)])]],
    ['an error that ends everything', [...open, done(0, '', { reason: 'error' })]],
    ['a nested run that goes on with its parent, without a beginning of its own', [
      resumed(), ...inside([reply(0, 'x'), ...runs(0, 'x'), ...answers(1), said('answer', [wanted(0, 1), record(1)], 'yes')]), commit, result(0, 'c'),
      ...answers(1), said('answer', [record(0), record(1)], 'yes')]],
    ['a nested run, two runs below, that goes on without a beginning', [
      resumed(), ...inside([progress(0, 'y')]), ...inside([reply(0, 'x'), ...runs(0, 'x')], 'y', 'run3', 'run2'),
      commit, result(0, 'c', true), ...answers(1), said('answer', [record(0), record(1)], 'yes')]],
    ['a nested run that begins in a call that began here', [resumed(), tool('tool-start', 0, 'c'), ...inside(child), commit, result(0, 'c'), ...answers(1), said('answer', [record(0), record(1)], 'yes')]],
    ['a nested run that goes on from a checkpoint', [
      resumed(), ...inside([resumed(), ...answers(3), said('answer', [0, 1, 2, 3].map((number) => record(number)), 'yes')]), commit, result(0, 'c'), ...answers(1), said('answer', [record(0), record(1)], 'yes')]],
  ])('passes %s', passes);

  it.each<Refused>([
    ['a run whose parent is not there', inside([start()]), 'nothing', 'run-start', 'no run "run1" has'],
    ['a run before its call has started', [start(), ...wants(0, 'c'), ...inside([start()])], '0 tool-call c', 'run-start', 'the call "c" has not started'],
    ['a run below a call that nobody made', [...running, ...inside([start()], 'x')], '0 tool-start c', 'run-start', 'the call "x" has not started'],
    ['a run between steps', [start(), ...inside([start()])], 'run-start', 'run-start', 'speaks while its call runs'],
    ['a run after its call was answered', [...running, commit, result(0, 'c'), ...inside([start()])], '0 tool-result c', 'run-start', 'over with its one result'],
    ['an event after an error result has closed it', [...open, commit, result(0, 'c', true), ...inside([text(0, 'hi')])], '0 tool-result c', '0 delta text', 'over with its one result'],
    ['an event after the error result of a call further up', [
      ...running, ...inside([start(), ...wants(0, 'x'), tool('tool-start', 0, 'x')]), ...inside([start()], 'x', 'run3', 'run2'), commit, result(0, 'c', true), ...inside([step(0)], 'x', 'run3', 'run2'),
    ], '0 tool-result c', '0 step-start', 'over with its one result'],
    ['an event after its eager call was dropped', [start(), step(0), ...called(0, 0, 'c'), eager(0, 'c'), ...inside([start()]), dropped(0, 'c', 'retracted'), ...inside([step(0)])], '0 tool-dropped c', '0 step-start', 'dropped says no more'],
    ['a good result while it goes on', [...open, commit, result(0, 'c')], '0 step-start of run run2', '0 tool-result c', 'only an error result closes'],
    ['a good result while it is suspended', [...running, ...inside(suspendedChild), commit, result(0, 'c')], 'done of run run2', '0 tool-result c', 'suspended waits for the next run'],
    ['an ending of the parent before that of its call', [...open, done(1)], '0 tool-start c', 'done', 'every call has its tool-result'],
    ['an event after the ending of its parent', [...running, ...inside(suspendedChild), said('suspended', [wanted(0, 1)]), ...inside([start()], 'c', 'run3')], 'done', 'run-start', 'nothing follows the ending'],
    ['a run that does not begin at its beginning', [...running, ...inside([step(0)])], 'nothing', '0 step-start', 'a run begins with run-start'],
    ['a run without a beginning, in a call that began here', [resumed(), tool('tool-start', 0, 'c'), ...inside([reply(0, 'x')])], 'nothing', '0 approval-answer x', 'a run begins with run-start'],
    ['a run without a beginning, in a call that a crash has cut', [resumed(), progress(0, 'c'), dropped(0, 'c', 'restarted'), tool('tool-start', 0, 'c'), ...inside([step(0)])], 'nothing', '0 step-start', 'a run begins with run-start'],
    ['a run that breaks its own grammar', [...open, ...inside([step(1)])], '0 step-start', '1 step-start', 'a step ends with its step-end'],
    ['a run that starts twice', [...open, ...inside([start()])], '0 step-start', 'run-start', 'a run starts once'],
    ['an event after its own ending', [...running, ...inside(child), ...inside([step(1)])], 'done', '1 step-start', 'nothing follows the ending'],
    ['a run that moves to another call', [
      start(), ...wants(0, 'c', 'd'), tool('tool-start', 0, 'c'), tool('tool-start', 0, 'd'), ...inside([start()]), ...inside([step(0)], 'd'),
    ], 'run-start below c', '0 step-start', 'name the same call above it'],
    ['a run that forgets its parent', [...running, ...inside([start()]), { ...step(0), runId: 'run2' } as LoopEvent], 'run-start below c', '0 step-start', 'name the same call above it'],
    ['a suspension while a run below goes on', [...open, said('suspended', [wanted(0, 1)])], '0 tool-start c', 'done', 'where a call waits for an answer'],
    ['a suspension after a crash has cut what waited', [
      ...running, ...inside(suspendedChild.slice(0, -1)), dropped(0, 'c', 'restarted'), tool('tool-start', 0, 'c'), said('suspended', [wanted(0, 1)]),
    ], '0 tool-start c', 'done', 'where a call waits for an answer'],
    ['a suspension after the request below was answered', [
      ...running, ...inside([...suspendedChild.slice(0, -1), reply(0, 'x'), tool('tool-start', 0, 'x')]), said('suspended', [wanted(0, 1)]),
    ], '0 tool-start c', 'done', 'where a call waits for an answer'],
    ['a suspension while nothing below is suspended', [...running, ...inside(child), said('suspended', [wanted(0, 1)])], '0 tool-start c', 'done', 'where a call waits for an answer'],
  ])('refuses %s', refuses);

  it('lets the parent be as if the tool were any other', () => {
    const events = round(['c'], tool('tool-start', 0, 'c'), ...inside(child), commit, result(0, 'c'));

    expect(hear(events.filter(({ parent }) => parent === undefined))).toEqual({ events: round(['c'], ...runs(0, 'c')) });
  });

  it('says which run the clash is in', () => {
    expect(hear([...open, ...inside([step(1)])]).error).toMatchObject({ message: expect.stringMatching(/^Run run2: "1 step-start" cannot follow "0 step-start"/) });
  });
});
