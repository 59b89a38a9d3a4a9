import { describe, expect, it } from '@jest/globals';
import { of, Subject } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import type { Hooks, RequestView } from '../../lib/hooks.ts';
import { ModelError, toolLoop } from '../../lib/index.ts';
import { beforeRequest } from '../../lib/loop/before-request.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { userMessage } from '../../lib/message.ts';
import { fakeTool, script } from '../../marbles/index.ts';
import { hear } from '../support/invoke-context.ts';
import { loopUnit } from '../support/loop-unit.ts';
import { play } from '../support/play.ts';

const tools = [fakeTool(of(1)), fakeTool(of(2), { name: 'mul' })];
const saying = (...answers: unknown[]): Hooks[] => answers.map((said) => ({ beforeRequest: (() => said) as never }));

function asked(hooks: Hooks[], options: Partial<ToolLoopOptions> = {}) {
  const { run, state } = loopUnit({ tools, system: 's', ...options, hooks });
  let thrown: unknown;
  let heard;
  try {
    heard = hear(beforeRequest(run, state));
  } catch (error) {
    thrown = error;
  }
  return { run, state, patch: heard?.values[0]?.patch, heard, error: thrown ?? heard?.error };
}

describe('beforeRequest', () => {
  it('asks nobody where there is no such hook', () => {
    const { run, state } = loopUnit({ hooks: { afterTool: () => undefined } });
    expect(beforeRequest(run, state)).toBe(state);
  });

  it('shows the call as it will be made', () => {
    let seen: RequestView | undefined;
    const { run } = asked([{ beforeRequest: (view) => void (seen = view) }], { toolChoice: 'required', modelOptions: { temperature: 0 } });
    expect(seen).toEqual({ model: run.models[0], system: 's', messages: [userMessage('go')], tools: run.specs, toolChoice: 'required', options: { temperature: 0 } });
  });

  it('shows what a reserved last call will be told', () => {
    let seen: RequestView | undefined;
    asked([{ beforeRequest: (view) => void (seen = view) }], { budget: { maxSteps: 1, lastStep: 'answer' } });
    expect(seen).toMatchObject({ toolChoice: 'none', system: expect.stringContaining('last step') });
  });

  it('changes what the patch names, and nothing else', () => {
    const model = script();
    const { patch, run } = asked(saying({ system: 'x', append: [userMessage('more')], options: { temperature: 1 } }), { modelOptions: { temperature: 0, seed: 1 } });
    expect(patch).toMatchObject({ system: 'x', messages: [userMessage('go'), userMessage('more')], options: { temperature: 1, seed: 1 }, tools: run.specs });
    expect(asked(saying({ type: 'patch', model, messages: [userMessage('a')], toolChoice: 'none' })).patch).toMatchObject({ model, messages: [userMessage('a')], toolChoice: 'none' });
  });

  it('leaves the tools that every hook names', () => {
    expect(asked(saying({ tools: ['add', 'mul'] }, { tools: ['mul', 'x'] })).patch?.tools).toMatchObject([{ name: 'mul' }]);
  });

  it('shows each hook what the ones before it changed', () => {
    const seen: unknown[] = [];
    asked([...saying({ system: 'x' }), { beforeRequest: ({ system }) => void seen.push(system) }]);
    expect(seen).toEqual(['x']);
  });

  it('waits for a hook', () => {
    const later = new Subject<unknown>();
    const { heard } = asked(saying(later));
    expect(heard?.values).toEqual([]);
    later.next({ system: 'x' });
    expect(heard?.values[0]?.patch?.system).toBe('x');
  });

  it('tells the run to stop', () => {
    const { run, patch } = asked(saying({ type: 'stop', reason: 'Enough.' }, { system: 'x' }));
    expect([run.stops?.stopped, patch]).toEqual([{ reason: 'stopped', text: 'Enough.' }, undefined]);
  });

  it.each([
    ['a text', 'x', /^An answer of beforeRequest is no object/],
    ['another type', { type: 'go' }, /has the type "go"/],
    ['a misspelt field', { tool: ['add'] }, /has the field "tool", which no request has/],
    ['a name in place of names', { tools: 'add' }, /has a tools that is none/],
    ['messages that are none', { messages: 'x' }, /has a messages that is none/],
    ['a model that is none', { model: {} }, /has a model that is none/],
    ['a choice that is none', { toolChoice: 'maybe' }, /has a toolChoice that is none/],
  ])('fails for %s', (_name, said, message) => {
    expect(asked(saying(said)).error).toMatchObject({ code: 'hook', message: expect.stringMatching(message) });
  });

  it('fails where no tool is left for the tool choice', () => {
    expect(asked(saying({ tools: [], toolChoice: 'required' })).error).toMatchObject({ code: 'hook', message: expect.stringContaining('leave no tool') });
    expect(asked(saying({ tools: ['mul'], toolChoice: { tool: 'add' } })).error).toMatchObject({ code: 'hook', message: expect.stringContaining('leave the tools mul') });
  });

  it('fails for a model that cannot serve the call', () => {
    expect(asked(saying({ model: scripted([], { capabilities: [] }) })).error).toMatchObject({ code: 'unsupported' });
    expect(asked(saying({ model: scripted([], { capabilities: [] }), tools: [] })).error).toBeUndefined();
  });
});

describe('a call that the hooks have looked at', () => {
  const broken = scripted([{ error: new ModelError('model-http', 'No.', { status: 400, retryable: false }) }], { id: 'first' });

  it('falls back to the next model all the same, with what else they changed', () => {
    const second = scripted([{ text: 'ok' }], { id: 'second' });
    const { ending, events } = play(toolLoop({ model: [broken, second], prompt: 'go', hooks: { beforeRequest: () => ({ system: 'x' }) } }));
    expect(ending).toBe('complete');
    expect(events.find(({ type }) => type === 'fallback')).toMatchObject({ from: 'first', to: 'second' });
    expect(second.requests).toMatchObject([{ system: 'x' }]);
  });
});
