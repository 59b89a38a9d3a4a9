import { describe, expect, it } from '@jest/globals';
import { EMPTY, firstValueFrom, isObservable, of } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { defineTool } from '../../lib/invoke/define-tool.ts';
import { validate } from '../../lib/invoke/validate.ts';
import type { Checked } from '../../lib/invoke/validate.ts';
import { toolCall } from '../../lib/message.ts';
import type { ToolCall } from '../../lib/message.ts';
import type { Tool, ToolInput } from '../../lib/tool.ts';

const tool = (input: ToolInput<any, any>): Tool => defineTool({ name: 'add', description: 'Adds.', input, run: () => 1 });
const numbers = tool(z.object({ a: z.number(), list: z.array(z.object({ b: z.string() })).optional() }));
const anything = (validator: ToolInput['~standard']['validate']): Tool =>
  tool({ '~standard': { version: 1, vendor: 'own', validate: validator, jsonSchema: { input: () => ({}) } } });

function check(one: Tool, call: ToolCall): Checked {
  const answer = validate(one, call);
  let checked: Checked | undefined;
  if (!isObservable(answer)) return answer;
  answer.subscribe((value) => (checked = value));
  if (checked === undefined) throw new Error('not at once');
  return checked;
}

const reason = (one: Tool, call: ToolCall): string => {
  const checked = check(one, call);
  return checked.ok ? 'ok' : checked.reason;
};

describe('validate', () => {
  it('gives the arguments as the schema made them, at once', () => {
    const dated = tool(z.object({ day: z.string().transform((text) => new Date(text)), n: z.number().default(3) }));
    expect(check(dated, toolCall('c', 'add', '{"day":"1970-01-01"}'))).toEqual({ ok: true, args: { day: new Date(0), n: 3 } });
  });

  it.each([
    ['empty text', toolCall('c', 'add', '')],
    ['white space', toolCall('c', 'add', ' \n')],
    ['no arguments', { id: 'c', name: 'add', arguments: undefined }],
    ['an empty string without raw text', { id: 'c', name: 'add', arguments: '' }],
  ])('reads %s as an empty object, then checks it', (_name, call) => {
    expect(check(tool(z.object({})), call)).toEqual({ ok: true, args: {} });
    expect(reason(numbers, call)).toMatch(/^Invalid arguments for tool "add": a: /);
  });

  it.each([
    ['null', 'null', 'expected a JSON object, got null.'],
    ['an array', '[1]', 'expected a JSON object, got an array.'],
    ['a number', '7', 'expected a JSON object, got a number.'],
    ['a JSON string', '"hi"', 'expected a JSON object, got a string.'],
    ['text that is not JSON', 'a: 1', 'not valid JSON ('],
    ['a cut object', '{"a": 1', 'not valid JSON ('],
  ])('refuses %s', (_name, raw, message) => {
    expect(reason(anything((value) => ({ value })), toolCall('c', 'add', raw))).toContain(`Invalid arguments for tool "add": ${message}`);
  });

  it('names the path and the reason of each issue, and counts those that it leaves out', () => {
    expect(reason(numbers, toolCall('c', 'add', '{"a":1,"list":[{"b":1},{"b":"x"},{}]}'))).toMatch(/: list\[0\]\.b: .*; list\[2\]\.b: /);
    const many = anything(() => ({ issues: Array.from({ length: 11 }, (_, at) => ({ message: `m${at}`, path: [{ key: 'k' }, at] })) }));
    expect(reason(many, toolCall('c', 'add', '{}'))).toMatch(/k\[0\]: m0; .*k\[7\]: m7; and 3 more$/);
  });

  it('says an issue without a path by its message alone', () => {
    expect(reason(anything(() => ({ issues: [{ message: 'odd' }] })), toolCall('c', 'add', '{}'))).toBe('Invalid arguments for tool "add": odd');
  });

  it('waits for a schema that answers later', async () => {
    const later = anything(async (value) => ({ value }));
    await expect(firstValueFrom(validate(later, toolCall('c', 'add', '{"a":1}')) as Observable<Checked>)).resolves.toEqual({ ok: true, args: { a: 1 } });
  });

  it('takes the first answer of an Observable, and an empty one as no opinion', () => {
    expect(check(anything(() => of({ value: 1 }, { value: 2 }) as never), toolCall('c', 'add', '{}'))).toEqual({ ok: true, args: 1 });
    expect(check(anything(() => EMPTY as never), toolCall('c', 'add', '{"a":1}'))).toEqual({ ok: true, args: { a: 1 } });
  });

  it.each([
    ['throws', () => { throw new Error('bug'); }],
    ['rejects', () => Promise.reject(new Error('bug'))],
    ['rejects with a text', () => Promise.reject('bug')],
    ['rejects with something that looks like an answer', () => Promise.reject(Object.assign(new Error('bug'), { ok: false }))],
  ])('accepts nothing where the schema %s', async (_name, run) => {
    const said = validate(anything(run as never), toolCall('c', 'add', '{}'));
    const checked = isObservable(said) ? await firstValueFrom(said) : said;
    expect(checked).toEqual({ ok: false, reason: 'The schema of tool "add" failed: bug' });
  });

  it('gives the tool a copy, whatever the schema passes on', () => {
    const call = toolCall('c', 'add', '{"a":{"b":[1,{"c":null}]}}');
    const checked = check(anything((value) => ({ value })), call);
    expect(checked).toEqual({ ok: true, args: call.arguments });
    const { args } = checked as { args: { a: { b: unknown[] } } };
    args.a.b.push('changed');
    expect(call.arguments).toEqual({ a: { b: [1, { c: null }] } });
  });

  it('keeps hostile keys own keys at any depth', () => {
    const checked = check(anything((value) => ({ value })), toolCall('c', 'add', '{"a":[{"__proto__":{"polluted":1},"constructor":2}]}'));
    const [inner] = (checked as { args: { a: object[] } }).args.a;
    expect(Object.keys(inner as object)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(inner)).toBe(Object.prototype);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
