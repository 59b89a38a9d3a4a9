import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import type { ApprovalAnswer, Checkpoint, Done, LoopEvent, ToolLoopOptions } from '../../lib/index.ts';
import { openRequests, resumeToolLoop, toolLoop } from '../../lib/index.ts';
import { scripted } from '../../lib/deltas/scripted.ts';
import { fakeTool } from '../../marbles/index.ts';
import { countedIds } from '../support/loop-unit.ts';
import { play } from '../support/play.ts';

const careful = { ...fakeTool(of('1')), needsApproval: true } as const;
const quick = fakeTool(of('2'), { name: 'mul' });
const asking = (...names: string[]) => ({ calls: names.map((name, at) => ({ name, id: `c${at}` })) });

function suspend(names: readonly string[], options: Partial<ToolLoopOptions> = {}): { checkpoint: Checkpoint; events: LoopEvent[] } {
  const { events } = play(toolLoop({ model: scripted([asking(...names)]), tools: [careful, quick], prompt: 'go', ids: countedIds(), runId: 'r', ...options }));
  const { outcome } = events.at(-1) as Done;
  expect(outcome.reason).toBe('suspended');
  return { checkpoint: JSON.parse(JSON.stringify(outcome.checkpoint)) as Checkpoint, events };
}

const resume = (checkpoint: Checkpoint, answers: Record<string, ApprovalAnswer>, options: Partial<ToolLoopOptions> = {}) =>
  play(resumeToolLoop(checkpoint, answers, { model: scripted([{ text: 'ok' }]), tools: [careful, quick], ids: countedIds(), ...options } as never));
const types = (events: readonly LoopEvent[]): string[] => events.map((event) => ('callId' in event ? `${event.type} ${event.callId}` : event.type));

describe('resumeToolLoop', () => {
  it('goes on with the answers, and repeats nothing', () => {
    const { checkpoint } = suspend(['add']);
    const { events, ending } = resume(checkpoint, { 'request-1': { type: 'approve' } });
    expect(ending).toBe('complete');
    expect(events[0]).toEqual({ type: 'run-start', runId: 'r', resumed: true });
    expect(types(events).slice(0, 6)).toEqual(['run-start', 'approval-answer c0', 'tool-start c0', 'tool-commit c0', 'tool-result c0', 'step-start']);
  });

  it('is one run with what went before, as if it had been answered in flight', () => {
    const { checkpoint, events: first } = suspend(['add', 'mul']);
    const { events: second } = resume(checkpoint, { 'request-1': { type: 'approve' } });
    const { events: whole } = play(toolLoop({ model: scripted([asking('add', 'mul'), { text: 'ok' }]), tools: [careful, quick], prompt: 'go', ids: countedIds(), runId: 'r', approvals: () => ({ type: 'approve' }) }));
    expect(types([...first.slice(0, -1), ...second.slice(1)]).sort()).toEqual(types(whole).sort());
    expect((second.at(-1) as Done).outcome.messages).toEqual((whole.at(-1) as Done).outcome.messages);
  });

  it('asks nobody twice: an answer that was taken before the turn of its call stands', () => {
    const tools = [careful, { ...quick, needsApproval: true }];
    const { checkpoint, events } = suspend(['add', 'mul'], { tools: tools as never, approvals: ({ callId }) => (callId === 'c1' ? { type: 'approve' } : undefined) });
    expect(types(events)).toContain('approval-answer c1');
    expect(openRequests(checkpoint).map(({ callId }) => callId)).toEqual(['c0']);
    const asked: string[] = [];
    const { events: rest } = resume(checkpoint, { 'request-1': { type: 'approve' } }, { tools: tools as never, approvals: ({ callId }) => void asked.push(callId) });
    expect(asked).toEqual([]);
    expect(types(rest).filter((one) => one.startsWith('approval-answer'))).toEqual(['approval-answer c0']);
    expect(rest.filter((event) => event.type === 'tool-result' && !event.result.isError)).toHaveLength(2);
  });

  it('never runs a call again that has settled', () => {
    const before = quick.calls.length;
    const { checkpoint } = suspend(['mul', 'add']);
    expect(quick.calls.length).toBe(before + 1);
    resume(checkpoint, { 'request-1': { type: 'decline' } });
    expect(quick.calls.length).toBe(before + 1);
  });

  it('is stopped by an answer, where nothing else could stop it', () => {
    const { checkpoint } = suspend(['add']);
    const { events } = resume(checkpoint, { 'request-1': { type: 'stop', reason: 'Enough.' } });
    expect((events.at(-1) as Done).outcome).toMatchObject({ reason: 'stopped', stopped: { reason: 'Enough.', callId: 'c0' } });
  });

  it('is suspended again where a request stays open', () => {
    const { checkpoint } = suspend(['add']);
    const { events } = resume(checkpoint, {});
    const { outcome } = events.at(-1) as Done;
    expect([outcome.reason, openRequests(outcome.checkpoint as Checkpoint).length]).toEqual(['suspended', 1]);
  });

  it('goes on from the same checkpoint for each subscription', () => {
    const { checkpoint } = suspend(['add']);
    const run$ = resumeToolLoop(checkpoint, { 'request-1': { type: 'approve' } }, { model: scripted([{ text: 'a' }, { text: 'b' }]), tools: [careful], ids: countedIds() });
    expect([play(run$).ending, play(run$).ending]).toEqual(['complete', 'complete']);
  });

  it('refuses an answer to a request that is not open, or of the wrong kind, at the call', () => {
    const { checkpoint } = suspend(['add']);
    const call = (answers: object) => () => resumeToolLoop(checkpoint, answers as never, { model: scripted([]), tools: [careful] });
    expect(call({ x: { type: 'approve' } })).toThrow('resumeToolLoop: the answer "x" is for a request that is not open; open are request-1.');
    expect(call({ 'request-1': { type: 'input', value: 1 } })).toThrow(/was answered with "input"/);
    expect(call({ 'request-1': null })).toThrow(/was answered with null/);
  });

  it('fails for changed arguments that do not fit; nothing has run', () => {
    const { checkpoint } = suspend(['add']);
    const before = careful.calls.length;
    const { error } = resume(checkpoint, { 'request-1': { type: 'approve', arguments: 'x' } });
    expect(error).toMatchObject({ code: 'approval', run: { runId: 'r' } });
    expect(careful.calls.length).toBe(before);
  });

  it('refuses a checkpoint that does not fit the options', () => {
    const { checkpoint } = suspend(['add']);
    expect(() => resumeToolLoop({ ...checkpoint, model: 1 }, {}, { model: scripted([]) })).toThrow('resumeToolLoop: the run had come to model 2 of its list, but options.model has 1.');
    expect(() => resumeToolLoop({} as never, {}, { model: scripted([]) })).toThrow(/^resumeToolLoop: the checkpoint has version undefined/);
  });
});

describe('openRequests', () => {
  it('are none outside a batch', () => {
    expect(openRequests({} as Checkpoint)).toEqual([]);
  });
});
