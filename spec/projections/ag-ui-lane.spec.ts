import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Delta, EventOf } from '../../lib/index.ts';
import { AgUiLane } from '../../lib/projections/ag-ui-lane.ts';
import { text } from '../../marbles/index.ts';
import { deskOf } from '../support/ag-ui-of.ts';
import { Told } from '../support/hosted-runs.ts';

const run = new Told();
let { desk, said } = deskOf();
let lane = new AgUiLane('run', false, desk);
const startStep = (step = 0, attempt = 1): void => lane.startStep(run.step(step, attempt) as EventOf<'step-start'>);
const endStep = (toolCalls = 0, more: object = {}): void => lane.endStep(run.end(0, toolCalls, more) as EventOf<'step-end'>);
const say = (...deltas: readonly Delta[]): void => { for (const event of run.deltas(0, ...deltas)) lane.delta(event as EventOf<'delta'>); };
const begin = (index: number, id: string): Delta => ({ type: 'tool-call-start', index, id, name: 'add' });
const argue = (index: number, chunk: string): Delta => ({ type: 'tool-call-arguments', index, chunk });
const end = (index: number, id: string, more: object = {}): Delta => ({ type: 'tool-call-end', index, call: { id, name: 'add', arguments: { a: 1 }, ...more } });

beforeEach(() => {
  ({ desk, said } = deskOf());
  lane = new AgUiLane('run', false, desk);
  startStep();
  said();
});

describe('a step', () => {
  it('is bracketed, and ends with its usage', () => {
    startStep(1);
    expect(said()).toEqual(['STEP_FINISHED step-0', 'STEP_STARTED step-1']);
    endStep(0, { step: 1, costUsd: 0.1, context: { used: 1, window: 2 }, rawFinish: 'end' });
    expect(desk.take()).toEqual([{
      type: 'STEP_FINISHED', stepName: 'step-1',
      metadata: { usage: { inputTokens: 10, outputTokens: 2 }, finish: 'stop', rawFinish: 'end', costUsd: 0.1, context: { used: 1, window: 2 } },
    }]);
  });

  it('counts the usage of each model, of a failed exchange as well', () => {
    lane.fallBack('n');
    endStep();
    startStep(1);
    say({ type: 'usage', usage: { outputTokens: 7 } });
    lane.close();
    lane.close();
    expect(desk.usage.field()).toEqual({ usage: [{ model: 'n', inputTokens: 10, outputTokens: 2, totalTokens: 12 }, { model: 'm', outputTokens: 7 }] });
  });
});

describe('a call', () => {
  it('is written piece by piece, beside others', () => {
    say(begin(0, 'c'), begin(1, 'd'), argue(1, '{}'), argue(0, '{"a"'), argue(0, ''), argue(0, ':1}'), end(0, 'c'), end(1, 'd'));
    expect(said()).toEqual([
      'TOOL_CALL_START c', 'TOOL_CALL_START d', 'TOOL_CALL_ARGS d {}', 'TOOL_CALL_ARGS c {"a"', 'TOOL_CALL_ARGS c :1}', 'TOOL_CALL_END c', 'TOOL_CALL_END d',
    ]);
    expect([...lane.unanswered]).toEqual(['c', 'd']);
  });

  it('closes the text before it', () => {
    say(text('hi', 'b'), begin(0, 'c'));
    expect(said().slice(-2)).toEqual(['TEXT_MESSAGE_END run/text/b', 'TOOL_CALL_START c']);
    expect(desk.messages.snapshot()).toMatchObject([{ id: 'run/text/b', toolCalls: [{ id: 'c' }] }]);
  });

  it('that was not streamed is told whole [147]', () => {
    say(end(0, 'c', { rawArguments: '{"a": 1}' }), end(1, 'd'), end(2, 'e', { rawArguments: ' ', arguments: {} }));
    expect(said().filter((one) => one.startsWith('TOOL_CALL_ARGS'))).toEqual(['TOOL_CALL_ARGS c {"a": 1}', 'TOOL_CALL_ARGS d {"a":1}', 'TOOL_CALL_ARGS e {}']);
    lane.announce({ id: 'f', name: 'add', arguments: {} });
    lane.announce({ id: 'f', name: 'add', arguments: {} });
    expect(said()).toEqual(['TOOL_CALL_START f', 'TOOL_CALL_ARGS f {}', 'TOOL_CALL_END f']);
  });

  it('carries what its provider wants back', () => {
    say(end(0, 'c', { meta: { providerId: 'p' } }));
    expect(said().at(-1)).toBe('REASONING_ENCRYPTED_VALUE c {"providerId":"p"}');
  });

  it('starts and ends once', () => {
    say(begin(0, 'c'), begin(0, 'x'), end(0, 'c'), end(0, 'c'), argue(0, 'late'), argue(9, 'lost'));
    expect(said()).toEqual(['TOOL_CALL_START c', 'TOOL_CALL_ARGS c {"a":1}', 'TOOL_CALL_END c']);
  });

  it('that has no end is closed and taken back with its step [147]', () => {
    say(text('hi', 'b'), begin(0, 'c'), end(0, 'c'), begin(1, 'd'), argue(1, '{'));
    said();
    endStep(1);
    expect(said()).toEqual(['TOOL_CALL_END d', 'STEP_FINISHED step-0', 'MESSAGES_SNAPSHOT']);
    expect(desk.messages.snapshot()).toMatchObject([{ toolCalls: [{ id: 'c' }] }]);
    lane.close();
    expect(said()).toEqual([]);
  });

  it('that the run ignores, because its last step was for an answer, is taken back', () => {
    say(text('hi', 'b'), end(0, 'c'));
    endStep(0);
    expect(desk.messages.snapshot()).toEqual([{ id: 'run/text/b', role: 'assistant', content: 'hi' }]);
    expect([...lane.unanswered]).toEqual([]);
  });

  it('has one result: none is said where the client has sent it, and none twice', () => {
    desk.messages.add({ id: 'shot', role: 'tool', toolCallId: 'c1', content: 'a picture' });
    lane.answer('c1', { content: 'a picture' });
    lane.answer('c2', { content: '3' });
    lane.answer('c2', { content: '3' });
    expect(said()).toEqual(['TOOL_CALL_RESULT run/result/c2 3']);
    expect([desk.messages.isAnswered('c1'), desk.messages.isAnswered('c2'), desk.messages.isAnswered('c3')]).toEqual([true, true, false]);
  });

  it('that nobody answers gets a result when the run is left', () => {
    say(end(0, 'c'), end(1, 'd'));
    endStep(2);
    lane.answer('d', { content: '1' });
    said();
    lane.abandon();
    expect(said()).toEqual(['TOOL_CALL_RESULT run/result/c The run ended before this call was answered.']);
    lane.abandon();
    expect(said()).toEqual([]);
  });
});

describe('an attempt that is withdrawn', () => {
  const retract = (more: object = {}): void =>
    lane.retract(run.event('step-retract', { step: 0, attempt: 1, reason: 'cut', blocks: [], callIds: [], usage: { outputTokens: 3 }, ...more }) as EventOf<'step-retract'>);

  it('is closed, and all of it taken back', () => {
    say(text('hi', 'b'), begin(0, 'c'), argue(0, '{'));
    said();
    retract({ blocks: ['b'], callIds: ['c'] });
    expect(said()).toEqual(['TOOL_CALL_END c', 'STEP_FINISHED step-0', 'MESSAGES_SNAPSHOT']);
    expect(desk.messages.snapshot()).toEqual([]);
    expect(desk.usage.field()).toEqual({ usage: [{ model: 'm', outputTokens: 3 }] });
  });

  it('that had shown nothing needs no snapshot', () => {
    retract();
    expect(said()).toEqual(['STEP_FINISHED step-0']);
  });

  it('before this stream began is taken back by its ids', () => {
    desk.messages.add({ id: 'run/text/b', role: 'assistant', content: 'cut by a crash' });
    lane = new AgUiLane('run', false, desk);
    retract({ blocks: ['b'] });
    expect(said()).toEqual(['MESSAGES_SNAPSHOT']);
    expect(desk.messages.snapshot()).toEqual([]);
  });
});

describe('other deltas', () => {
  it('of sources, files and tools of the provider are custom events', () => {
    say({ type: 'source', url: 'https://example.com', title: 'A page' }, { type: 'file', block: 'f', mediaType: 'image/png', data: 'AA==' }, { type: 'server-tool', block: 's', id: 'x', name: 'web', phase: 'call' });
    expect(desk.take()).toEqual([
      { type: 'CUSTOM', name: 'source', value: { url: 'https://example.com', title: 'A page' } },
      { type: 'CUSTOM', name: 'file', value: { block: 'f', mediaType: 'image/png', data: 'AA==' } },
      { type: 'CUSTOM', name: 'server-tool', value: { block: 's', id: 'x', name: 'web', phase: 'call' } },
    ]);
  });

  it('that nobody could read are for developers', () => {
    say({ type: 'unknown', raw: 1 });
    expect(said()).toEqual([]);
    ({ desk, said } = deskOf(false));
    lane = new AgUiLane('run', false, desk);
    say({ type: 'unknown', raw: 1 });
    expect(desk.take()).toEqual([{ type: 'CUSTOM', name: 'unknown', value: 1 }]);
  });
});

describe('a nested run', () => {
  it('puts its name on everything', () => {
    lane = new AgUiLane('child', true, desk);
    startStep();
    say(text('hi', 'b'), end(0, 'c', { meta: { a: 1 } }), { type: 'source' });
    endStep(1);
    lane.abandon();
    const events = desk.take();
    expect(events.length).toBeGreaterThan(9);
    expect(events.filter((event) => !('subagentRunId' in event && event.subagentRunId === 'child'))).toEqual([]);
  });
});
