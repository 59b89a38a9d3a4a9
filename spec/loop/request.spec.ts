import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { readOptions } from '../../lib/loop/read-options.ts';
import { requestOf } from '../../lib/loop/request.ts';
import { append, newRun, startState } from '../../lib/loop/run-state.ts';
import { userMessage } from '../../lib/message.ts';
import { fakeTool, script } from '../../marbles/index.ts';

const run = (change: Partial<ToolLoopOptions> = {}) => newRun(readOptions({ model: script(), prompt: 'go', ...change }));

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

  it('is what the hooks made of it, where they were asked', () => {
    const one = run({ system: 's' });
    const patch = { model: script(), system: 'other', messages: [userMessage('x')], tools: [], toolChoice: 'none', options: { temperature: 0 } } as const;
    const { model, ...asked } = patch;
    expect(requestOf(one, { ...startState(one), patch })).toMatchObject(asked);
  });

  it('asks the model for the output as it can be asked', () => {
    const schema = { type: 'object' } as const;
    const asks = (capabilities: ('tools' | 'json-schema')[]) => {
      const one = run({ model: scripted([], { capabilities }), output: { schema } });
      const { tools, output, system } = requestOf(one, startState(one));
      return [tools.map(({ name }) => name), output, system !== undefined];
    };
    expect(asks(['json-schema', 'tools'])).toEqual([[], { name: 'final_result', schema }, false]);
    expect(asks(['tools'])).toEqual([['final_result'], undefined, false]);
    expect(asks([])).toEqual([[], undefined, true]);
  });
});
