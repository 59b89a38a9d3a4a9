import { describe, expect, it } from '@jest/globals';
import { isLoopError, toolLoop } from '../../lib/index.ts';
import { scripted } from '../../lib/deltas/scripted.ts';
import { jsonSchemaValidator } from '../../lib/invoke/json-schema-validator.ts';
import { fromAgUi } from '../../lib/projections/ag-ui.ts';
import type { AgUiInput } from '../../lib/projections/ag-ui.ts';
import { approval } from '../support/hosted-runs.ts';

const input: AgUiInput = {
  threadId: 'thread', runId: 'asked',
  messages: [{ id: 's', role: 'system', content: 'Be brief.' }, { id: 'u', role: 'user', content: 'go' }],
  tools: [{ name: 'screenshot', description: 'Takes a picture.', parameters: { type: 'object', properties: { n: { type: 'number' } } } }, { name: 'beep', description: '' }],
  context: [{ description: 'place', value: 'Bern' }], state: { a: 1 }, forwardedProps: { b: 2 },
};

describe('fromAgUi', () => {
  it('gives what a run takes, and whatever else the client sent', () => {
    const { tools, ...asked } = fromAgUi(input);
    expect(asked).toEqual({
      threadId: 'thread', runId: 'asked', messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }], system: 'Be brief.',
      context: [{ description: 'place', value: 'Bern' }], state: { a: 1 }, forwardedProps: { b: 2 },
    });
    expect(tools).toMatchObject([
      { name: 'screenshot', description: 'Takes a picture.', runsOn: 'client', needsValidator: true, parameters: { type: 'object', properties: { n: { type: 'number' } } } },
      { name: 'beep', runsOn: 'client', parameters: { type: 'object', properties: {} } },
    ]);
  });

  it('needs no more than ids and messages', () => {
    expect(fromAgUi({ threadId: 't', runId: 'r', messages: [] })).toEqual({ threadId: 't', runId: 'r', messages: [], tools: [], context: [] });
  });

  it('gives options that a run accepts as they are', () => {
    const { messages, tools, threadId, runId } = fromAgUi(input);
    const model = scripted([{ text: 'Done.' }]);
    toolLoop({ model, messages, tools, threadId, runId, validator: jsonSchemaValidator() }).subscribe();
    expect(model.requests[0]).toMatchObject({ messages, tools: [{ name: 'screenshot' }, { name: 'beep' }] });
  });

  it('reads answers by the checkpoint', () => {
    const resume = [{ interruptId: 'q1', status: 'resolved' as const, payload: { approved: true } }];
    expect(fromAgUi({ ...input, resume }, approval()).answers).toEqual({ q1: { type: 'approve' } });
  });

  it('gives tools that do not run here', () => {
    const [tool] = fromAgUi(input).tools;
    expect(tool?.runsOn).toBe('client');
    expect(() => tool?.run({} as never, {} as never)).toThrow('This tool runs on the client');
  });

  it.each<[string, unknown]>([
    ['fromAgUi: input is null; it must be an object.', null],
    ['fromAgUi: input.messages is missing; it must be a list.', { threadId: 't', runId: 'r' }],
    ['fromAgUi: input.threadId is missing; it must be a text.', { runId: 'r', messages: [] }],
    ['fromAgUi: input.runId is of type number; it must be a text.', { threadId: 't', runId: 1, messages: [] }],
    ['fromAgUi: input.resume is of type object; it must be a list.', { ...input, resume: {} }],
    ['fromAgUi: input.tools is of type string; it must be a list.', { ...input, tools: 'all' }],
    ['fromAgUi: input.tools[0].description is missing; it must be a text.', { ...input, tools: [{ name: 'a' }] }],
    ['fromAgUi: input.tools[0].parameters is a list; it must be an object.', { ...input, tools: [{ name: 'a', description: '', parameters: [] }] }],
    ['fromAgUi: input.tools[0] cannot be a tool: defineTool: name "a b" must be', { ...input, tools: [{ name: 'a b', description: '' }] }],
    ['fromAgUi: input.context[0].value is missing; it must be a text.', { ...input, context: [{ description: 'x' }] }],
  ])('refuses a bad input: %s', (message, bad) => {
    let thrown: unknown;
    try {
      fromAgUi(bad as AgUiInput);
    } catch (error) {
      thrown = error;
    }
    expect(isLoopError(thrown) && thrown.code).toBe('config');
    expect((thrown as Error).message).toContain(message);
  });
});
