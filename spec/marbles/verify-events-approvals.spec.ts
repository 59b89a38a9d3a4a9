import { describe, it } from '@jest/globals';
import type { ApprovalAnswerEvent, LoopEvent } from '../../lib/index.ts';
import { ask, below, progress, reply, result, start, tool } from '../support/events.ts';
import { answers, passes, refuses, round, runs, said, wanted, wants } from '../support/grammar-cases.ts';
import type { Passing, Refused } from '../support/grammar-cases.ts';

// Requests and their answers: before a call starts, for one that a client runs, and for input while a tool runs.

const decline: ApprovalAnswerEvent['answer'] = { type: 'decline' };
const stop: ApprovalAnswerEvent['answer'] = { type: 'stop' };
const input: ApprovalAnswerEvent['answer'] = { type: 'input', value: 'blue' };
const given: ApprovalAnswerEvent['answer'] = { type: 'result', content: '3' };

const batch = (...ids: string[]): LoopEvent[] => [start(), ...wants(0, ...ids)];
const asked = [...batch('c'), ask(0, 'c')];
const running = [...batch('c'), tool('tool-start', 0, 'c')];
const askedInput = [...running, ask(0, 'c', 'input')];
const commit = tool('tool-commit', 0, 'c');

describe('verifyEvents, where a person is asked,', () => {
  it.each<Passing>([
    ['a call that was approved', round(['c'], ask(0, 'c'), reply(0, 'c'), ...runs(0, 'c'))],
    ['a call that was approved and does not run, because of its arguments', round(['c'], ask(0, 'c'), reply(0, 'c'), result(0, 'c', true))],
    ['a call that was declined', round(['c'], ask(0, 'c'), reply(0, 'c', decline), result(0, 'c', true))],
    ['a call that a client has run', round(['c'], ask(0, 'c', 'result'), reply(0, 'c', given, 'result'), result(0, 'c'))],
    ["a client's error", round(['c'], ask(0, 'c', 'result'), reply(0, 'c', given, 'result'), result(0, 'c', true))],
    ['a client that declines', round(['c'], ask(0, 'c', 'result'), reply(0, 'c', decline, 'result'), result(0, 'c', true))],
    ['a call that is approved, then run by a client', round(['c'],
      ask(0, 'c'), reply(0, 'c'), ask(0, 'c', 'result', 'q2'), reply(0, 'c', given, 'result', 'q2'), result(0, 'c'))],
    ['requests that are answered in any order, while other calls run', round(['c', 'd', 'e'],
      ask(0, 'c'), ask(0, 'd'), tool('tool-start', 0, 'e'), reply(0, 'd'), tool('tool-start', 0, 'd'), reply(0, 'c'), ...runs(0, 'c'),
      tool('tool-commit', 0, 'd'), result(0, 'd'), tool('tool-commit', 0, 'e'), result(0, 'e'))],
    ["a request that a hook makes at its call's turn", round(['c', 'd'], ...runs(0, 'c'), ask(0, 'd'), reply(0, 'd'), ...runs(0, 'd'))],
    ['input while the tool runs, twice', round(['c'],
      tool('tool-start', 0, 'c'), ask(0, 'c', 'input'), progress(0, 'c'), reply(0, 'c', input, 'input'),
      ask(0, 'c', 'input', 'q2'), reply(0, 'c', decline, 'input', 'q2'), progress(0, 'c'), commit, result(0, 'c'))],
    ['input that the tool no longer waits for', round(['c'], tool('tool-start', 0, 'c'), ask(0, 'c', 'input'), commit, result(0, 'c', true))],
    ['an answer that stops the run', [...asked, reply(0, 'c', stop), result(0, 'c', true), said('stopped', [wanted(0, 1)])]],
    ['an answer that stops the run while others run', [
      ...batch('c', 'd', 'e'), tool('tool-start', 0, 'c'), ask(0, 'd'), reply(0, 'd', stop), commit, result(0, 'c', true), result(0, 'd', true), result(0, 'e', true),
      said('stopped', [wanted(0, 3)])]],
    ['a run that is aborted while its request is open', [...asked, result(0, 'c', true), said('aborted', [wanted(0, 1)])]],
    ['a batch that is cut short without its commits', [...running, result(0, 'c', true), said('max-duration', [wanted(0, 1)])]],
    ['a run that is suspended', [...asked, said('suspended', [wanted(0, 1)])]],
    ['a run that is suspended when everything else has settled', [
      ...batch('c', 'd', 'e'), ask(0, 'd'), ...runs(0, 'c'), tool('tool-start', 0, 'e'), progress(0, 'e'), said('suspended', [wanted(0, 3)])]],
    ['all commits and results after the last call has settled', round(['c', 'd'],
      tool('tool-start', 0, 'c'), tool('tool-start', 0, 'd'), commit, result(0, 'c'), tool('tool-commit', 0, 'd'), result(0, 'd'))],
  ])('passes %s', passes);

  it.each<Refused>([
    ['a request before all tool-calls', [...batch('c', 'd').slice(0, -1), ask(0, 'c')], '0 tool-call c', '0 approval-request c', 'the tool-call of "d" comes first'],
    ['a request outside a batch', [start(), ask(0, 'c')], 'run-start', '0 approval-request c', 'a step that has ended'],
    ['a request of another step', [...batch('c'), ask(1, 'c')], '0 step-end', '1 approval-request c', 'the batch is of step 0'],
    ['a request for a call that nobody made', [...batch('c'), ask(0, 'x')], '0 tool-call c', '0 approval-request x', 'no call "x"'],
    ['a request after the call has started', [...running, ask(0, 'c')], '0 tool-start c', '0 approval-request c', 'asked about before it starts'],
    ["a request for a client's result after the start", [...running, ask(0, 'c', 'result')], '0 tool-start c', '0 approval-request c', 'asked about before it starts'],
    ['a request after the result', [...batch('c', 'd'), ...runs(0, 'c'), ask(0, 'c')], '0 tool-result c', '0 approval-request c', 'over with its one result'],
    ['a request for input before the start', [...batch('c'), ask(0, 'c', 'input')], '0 tool-call c', '0 approval-request c', 'while it runs'],
    ['a second request while one is open', [...asked, ask(0, 'c', 'result', 'q2')], '0 approval-request c', '0 approval-request c', 'holds its call'],
    ['a request after the call was declined', [...asked, reply(0, 'c', decline), ask(0, 'c', 'approval', 'q2')], '0 approval-answer c', '0 approval-request c', 'was declined'],
    ['two requests of one id', [...batch('c', 'd'), ask(0, 'c', 'approval', 'q'), ask(0, 'd', 'approval', 'q')], '0 approval-request c', '0 approval-request d', '"q" is taken'],
    ['a request without an id', [...batch('c'), ask(0, 'c', 'approval', '')], '0 tool-call c', '0 approval-request c', 'an id of its own'],
    ['a request that takes the id of one above it', [
      ...askedInput, ...[start(), ...wants(0, 'x'), ask(0, 'x', 'approval', 'qc')].map((event) => below('c', event)),
    ], '0 tool-call x', '0 approval-request x', '"qc" is taken'],
    ['a request about another call', [...batch('c'), { ...ask(0, 'c'), call: { id: 'd', name: 'add', arguments: {} } } as LoopEvent], '0 tool-call c', '0 approval-request c', 'its call has the id "d"'],

    ['an answer without its request', [...batch('c'), reply(0, 'c')], '0 tool-call c', '0 approval-answer c', 'no request "qc" is open'],
    ['a second answer', [...asked, reply(0, 'c'), reply(0, 'c')], '0 approval-answer c', '0 approval-answer c', 'answered once'],
    ['an answer for another call', [...batch('c', 'd'), ask(0, 'c'), reply(0, 'd', { type: 'approve' }, 'approval', 'qc')], '0 approval-request c', '0 approval-answer d', 'of the call "c"'],
    ['an answer of another kind', [...asked, reply(0, 'c', { type: 'approve' }, 'result')], '0 approval-request c', '0 approval-answer c', 'of the kind "approval"'],
    ['a result for a request to approve', [...asked, reply(0, 'c', given)], '0 approval-request c', '0 approval-answer c', '"result" answers no request of the kind "approval"'],
    ["an approval where a client's result is wanted", [...batch('c'), ask(0, 'c', 'result'), reply(0, 'c', { type: 'approve' }, 'result')], '0 approval-request c', '0 approval-answer c', '"approve" answers no'],
    ['an approval where input is wanted', [...askedInput, reply(0, 'c', { type: 'approve' }, 'input')], '0 approval-request c', '0 approval-answer c', '"approve" answers no'],
    ['an answer after the tool was answered', [...batch('c', 'd'), tool('tool-start', 0, 'c'), ask(0, 'c', 'input'), commit, result(0, 'c'), reply(0, 'c', input, 'input')], '0 tool-result c', '0 approval-answer c', 'over with its one result'],
    ['an answer that is none', [...asked, reply(0, 'c', { type: 'suspend' } as never)], '0 approval-request c', '0 approval-answer c', '"suspend" answers no'],
  ])('refuses %s', refuses);

  it.each<Refused>([
    ['a start while the request is open', [...asked, tool('tool-start', 0, 'c')], '0 approval-request c', '0 tool-start c', 'an open request holds its call'],
    ['a result while the request is open', [...asked, result(0, 'c')], '0 approval-request c', '0 tool-result c', 'an open request holds its call'],
    ['a start after it was declined', [...asked, reply(0, 'c', decline), tool('tool-start', 0, 'c')], '0 approval-answer c', '0 tool-start c', 'was declined does not start'],
    ['a good result after it was declined', [...asked, reply(0, 'c', decline), result(0, 'c')], '0 approval-answer c', '0 tool-result c', 'declined has an error result'],
    ['a start of what a client has run', [...batch('c'), ask(0, 'c', 'result'), reply(0, 'c', given, 'result'), tool('tool-start', 0, 'c')], '0 approval-answer c', '0 tool-start c', 'a client has run does not start'],
    ['a commit of what a client has run', [...batch('c'), ask(0, 'c', 'result'), reply(0, 'c', given, 'result'), commit], '0 tool-call c', '0 tool-commit c', 'nothing to commit'],
    ['a start after an answer that stops the run', [...batch('c', 'd'), ask(0, 'c'), reply(0, 'c', stop), tool('tool-start', 0, 'd')], '0 approval-answer c', '0 tool-start d', 'cut short'],
    ['a next step after an answer that stops the run', [...asked, reply(0, 'c', stop), result(0, 'c', true), ...answers(1).slice(0, 1)], '0 approval-answer c', '1 step-start', 'nothing follows a batch that was cut short'],
    ['a next step after a request that nobody answered', [...asked, result(0, 'c', true), ...answers(1).slice(0, 1)], '0 tool-result c', '1 step-start', 'nothing follows a batch that was cut short'],
    ['a budget after a call that was closed without its commit', [...running, result(0, 'c', true), said('max-steps', [wanted(0, 1)])], '0 tool-result c', 'done', 'for which its batch was cut short'],
    ['a suspension where nobody is asked', [...running, said('suspended', [wanted(0, 1)])], '0 tool-start c', 'done', 'where a call waits for an answer'],
    ['a suspension after everything was answered', [...asked, reply(0, 'c'), ...runs(0, 'c'), said('suspended', [wanted(0, 1)])], '0 tool-result c', 'done', 'where a call waits for an answer'],
    ['a suspension between a commit and its result', [...batch('c', 'd'), ask(0, 'd'), ...runs(0, 'c').slice(0, 2), said('suspended', [wanted(0, 2)])], '0 tool-commit c', 'done', 'followed by its own tool-result'],
    ['a suspension before any batch', [start(), said('suspended', [])], 'run-start', 'done', 'suspended inside a batch'],
    ['a suspension without its checkpoint', [...asked, { ...said('suspended', [wanted(0, 1)]), outcome: { reason: 'suspended', steps: [wanted(0, 1)], completion: { text: '', toolCalls: [] }, messages: [], usage: {} } } as LoopEvent], '0 approval-request c', 'done', 'has a checkpoint'],
  ])('refuses %s', refuses);
});
