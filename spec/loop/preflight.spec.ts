import { describe, expect, it, jest } from '@jest/globals';
import { firstValueFrom, take } from 'rxjs';
import * as z from 'zod';
import { scripted } from '../../lib/deltas/scripted.ts';
import type { ScriptedModel } from '../../lib/deltas/scripted.ts';
import { ConfigError, defineTool, isLoopError, RunError, toolLoop, toOutcome, userMessage } from '../../lib/index.ts';
import type { Message, SchemaValidator, Tool, ToolLoopOptions } from '../../lib/index.ts';
import { preflight } from '../../lib/loop/preflight.ts';
import type { Bound } from '../../lib/loop/preflight.ts';
import { jsonSchemaValidator } from '../../lib/invoke/json-schema-validator.ts';
import { call } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { loopUnit } from '../support/loop-unit.ts';
import { play } from '../support/play.ts';
import type { Played } from '../support/play.ts';

const validator = jsonSchemaValidator();
const tool = (input: Record<string, unknown>, name = 'add'): Tool => defineTool({ name, description: 'Adds.', input, run: () => 'sum' });
const add = tool({ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] });
const typo = tool({ type: 'object', properties: { a: { items: { tpye: 'string' } } } });
const pictured: Message = { role: 'user', content: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }] };

const asking = (): ScriptedModel => scripted([{ calls: [{ name: 'add', arguments: { a: 1 } }] }, { text: 'done' }]);
const playOf = (options: Partial<ToolLoopOptions> & Pick<ToolLoopOptions, 'model'>): Played => play(toolLoop({ prompt: 'go', ...options }));

/** A run that is refused: what it said, and the code and message of its cause. */
function refusal(options: Partial<ToolLoopOptions>, model: Partial<ScriptedModel> = {}): { types: string[]; code: string; message: string } {
  const whole = { ...asking(), ...model } as ScriptedModel;
  const { events, error } = playOf({ model: whole, ...options });
  expect(whole.requests).toHaveLength(0);
  expect(error).toBeInstanceOf(RunError);
  const { cause, message } = error as RunError;
  return { types: events.map(({ type }) => type), code: isLoopError(cause) ? cause.code : 'other', message };
}

// prettier-ignore
describe('a run with a raw JSON Schema', () => {
  it('checks arguments by it, and stays exact to the frame', loopMarbles(({ turn, tool: drawn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -w-d-(y|)          ', { w: call('add', { a: 'x' }, { id: 'w', index: 0 }) });
    const mul = drawn('       ----(2|)      ', { name: 'mul' });
    const turn2 = turn('          --t-(z|)');
    const events = '     -c-d-(y1)2-T-(ZL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt: 'go', validator })).toBe(events)
      .having('1', { isError: true, error: { kind: 'invalid-input', message: 'Invalid arguments for tool "add": a: must be of type number' } });
    expectSubscriptions(turn1).toBe('^----!');
  }));

  it('is refused right after run-start, before anything is asked', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('t-(z|)');
    const story = '    #     ';
    const all = '      (S#)  ';

    const said = { code: 'invalid-tool-schema', message: /tool "add" cannot be checked: "tpye" at properties\.a\.items / };
    expectEvents(toolLoop({ model: script(turn1), tools: [typo], prompt: 'go', validator })).toBe(story, {}, said).lane('all').toBe(all, {}, said);
    expectSubscriptions(turn1).toBe([]);
  }));
});

describe('preflight', () => {
  it('passes a run that asks for nothing special, at once', () => {
    expect(playOf({ model: scripted([{ text: 'hi' }]) }).events.map(({ type }) => type)).toEqual(expect.arrayContaining(['run-start', 'step-start', 'done']));
    expect(playOf({ model: asking(), tools: [add], validator }).ending).toBe('complete');
  });

  it.each<[string, Partial<ToolLoopOptions>, Partial<ScriptedModel>, string, string]>([
    ['tools', { tools: [add] }, { capabilities: ['images'] }, 'unsupported', 'cannot call tools, but the run has some (add)'],
    ['images', { messages: [userMessage('a'), pictured] }, { capabilities: ['tools', 'files'] }, 'unsupported', 'cannot take images, but messages[1] has one'],
    ['files', { prompt: { role: 'user', content: [{ type: 'file', mediaType: 'a/b', data: '' }] } }, { capabilities: ['images'] }, 'unsupported', 'cannot take files, but messages[0] has one'],
    ['too many images', { messages: [pictured, pictured] }, { capabilities: ['images'], imageLimits: { count: 1 } }, 'unsupported', 'at most 1 images in a request, and messages[1] has number 2'],
    ['too large an image', { messages: [pictured] }, { capabilities: ['images'], imageLimits: { bytes: 2 } }, 'unsupported', 'at most 2 bytes, and one in messages[0] has 3'],
    ['a schema that cannot be honoured', { tools: [typo], validator }, {}, 'invalid-tool-schema', '"tpye" at properties.a.items'],
    ['tools before their schemas', { tools: [typo], validator }, { capabilities: [] }, 'unsupported', 'cannot call tools'],
    ['images before schemas', { tools: [typo], validator, messages: [pictured] }, { capabilities: ['tools'] }, 'unsupported', 'cannot take images'],
  ])('refuses %s before the first call', (_name, options, model, code, message) => {
    expect(refusal(options, model)).toEqual({ types: ['run-start'], code, message: expect.stringContaining(message) });
    expect(refusal({ ...options, budget: { maxSteps: 0 } }, model).code).toBe(code);
  });

  it('says which model refuses', () => {
    expect(refusal({ tools: [add] }, { provider: 'test', id: 'plain', capabilities: [] }).message).toMatch(/^test plain cannot call tools/);
    expect(refusal({ messages: [pictured] }, { provider: 'test', id: 'plain', capabilities: [] }).message).toMatch(/^test plain cannot take images/);
  });

  it('leaves the messages of the run in the error', () => {
    const { error } = playOf({ model: { ...asking(), capabilities: [] }, messages: [pictured] });
    expect((error as RunError).run.messages).toEqual([pictured, userMessage('go')]);
  });

  it('asks the validator once for each raw schema of each run, before the first call', () => {
    const asked: string[] = [];
    const counting: SchemaValidator = (_schema, toolName) => (asked.push(toolName), { validate: (value) => ({ value }) });
    const typed = defineTool({ name: 'typed', description: 'Is typed.', input: z.object({}), run: () => 1 });
    const model = scripted([{ calls: [{ name: 'add' }] }, { text: 'a' }, { text: 'b' }]);
    const run$ = toolLoop({ model, tools: [add, typed, tool({}, 'mul')], prompt: 'go', validator: counting });
    expect(asked).toEqual([]);
    play(run$);
    expect(asked).toEqual(['add', 'mul']);
    play(run$);
    expect(asked).toEqual(['add', 'mul', 'add', 'mul']);
  });

  it('takes the answer of a validator that answers later, or throws', async () => {
    const later: SchemaValidator = () => ({ validate: async (value) => ({ value }) });
    const outcome = await firstValueFrom(toolLoop({ model: asking(), tools: [add], prompt: 'go', validator: later }).pipe(toOutcome()));
    expect(outcome.reason).toBe('answer');
    const { error } = playOf({ model: asking(), tools: [add], validator: () => { throw new Error('no schemas today'); } });
    expect(error).toMatchObject({ code: 'other', message: 'no schemas today' });
  });

  it('makes no check for who takes run-start alone', () => {
    let made = 0;
    const counting: SchemaValidator = () => (made++, { validate: (value) => ({ value }) });
    const model = asking();
    toolLoop({ model, tools: [add], prompt: 'go', validator: counting }).pipe(take(1)).subscribe();
    expect([made, model.requests.length]).toEqual([0, 0]);
  });

  it('loads the default validator where none is given, and asks the model after that', async () => {
    const model = asking();
    const played = playOf({ model, tools: [add] });
    expect([played.events.map(({ type }) => type), model.requests.length]).toEqual([['run-start'], 0]);
    const outcome = await firstValueFrom(toolLoop({ model: asking(), tools: [add], prompt: 'go' }).pipe(toOutcome()));
    expect(outcome).toMatchObject({ reason: 'answer', completion: { text: 'done' } });
    played.leave();
  });

  it('asks nothing of a model whose run was left while the default validator was loading', async () => {
    // Loaded anew: by now there is a validator, and with it a run begins at once.
    jest.resetModules();
    const { toolLoop: anew } = jest.requireActual<typeof import('../../lib/loop/tool-loop.ts')>('../../lib/loop/tool-loop.ts');
    const model = asking();
    anew({ model, tools: [add], prompt: 'go' }).subscribe().unsubscribe();
    await firstValueFrom(anew({ model: asking(), tools: [add], prompt: 'go' }).pipe(toOutcome()));
    expect(model.requests).toHaveLength(0);
  });

  it('refuses a validator that is none when the loop is called', () => {
    const options = { model: asking(), prompt: 'go', validator: {} } as never;
    expect(() => toolLoop(options)).toThrow(ConfigError);
    expect(() => toolLoop(options)).toThrow('toolLoop: validator is no function; give jsonSchemaValidator(), or your own.');
  });
});

describe('the output', () => {
  it('can check itself after the preflight, and is no tool of the run', () => {
    const { run } = loopUnit({ output: { schema: { type: 'object', required: ['a'] } }, tools: [add], validator });
    let bound: Bound | undefined;
    preflight(run).subscribe((value) => (bound = value));
    expect([...(bound?.tools.keys() ?? [])]).toEqual(['add']);
    expect(bound?.checker?.input['~standard'].validate({})).toMatchObject({ issues: [expect.anything()] });
  });

  it('is refused for a schema that the validator cannot honour', () => {
    expect(refusal({ output: { schema: { type: 'object', properties: { a: { tpye: 'string' } } } }, validator })).toMatchObject({ types: ['run-start'], message: expect.stringContaining('tpye') });
  });
});
