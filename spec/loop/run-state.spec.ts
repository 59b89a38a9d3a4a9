import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { readOptions } from '../../lib/loop/read-options.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { append, modelOf, newRun, startState } from '../../lib/loop/run-state.ts';
import { toolCall, userMessage } from '../../lib/message.ts';
import type { Message } from '../../lib/message.ts';
import { fakeTool, script } from '../../marbles/index.ts';

const run = (change: Partial<ToolLoopOptions> = {}) => newRun(readOptions({ model: script(), prompt: 'go', ...change }));

describe('newRun', () => {
  it('takes its id from the options, else from the port', () => {
    expect(run({ runId: 'r' }).runId).toBe('r');
    expect(run({ ids: (kind) => `${kind}-x` }).runId).toBe('run-x');
  });

  it('knows the call ids of its input messages', () => {
    const messages: Message[] = [
      { role: 'assistant', content: [{ type: 'text', text: 'x' }, { type: 'tool-call', call: toolCall('a', 'add', '') }] },
      { role: 'tool', results: [{ callId: 'b', name: 'add', content: [], isError: false }] },
    ];
    const { claims } = run({ messages, ids: () => 'new' });
    expect([claims.call('a'), claims.call('b'), claims.call('c')]).toEqual(['new', 'new-2', 'c']);
  });
});

describe('startState', () => {
  it('copies the messages, so that the given array is never written to', () => {
    const messages = [userMessage('a')];
    const one = run({ messages });
    append(one, startState(one), [userMessage('c')]);
    expect(messages).toHaveLength(1);
    expect(startState(one).messages).toEqual([userMessage('a'), userMessage('go')]);
  });

  it('counts characters only where a token budget may need them', () => {
    const counted = run({ budget: { maxTotalTokens: 5 }, system: 'abc' });
    const state = startState(counted);
    expect(state.characters).toBe(3 + 2);
    expect(append(counted, state, [userMessage('four')]).characters).toBe(9);
    expect(startState(run({ system: 'abc' })).characters).toBe(0);
  });
});

describe('modelOf', () => {
  it('is the model of the list that serves', () => {
    const [small, big] = [script(), script()];
    const one = run({ model: [small, big] });
    expect([modelOf(one, startState(one)), modelOf(one, { ...startState(one), model: 1 })]).toEqual([small, big]);
  });
});
