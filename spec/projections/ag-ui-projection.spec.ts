import { describe, expect, it } from '@jest/globals';
import type { LoopEvent, Outcome } from '../../lib/index.ts';
import { AgUiProjection } from '../../lib/projections/ag-ui-projection.ts';
import { agUiOf, input, inShort } from '../support/ag-ui-of.ts';
import { approval, clientTool, Told } from '../support/hosted-runs.ts';

const run = new Told();
const endOf = (outcome: Partial<Outcome>, before: readonly LoopEvent[] = [], options: object = {}): unknown => agUiOf([run.start(), ...before, run.done(outcome)], options).at(-1);
const ids = { threadId: 'thread', runId: 'asked' };

describe('one stream of AG-UI', () => {
  it('has the ids of the input, and says its protocol', () => {
    expect(agUiOf([run.start({ threadId: 'mine' })])).toEqual([{ type: 'RUN_STARTED', ...ids, protocolVersion: '1.0' }, { type: 'RUN_FINISHED', ...ids, outcome: { type: 'cancelled' } }]);
  });

  it('says the state that the application gives it', () => {
    expect(agUiOf([run.start()], { state: { a: 1 } })[1]).toEqual({ type: 'STATE_SNAPSHOT', snapshot: { a: 1 } });
  });

  it.each<[string, Partial<Outcome>, object]>([
    ['an answer', { completion: { text: 'Yes', toolCalls: [] } }, { outcome: { type: 'success' }, result: { reason: 'answer', text: 'Yes' } }],
    ['an output', { reason: 'output', completion: { text: '', json: [1], toolCalls: [] } }, { outcome: { type: 'success' }, result: { reason: 'output', text: '', json: [1] } }],
    ['a limit [149]', { reason: 'max-steps' }, { outcome: { type: 'success' }, result: { reason: 'max-steps', text: '' } }],
    ['a cut [149]', { reason: 'length' }, { outcome: { type: 'success' }, result: { reason: 'length', text: '' } }],
    ['a stop, without its reason', { reason: 'stopped', stopped: { reason: 'secret' } }, { outcome: { type: 'success' }, result: { reason: 'stopped', text: '' } }],
    ['a cancel [149]', { reason: 'aborted', completion: { text: 'So', toolCalls: [] } }, { outcome: { type: 'cancelled' } }],
  ])('ends with what the run came to: %s', (_name, outcome, more) => {
    expect(endOf(outcome)).toEqual({ type: 'RUN_FINISHED', ...ids, ...more });
  });

  it('says why a run was stopped where nothing is masked', () => {
    expect(endOf({ reason: 'stopped', stopped: { reason: 'enough' } }, [], { mask: false })).toMatchObject({ result: { stopped: { reason: 'enough' } } });
  });

  it('says the state that its patches have led to where it is interrupted', () => {
    const patch = run.event('state', { patch: [{ op: 'add', path: '/seen', value: 1 }] });
    const { events } = approval();
    const said = agUiOf([...events.slice(0, -1), patch, ...events.slice(-1)], { input: { ...input, state: { a: 0 } } });
    expect(said.find(({ type }) => type === 'STATE_SNAPSHOT')).toEqual({ type: 'STATE_SNAPSHOT', snapshot: { a: 0, seen: 1 } });
  });

  it('succeeds where only tools of the client are open, and leaves their calls open', () => {
    const said = agUiOf(clientTool().events);
    expect(said.at(-1)).toMatchObject({ outcome: { type: 'success', pendingToolCallIds: ['c2'] } });
    expect(said.some(({ type }) => type === 'TOOL_CALL_RESULT' || type === 'MESSAGES_SNAPSHOT')).toBe(false);
  });

  it('is closed from the inside: sub-agents, tools, text, step', () => {
    const child = new Told('child', { runId: 'run', callId: 'c1' });
    const projection = new AgUiProjection({ input });
    const before = [run.start(), ...run.asks(0, ['c1', 'helper']), run.begins(0, 'c1', 'helper'), child.start(), child.step(0)];
    for (const event of before) projection.next(event);
    expect(projection.fail(new Error('secret')).map(inShort)).toEqual([
      'STEP_FINISHED step-0', 'SUBAGENT_ERROR', expect.stringMatching(/^ACTIVITY_SNAPSHOT run\/tool\/c1 .*"status":"dropped"/),
      'TOOL_CALL_RESULT run/result/c1 The run ended before this call was answered.', 'RUN_ERROR',
    ]);
    expect([projection.next(run.step(1)), projection.complete(), projection.fail(0)]).toEqual([[], [], []]);
  });

  it('takes what a user says meanwhile as messages of the user', () => {
    const picture = { role: 'user', content: [{ type: 'text', text: 'This' }, { type: 'image', url: 'https://example.com/a.png' }] };
    const said = agUiOf([run.start(), run.event('steering', { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hurry' }] }, picture] })]);
    expect(said.slice(1, -1).map(inShort)).toEqual(['TEXT_MESSAGE_START run/steering', 'TEXT_MESSAGE_CONTENT run/steering Hurry', 'TEXT_MESSAGE_END run/steering', 'MESSAGES_SNAPSHOT']);
    expect(said[4]).toMatchObject({ messages: [{ role: 'user', content: 'Hurry' }, { id: 'run/steering~2', role: 'user', content: [{ type: 'text' }, { type: 'image' }] }] });
  });

  it('counts the usage by the model that served last', () => {
    const fallback = run.event('fallback', { step: 0, from: 'm', to: 'n', reason: 'busy' });
    expect(endOf({}, [run.step(0), fallback, run.end(0)])).toMatchObject({ usage: [{ model: 'n', inputTokens: 10 }] });
  });

  it('does not tell a commit twice, nor what a sub-agent says after its end', () => {
    const child = new Told('child', { runId: 'run', callId: 'c1' });
    const said = agUiOf([run.start(), run.begins(0, 'c1', 'helper'), run.event('tool-commit', { step: 0, callId: 'c1' }), child.start(), child.done(), child.step(9)]);
    expect(said.map(({ type }) => type)).toEqual(['RUN_STARTED', 'ACTIVITY_SNAPSHOT', 'SUBAGENT_STARTED', 'SUBAGENT_FINISHED', 'ACTIVITY_SNAPSHOT', 'RUN_FINISHED']);
  });
});
