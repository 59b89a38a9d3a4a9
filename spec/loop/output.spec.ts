import { describe, expect, it } from '@jest/globals';
import { EMPTY, isObservable, of, throwError } from 'rxjs';
import * as z from 'zod';
import { scripted } from '../../lib/deltas/scripted.ts';
import { jsonSchemaValidator } from '../../lib/invoke/json-schema-validator.ts';
import { toolLoop } from '../../lib/index.ts';
import type { Done } from '../../lib/index.ts';
import { checkOutput, outputMode, withOutput } from '../../lib/loop/output.ts';
import type { OutputSettings } from '../../lib/loop/options.ts';
import { readOptions } from '../../lib/loop/read-options.ts';
import { toolCall } from '../../lib/message.ts';
import type { AssistantPart, FinishReason } from '../../lib/message.ts';
import type { Tool } from '../../lib/tool.ts';
import { hear } from '../support/invoke-context.ts';
import { play } from '../support/play.ts';
import { ended } from '../support/steps.ts';

const schema = z.object({ a: z.number() });
const settings = (output: object = {}): OutputSettings => readOptions({ model: scripted([]), prompt: 'go', output: { schema, ...output } }).output as OutputSettings;
const checker = (validate?: (value: unknown) => unknown): Tool => (validate === undefined ? settings().checker : { ...settings().checker, input: { '~standard': { version: 1, vendor: 'x', validate: validate as never, jsonSchema: { input: () => ({}) } } } });
const text = (said: string): AssistantPart => ({ type: 'text', text: said, block: 'b' });
const called = (name: string, raw: string): AssistantPart => ({ type: 'tool-call', call: toolCall('c', name, raw) });
const check = (parts: readonly AssistantPart[], finish: FinishReason = 'stop', one = checker()) => {
  const said = checkOutput(one, ended(finish, parts));
  return isObservable(said) ? hear(said).values[0] : said;
};

describe('outputMode', () => {
  it('is the first that the model can do, unless it was chosen', () => {
    const mode = (capabilities: ('json-schema' | 'tools')[], output = {}): string => outputMode(settings(output), scripted([], { capabilities }));
    expect([mode(['tools', 'json-schema']), mode(['tools']), mode([])]).toEqual(['native', 'tool', 'prompt']);
    expect(mode([], { mode: 'tool' })).toBe('tool');
  });
});

describe('withOutput', () => {
  const asked = (mode: string, system?: string) => withOutput({ tools: [], system }, settings({ mode }), scripted([]));

  it('tells the model what is wanted, in each mode in its own place', () => {
    const { parameters } = settings();
    expect(asked('native')).toEqual({ tools: [], system: undefined, output: { name: 'final_result', schema: parameters } });
    expect(asked('tool', 's')).toMatchObject({ tools: [{ name: 'final_result', parameters }], system: 's' });
    expect(asked('prompt').system).toContain(JSON.stringify(parameters));
    expect(asked('prompt', 's').system).toMatch(/^s\n\nGive the final answer/);
  });
});

describe('checkOutput', () => {
  it.each([
    ['JSON', '{"a":1}'], ['JSON in a fence', '```json\n{"a":1}\n```'], ['a fence without a name', '```\n{"a":1}\n```'],
    ['a fence between words', 'Here it is:\n```json\n{"a":1}\n```\nDone.'], ['JSON with space around it', ' {"a":1}\n'],
  ])('takes a text of %s', (_name, said) => {
    expect(check([text(said)])).toEqual({ ok: true, json: { a: 1 }, text: said });
  });

  it.each([
    ['words', 'It is 1.', '', 'the answer is not JSON.'],
    ['nothing', '', '', 'the answer is not JSON.'],
    ['two fences', '```\n{"a":1}\n```\n```\n{"a":2}\n```', '', 'the answer is not JSON.'],
    ['a list', '[1]', '', 'expected a JSON object.'],
    ['null', 'null', '', 'expected a JSON object.'],
    ['another object', '{"a":"x"}', 'a', expect.stringMatching(/^a: /)],
  ])('refuses %s, and says where and why', (_name, said, path, reason) => {
    expect(check([text(said)])).toEqual({ ok: false, path, reason, text: said });
  });

  it('takes a call of the output tool, whatever stands beside it', () => {
    expect(check([text('Here.'), called('add', '{}'), called('final_result', '{"a":1}')], 'tool-use')).toMatchObject({ ok: true, json: { a: 1 }, text: '{"a":1}' });
    expect(check([called('final_result', '{"a":')], 'tool-use')).toMatchObject({ ok: false, callId: 'c', reason: 'expected a JSON object.' });
  });

  it('takes empty arguments for an empty object', () => {
    expect(check([called('final_result', '')], 'tool-use', checker((value) => ({ value })))).toMatchObject({ ok: true, json: {}, text: '{}' });
  });

  it('says nothing of a step that does not answer', () => {
    expect(check([called('add', '{}')], 'tool-use')).toBeUndefined();
    for (const finish of ['length', 'content-filter', 'refusal', 'pause'] as const) expect(check([text('{"a":1}')], finish)).toBeUndefined();
  });

  it('waits for a schema that answers later, takes its first answer, and an empty one for no opinion', () => {
    const one = [text('{"a":1}')];
    expect(check(one, 'stop', checker((value) => of({ value }, { value: 2 })))).toMatchObject({ ok: true, json: { a: 1 } });
    expect(check(one, 'stop', checker(() => of({ issues: [{ message: 'no' }] })))).toMatchObject({ ok: false, reason: 'no.' });
    expect(check(one, 'stop', checker(() => EMPTY))).toMatchObject({ ok: true, json: { a: 1 } });
  });

  it('is what the schema makes of it, as JSON has that', () => {
    expect(check([text('{"a":1}')], 'stop', checker(() => ({ value: { at: new Date(0) } })))).toMatchObject({ ok: true, json: { at: '1970-01-01T00:00:00.000Z' } });
    expect(check([text('{"a":1}')], 'stop', checker(() => ({ value: 1n })))).toMatchObject({ ok: false, reason: expect.stringContaining('bigint') });
  });
});

describe('a run with an output', () => {
  const ran = (output: object, ...turns: Parameters<typeof scripted>[0]) => play(toolLoop({ model: scripted(turns), prompt: 'go', output: output as never, validator: jsonSchemaValidator() }));
  const last = (played: ReturnType<typeof ran>): unknown => (played.events.at(-1) as Done).outcome;

  it('ends with it: of a raw JSON Schema, of one that transforms, and of one that answers later', async () => {
    const turn = { calls: [{ name: 'final_result', arguments: { a: 1 } }] };
    expect(last(ran({ schema: { type: 'object', properties: { a: { type: 'number' } } } }, turn))).toMatchObject({ reason: 'output', completion: { json: { a: 1 } } });
    expect(last(ran({ schema: z.object({ a: z.number().transform((n) => `n${n}`) }) }, turn))).toMatchObject({ reason: 'output', completion: { json: { a: 'n1' } }, answer: { content: [{ text: '{"a":1}' }] } });
    const later = ran({ schema: z.object({ a: z.number().refine(async () => true) }) }, turn);
    await new Promise(setImmediate);
    expect(later.ending === 'none' ? later.events.at(-1) : last(later)).toMatchObject({ reason: 'output' });
  });

  it('fails where its schema throws', () => {
    const failing = (validate: unknown) => ({ schema: { '~standard': { version: 1, vendor: 'x', validate, jsonSchema: { input: () => ({ type: 'object' }) } } } });
    expect(ran(failing(() => { throw new Error('bug'); }), { text: '{}' })).toMatchObject({ ending: 'error', error: { cause: { message: 'bug' } } });
    expect(ran(failing(() => throwError(() => new Error('bug'))), { text: '{}' })).toMatchObject({ ending: 'error' });
  });

  it('ends with an output that a reserved last step calls for all the same', () => {
    const model = scripted([{ calls: [{ name: 'final_result', arguments: { a: 1 } }] }]);
    const played = play(toolLoop({ model, prompt: 'go', output: { schema }, budget: { maxSteps: 1, lastStep: 'answer' } }));
    expect(last(played)).toMatchObject({ reason: 'output', completion: { json: { a: 1 } }, answer: { content: [{ text: '{"a":1}' }] } });
  });
});
