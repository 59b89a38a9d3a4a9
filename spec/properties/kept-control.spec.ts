import { describe, expect, it } from '@jest/globals';
import { NEVER, of, Subject, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { concurrent, defineTool, dependencyTiers, resumeToolLoop, toolLoop, userMessage } from '../../lib/index.ts';
import type { ApprovalAnswer, Checkpoint, Delta, EventOf, LoopEvent, Tool } from '../../lib/index.ts';
import { call, finish, script, text } from '../../marbles/index.ts';
import { play } from '../support/play.ts';

// The smallest form of the runs with hooks, approvals and checkpoints that once broke an invariant.

const prompt = 'go';
const answer = of(text('over', 'b'), finish('stop'));
const asks = (...calls: (readonly Delta[])[]): Observable<Delta> => of(...calls.flat(), finish('tool-use'));
const tool = (name: string, run: () => unknown, traits: object = {}): Tool => defineTool({ name, description: 'Is a tool.', input: z.looseObject({}), run, ...traits }) as Tool;
const results = (events: readonly LoopEvent[]): unknown[] => events.flatMap((event) => (event.type === 'tool-result' ? [[event.callId, event.result.isError]] : []));

describe('a hook', () => {
  it('sees the transcript as it is, when the user says more after an answer that it had changed the request of', () => {
    const steering$ = new Subject<string>();
    const model = script(answer, answer);
    const more = tap<LoopEvent>((event) => event.type === 'step-end' && event.step === 0 && steering$.next('more'));
    play(toolLoop({ model, prompt, steering$, hooks: [{ beforeRequest: () => ({ options: { temperature: 0 } }) }] }).pipe(more));
    expect(model.requests[1]?.messages.at(-1)).toEqual(userMessage('more'));
  });

  it('that withdraws an attempt names the call that was begun and never complete', () => {
    const half = of(...call('add', {}, { id: 'c', index: 0 }).slice(0, -1), finish('pause'));
    const { events } = play(toolLoop({ model: script(half, answer), tools: [tool('add', () => 1)], prompt, hooks: [{ afterStep: (_step, { attempt }) => ({ type: attempt === 1 ? 'retract' : 'continue' }) }] }));
    expect(events.find(({ type }) => type === 'step-retract')).toMatchObject({ callIds: ['c'] });
    expect(events.at(-1)).toMatchObject({ outcome: { reason: 'answer' } });
  });
});

describe('an answer', () => {
  it('that comes when its call is over, because the call that it needs has failed, says nothing', () => {
    const later$ = new Subject<ApprovalAnswer>();
    const never = tool('slow', () => NEVER);
    const model = script(asks(call('bad', {}, { id: 'x', index: 0 }), call('send', { of: 'x' }, { id: 'y', index: 1 })), answer);
    const bad = tool('bad', () => {
      throw new Error('No.');
    });
    const { events } = play(toolLoop({ model, tools: [bad, never, tool('send', () => 1, { needsApproval: true })], prompt, schedule: dependencyTiers(8), approvals: () => later$ }));
    later$.next({ type: 'approve' });
    expect(results(events)).toEqual([['x', true], ['y', true]]);
    expect(events.some(({ type }) => type === 'approval-answer')).toBe(false);
    expect(events.at(-1)?.type).toBe('done');
  });
});

describe('a checkpoint', () => {
  const gather = (options: Parameters<typeof toolLoop>[0]): Checkpoint[] => {
    const all: Checkpoint[] = [];
    play(toolLoop({ ...options, onCheckpoint: (one) => void all.push(JSON.parse(JSON.stringify(one)) as Checkpoint) }));
    return all;
  };

  it('does not count a body that a run that goes on begins again', () => {
    const calls = asks(call('slow', {}, { id: 'x', index: 0 }), call('fast', {}, { id: 'y', index: 1 }));
    const tools = [tool('slow', () => NEVER), tool('fast', () => 2)];
    const options = { prompt, schedule: concurrent(2), budget: { maxToolCalls: 2 } };
    const last = gather({ ...options, model: script(calls), tools }).at(-1) as Checkpoint;
    expect(last.counters.toolCalls).toBe(1);
    const { prompt: _none, ...rest } = options;
    const { events } = play(resumeToolLoop(last, {}, { ...rest, model: script(answer), tools: [tool('slow', () => 1), tools[1] as Tool] }));
    expect(results(events)).toEqual([['x', false], ['y', false]]);
  });

  it('keeps what a client answered, while a hook still looks at it', () => {
    const calls = asks(call('look', {}, { id: 'x', index: 0 }), call('fast', {}, { id: 'y', index: 1 }));
    const tools = [tool('look', () => 1, { runsOn: 'client' }), tool('fast', () => 2)];
    const options = { schedule: concurrent(2), tools };
    const hooks = [{ afterTool: ({ name }: { name: string }) => (name === 'look' ? NEVER : undefined) }];
    const last = gather({ ...options, prompt, model: script(calls), hooks, approvals: () => ({ type: 'result', content: 'seen' }) }).at(-1) as Checkpoint;
    expect(last.batch?.calls[1]?.settled).toBeDefined();
    const { events } = play(resumeToolLoop(last, {}, { ...options, model: script(answer) }));
    expect(results(events)).toEqual([['x', false], ['y', false]]);
    expect((events.at(-1) as EventOf<'done'>).outcome.reason).toBe('answer');
  });
});
