import { describe, it } from '@jest/globals';
import type { Correction, LoopEvent } from '../../lib/index.ts';
import { ask, below, checkpoint, compaction, correction, done, end, hostEvents, record, result, start, steering, step, tool } from '../support/events.ts';
import { answers, called, finish, passes, refuses, round, runs, said, text, wanted, wants } from '../support/grammar-cases.ts';
import type { Passing, Refused } from '../support/grammar-cases.ts';

// What hooks and the output make of a run: corrections, stops, compaction, and what is said to the host.

const corrects = (number: number, cause: Correction['cause'], count: number): LoopEvent => correction(number, count, { cause });
const first = [start(), ...answers(0)];
const one = record(0);
const ends = (...causes: [Correction['cause'], number][]): LoopEvent[] => [
  start(), ...causes.flatMap(([cause, count], number) => [...answers(number), corrects(number, cause, count)]), ...answers(causes.length),
  done(causes.length + 1, 'yes'),
];
const closed = [start(), ...wants(0, 'c'), result(0, 'c', true)];
const broke = [start(), step(0), text(0, 'yes'), end(0, { finish: 'error' })];

describe('verifyEvents, of corrections,', () => {
  it.each<Passing>([
    ['one of the output', ends(['output', 1])],
    ['repairs in a row', ends(['output', 1], ['output', 2])],
    ['repairs that a tool round parts, counted on or anew', [
      ...first, corrects(0, 'output', 1), ...wants(1, 'c'), ...runs(1, 'c'), ...answers(2), corrects(2, 'output', 2), ...wants(3, 'd'), ...runs(3, 'd'), ...answers(4), corrects(4, 'output', 1), ...answers(5),
      done([one, wanted(1, 1), record(2), wanted(3, 1), record(4), record(5)], 'yes')]],
    ['one of a hook', ends(['hook', 1])],
    ['those of hooks, counted over the run', ends(['hook', 1], ['output', 1], ['hook', 2], ['hook', 3])],
    ['one after calls that were closed', [...closed, corrects(0, 'hook', 1), ...answers(1), said('answer', [wanted(0, 1), record(1)], 'yes')]],
    ['one of a turn that was cut', [start(), step(0), text(0, 'x', 'a'), finish(0, 'length'), end(0, { finish: 'length' }), corrects(0, 'hook', 1), ...answers(1), said('answer', [record(0, { finish: 'length' }), record(1)], 'yes')]],
    ['each cause beside the others', [...broke, corrects(0, 'stream', 1), ...answers(1), corrects(1, 'output', 1), ...answers(2), done([record(0, { finish: 'error' }), record(1), record(2)], 'yes')]],
  ])('passes %s', passes);

  it.each<Refused>([
    ['one of a hook after a step that broke', [...broke, corrects(0, 'hook', 1)], '0 step-end', '0 correction', 'has the cause "stream"'],
    ['one of the stream after a step that did not', [...first, corrects(0, 'stream', 1)], '0 step-end', '0 correction', 'did not break'],
    ['one before the results', [...closed.slice(0, -1), corrects(0, 'hook', 1)], '0 tool-call c', '0 correction', 'every call has its tool-result'],
    ['one of a step whose calls ran', [start(), ...wants(0, 'c'), ...runs(0, 'c'), corrects(0, 'output', 1)], '0 tool-start c', '0 correction', 'the calls of a step that is corrected do not run'],
    ['a repair that skips a count', [...first, corrects(0, 'output', 2)], '0 step-end', '0 correction', 'in a row count 1, 2, 3 and this one is 1'],
    ['a repair in a row that counts anew', [...first, corrects(0, 'output', 1), ...answers(1), corrects(1, 'output', 1)], '1 step-end', '1 correction', 'this one is 2'],
    ["a hook's that skips a count", [...first, corrects(0, 'hook', 1), ...answers(1), corrects(1, 'hook', 3)], '1 step-end', '1 correction', 'of hooks count 1, 2, 3 and this one is 2'],
    ["a hook's that counts anew", [...first, corrects(0, 'hook', 1), ...wants(1, 'c'), ...runs(1, 'c'), ...answers(2), corrects(2, 'hook', 1)], '2 step-end', '2 correction', 'this one is 2'],
    ['one over its max', [...first, correction(0, 1, { cause: 'output', max: 0 })], '0 step-end', '0 correction', 'over its own max of 0'],
    ['one of an aborted step', [start(), step(0), end(0, { finish: 'aborted' }), corrects(0, 'hook', 1)], '0 step-end', '0 correction', 'nothing follows the last step'],
    ['two of one step', [...first, corrects(0, 'output', 1), corrects(0, 'hook', 1)], '0 correction', '0 correction', 'at once, and once'],
  ])('refuses %s', refuses);
});

describe('verifyEvents, of endings,', () => {
  it.each<Passing>([
    ['a stop before the first step', [start(), said('stopped', [])]],
    ['a stop while the model speaks', [start(), step(0), text(0, 'x'), end(0, { finish: 'aborted' }), said('stopped', [record(0, { finish: 'aborted' })], 'x')]],
    ['a stop after a step, whose calls are closed', [...closed, said('stopped', [wanted(0, 1)])]],
    ['a stop between steps', [start(), ...wants(0, 'c'), ...runs(0, 'c'), said('stopped', [wanted(0, 1)])]],
    ['a stop after an answer', [...first, said('stopped', [one], 'yes')]],
    ['an output', [...first, said('output', [one], 'yes')]],
    ['an output that did not come, accepted as an answer', [...closed, said('answer', [wanted(0, 1)])]],
    ['an output that a tool took, its siblings closed', [...closed, said('output', [wanted(0, 1)])]],
  ])('passes %s', passes);

  it.each<Refused>([
    ['an output without a step', [start(), said('output', [])], 'run-start', 'done', 'no output without a step'],
    ['an output that was corrected', [...first, corrects(0, 'output', 1), said('output', [one], 'yes')], '0 correction', 'done', 'an output is the last word'],
    ['an output of a turn that was cut', [start(), step(0), finish(0, 'length'), end(0, { finish: 'length' }), said('output', [record(0, { finish: 'length' })])], '0 step-end', 'done', 'ended with "length" is no output'],
    ['an output before the results', [...closed.slice(0, -1), said('output', [wanted(0, 1)])], '0 tool-call c', 'done', 'every call has its tool-result'],
    ['a stop before the results', [...closed.slice(0, -1), said('stopped', [wanted(0, 1)])], '0 tool-call c', 'done', 'every call has its tool-result'],
    ['a stop inside a step', [start(), step(0), said('stopped', [])], '0 step-start', 'done', 'a run ends between steps'],
    ['an answer with a checkpoint', [...first, done(1, 'yes', { checkpoint })], '0 step-end', 'done', 'has a checkpoint if its run is suspended'],
  ])('refuses %s', refuses);
});

describe('verifyEvents, of what is said beside the steps,', () => {
  const anywhere = round(['c'], ask(0, 'c'), result(0, 'c', true)).slice(0, 3);

  it.each<Passing>([
    ['host events everywhere', [
      start(), ...hostEvents, step(0), ...hostEvents, ...called(0, 0, 'c'), ...hostEvents, finish(0, 'tool-use'), end(0, { finish: 'tool-use', toolCalls: 1 }),
      ...hostEvents, tool('tool-call', 0, 'c'), ...runs(0, 'c').flatMap((event) => [...hostEvents, event]), steering('hi'), ...hostEvents, ...answers(1),
      ...hostEvents, said('answer', [wanted(0, 1), record(1)], 'yes')]],
    ['compaction before the first step, between steps and after steering', [
      start(), compaction(), ...wants(0, 'c'), ...runs(0, 'c'), compaction(), ...answers(1), steering('hi'), compaction(), ...answers(2), said('answer', [wanted(0, 1), record(1), record(2)], 'yes')]],
    ['compaction after a correction', [...first, corrects(0, 'output', 1), compaction(), ...answers(1), done(2, 'yes')]],
    ['a budget that ends the run after compaction', [start(), ...wants(0, 'c'), ...runs(0, 'c'), compaction(), said('context-full', [wanted(0, 1)])]],
  ])('passes %s', passes);

  it.each<Refused>([
    ...hostEvents.map((event): Refused => [`${event.type} before the run`, [event], 'nothing', event.type, 'a run begins with run-start']),
    ...hostEvents.map((event): Refused => [`${event.type} after the ending`, [...first, done(1, 'yes'), event], 'done', event.type, 'nothing follows the ending']),
    ['compaction inside a step', [...anywhere.slice(0, 2), compaction()], '0 step-start', 'compaction', 'stands between steps'],
    ['compaction before the results', [...closed.slice(0, -1), compaction()], '0 tool-call c', 'compaction', 'every call has its tool-result'],
    ['compaction between attempts', [start(), step(0), { type: 'step-retract', runId: 'run1', step: 0, attempt: 1, reason: 'cut', blocks: [], callIds: [], usage: {} }, compaction()], '0 step-retract', 'compaction', 'not between attempts'],
    ['compaction after an answer that nobody followed', [...first, compaction()], '0 step-end', 'compaction', 'unless somebody says more'],
    ['compaction of a nested run inside its step', [start(), ...wants(0, 'c'), tool('tool-start', 0, 'c'), ...[start(), step(0), compaction()].map((event) => below('c', event))], '0 step-start', 'compaction', 'stands between steps'],
  ])('refuses %s', refuses);
});
