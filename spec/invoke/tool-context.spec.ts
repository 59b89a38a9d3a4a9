import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import type { ApprovalAnswer } from '../../lib/approval.ts';
import { toolContext } from '../../lib/invoke/tool-context.ts';
import type { Voice } from '../../lib/invoke/tool-context.ts';
import { hear } from '../support/invoke-context.ts';

function speaking(change: Partial<Voice> = {}) {
  const heard: unknown[] = [];
  const voice: Voice = {
    isOver: () => false,
    progress: (value) => heard.push(['progress', value]),
    host: (said) => heard.push(said),
    unsayable: (what, reason) => heard.push([what, reason]),
    signal: () => AbortSignal.abort(),
    ask: (question) => (heard.push(['ask', question]), of<ApprovalAnswer>({ type: 'input', value: 1 })),
    ...change,
  };
  return { heard, context: toolContext({ callId: 'c', runId: 'r', step: 2 }, voice) };
}

describe('toolContext', () => {
  it('knows its call, asks for its signal on demand, and has a scratch map', () => {
    const { context } = speaking();
    expect([context.callId, context.runId, context.step, context.signal.aborted]).toEqual(['c', 'r', 2, true]);
    expect(context.scratch).toEqual(new Map());
    const scratch = new Map();
    expect(toolContext({ callId: 'c', runId: 'r', step: 0, scratch }, {} as Voice).scratch).toBe(scratch);
  });

  it('says what the host is told, its functions taken apart too', () => {
    const { heard, context: { progress, status, plan, state, emit } } = speaking();
    progress(1);
    status(5 as never);
    plan([{ content: 'a', status: 'pending' }]);
    state([{ op: 'remove', path: '/a' }]);
    emit({ name: 'n', data: { at: new Date(0) } });
    expect(heard).toEqual([
      ['progress', 1],
      { type: 'status', text: '5' },
      { type: 'plan', entries: [{ content: 'a', status: 'pending' }] },
      { type: 'state', patch: [{ op: 'remove', path: '/a' }] },
      { type: 'custom', name: 'n', data: { at: '1970-01-01T00:00:00.000Z' } },
    ]);
  });

  it('says what JSON cannot carry', () => {
    const { heard, context } = speaking();
    context.emit({ name: 'n', data: 1n });
    expect(heard).toEqual([['custom event', expect.stringContaining('bigint')]]);
  });

  it('is not heard once the call is answered; nobody is asked then', () => {
    const { heard, context } = speaking({ isOver: () => true });
    context.progress(1);
    context.status('x');
    context.emit({ name: 'n', data: 1n });
    expect(hear(context.input({})).values).toEqual([{ type: 'decline', reason: 'The call is answered already.' }]);
    expect(heard).toEqual([]);
  });

  it('asks when somebody waits for the answer', () => {
    const { heard, context } = speaking();
    const answer$ = context.input({ reason: 'Why?' });
    expect(heard).toEqual([]);
    expect(hear(answer$).values).toEqual([{ type: 'input', value: 1 }]);
    expect(heard).toEqual([['ask', { reason: 'Why?' }]]);
    hear(context.input(undefined as never));
    expect(heard.at(-1)).toEqual(['ask', {}]);
  });

  it('hears a decline for every other answer', () => {
    const { context } = speaking({ ask: () => of<ApprovalAnswer>({ type: 'stop' }) });
    expect(hear(context.input({})).values).toEqual([{ type: 'decline' }]);
    expect(hear(speaking({ ask: () => of<ApprovalAnswer>({ type: 'decline', reason: 'No.' }) }).context.input({})).values).toEqual([{ type: 'decline', reason: 'No.' }]);
  });

  it('does not ask what JSON cannot carry', () => {
    const { heard, context } = speaking();
    expect(hear(context.input({ schema: { n: 1n } })).error).toMatchObject({ code: 'tool', message: expect.stringMatching(/^The question cannot be sent: /) });
    expect(heard).toEqual([]);
  });
});
