import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { readOptions } from '../../lib/loop/read-options.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { requestOf } from '../../lib/loop/request.ts';
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

describe('requestOf', () => {
  it('holds what the run asks', () => {
    const add = fakeTool(of(1));
    const one = run({ system: 's', tools: [add] });
    expect(requestOf(one, startState(one))).toMatchObject({
      system: 's',
      messages: [userMessage('go')],
      tools: [{ name: 'add', description: add.description, parameters: add.parameters }],
      toolChoice: 'auto',
      scheduler: one.scheduler,
      ids: one.ids,
    });
  });

  it('shows the transcript as it was when the request was made, copied once', () => {
    const one = run();
    const state = startState(one);
    const request = requestOf(one, state);
    append(one, state, [userMessage('later')]);
    expect(request.messages).toEqual([userMessage('go')]);
    expect(request.messages).toBe(request.messages);
  });

  it('keeps a choice other than auto and none to the first step', () => {
    const tools = [fakeTool(of(1))];
    const choices = (toolChoice: 'required' | 'none' | { tool: string }): unknown[] => {
      const one = run({ tools, toolChoice });
      const state = startState(one);
      return [requestOf(one, state).toolChoice, requestOf(one, { ...state, step: 1 }).toolChoice];
    };
    expect(choices('required')).toEqual(['required', 'auto']);
    expect(choices({ tool: 'add' })).toEqual([{ tool: 'add' }, 'auto']);
    expect(choices('none')).toEqual(['none', 'none']);
  });

  it('reserves the last permitted call for an answer, and says so in a line that is not stored', () => {
    const tools = [fakeTool(of(1))];
    const asks = (calls: number, options: Partial<ToolLoopOptions> = {}) => {
      const one = run({ tools, toolChoice: 'required', budget: { maxSteps: 2, lastStep: 'answer' }, ...options });
      const state = startState(one);
      const { system, toolChoice, messages } = requestOf(one, { ...state, calls });
      return { system, toolChoice, messages: messages.length };
    };
    expect(asks(1, { system: 'Be brief.' })).toEqual({ system: 'Be brief.', toolChoice: 'required', messages: 1 });
    expect(asks(2, { system: 'Be brief.' })).toEqual({ system: expect.stringMatching(/^Be brief\.\n\nThis is the last step/), toolChoice: 'none', messages: 1 });
    expect(asks(2)).toMatchObject({ system: expect.stringMatching(/^This is the last step/), toolChoice: 'none' });
    expect(asks(2, { budget: { maxSteps: 2 } })).toMatchObject({ system: undefined, toolChoice: 'required' });
  });
});

describe('modelOf', () => {
  it('is the model of the list that serves', () => {
    const [small, big] = [script(), script()];
    const one = run({ model: [small, big] });
    expect([modelOf(one, startState(one)), modelOf(one, { ...startState(one), model: 1 })]).toEqual([small, big]);
  });
});
