import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planCalls } from '../../lib/deltas/embedded-plan.ts';
import type { ToolChoice, ToolSpec } from '../../lib/model.ts';

function spec(name: string, description: string, properties: Record<string, unknown>): ToolSpec {
  return { name, description, parameters: { type: 'object', properties, required: Object.keys(properties) } };
}

const calculator = spec('calculator', 'Evaluates an arithmetic expression exactly', { expression: { type: 'string' } });
const clock = spec('clock', 'The current date and time in a time zone', { timeZone: { type: 'string' } });
const add = spec('add', 'Adds two numbers', { a: { type: 'number' }, b: { type: 'number' } });
const search = spec('search', 'Searches the web', { query: { type: 'string' } });
const weather = spec('get_weather', 'Weather of a city', { city: { type: 'string' } });
const all = [calculator, clock, add, search, weather];

function calls(prompt: string, tools = all, choice: ToolChoice = 'auto'): string[] {
  return planCalls(prompt, tools, choice).calls.map(({ name, rawArguments }) => `${name} ${rawArguments}`);
}

function notes(prompt: string, tools = all, choice: ToolChoice = 'auto'): readonly string[] {
  return planCalls(prompt, tools, choice).notes;
}

const tokyo = 'clock {"timeZone":"Asia/Tokyo"}';
const london = 'clock {"timeZone":"Europe/London"}';

describe('planCalls', () => {
  it.each([
    ['What is 12.5% of 349, and what time is it in Tokyo?', ['calculator {"expression":"349 * 12.5 / 100"}', tokyo]],
    ['What is 7 times 8? What time is it in London?', ['calculator {"expression":"7 * 8"}', london]],
    ['the time in Tokyo then 1 + 2', [tokyo, 'calculator {"expression":"1 + 2"}']],
    ['the time in Tokyo; 1 + 2\n3 + 4。', [tokyo, 'calculator {"expression":"1 + 2"}', 'calculator {"expression":"3 + 4"}']],
    ['How is the weather in Paris and what is 2^8', ['get_weather {"city":"Paris"}', 'calculator {"expression":"2 ^ 8"}']],
  ])('gives each clause its tool: %j', (prompt, expected) => expect(calls(prompt)).toEqual(expected));

  it.each([
    ['add 2 and 3', ['add {"a":2,"b":3}']],
    ['search "cats and dogs, then birds"', ['search {"query":"cats and dogs, then birds"}']],
    ['search for cats and dogs', ['search {"query":"cats and dogs"}']],
    ['search for cats. Thanks, bye', ['search {"query":"cats"}']],
    ['In Tokyo, what time is it?', [tokyo]],
    ['What time is it, please, in Tokyo?', [tokyo]],
    ['What time is it in Tokyo, London and New York?', [tokyo, london, 'clock {"timeZone":"America/New_York"}']],
    ['What time is it in Tokyo, and how are you?', [tokyo]],
  ])('puts together what belongs together: %j', (prompt, expected) => expect(calls(prompt)).toEqual(expected));

  it('lets a neighbour give an optional value too, within the sentence', () => {
    const optional = [{ ...clock, parameters: { ...clock.parameters, required: [] } }];
    expect(calls('In Tokyo, what time is it?', optional)).toEqual([tokyo]);
    expect(calls('What time is it, please, in Tokyo?', optional)).toEqual([tokyo]);
    expect(calls('What time is it in Tokyo and London?', optional)).toEqual([tokyo, london]);
    expect(calls('What time is it? I was in Tokyo.', optional)).toEqual(['clock {}']);
  });

  it('prefers the tool that fits best, and of equal ones the first', () => {
    expect(calls('add 2 and 3', [calculator, add])).toEqual(['add {"a":2,"b":3}']);
    expect(calls('add 2 and 3', [calculator])).toEqual(['calculator {"expression":"2 + 3"}']);
    expect(calls('add 2 and 3', [add, { ...add, name: 'Add' }])).toEqual(['add {"a":2,"b":3}']);
  });

  it('prefers a tool that can be called to one that lacks an argument', () => {
    expect(calls('search weather', [weather, { ...search, parameters: {} }])).toEqual(['search {}']);
  });

  it.each(['', 'Hello!', 'Tell me about Tokyo', 'Tokyo', 'London calling, 5 times', '__proto__ constructor'])('calls nothing for %j', (prompt) => {
    expect(calls(prompt)).toEqual([]);
    expect(notes(prompt)).toEqual([]);
  });

  it('says once which argument a tool lacks', () => {
    const missing = 'I did not call clock: the prompt gives no value for timeZone.';
    expect(planCalls('What time is it? What date is it?', all, 'auto')).toMatchObject({ calls: [], notes: [missing] });
    expect(planCalls('What time is it, and what is 1 + 1?', all, 'auto').notes).toEqual([missing]);
    expect(calls('What time is it, and what is 1 + 1?')).toEqual(['calculator {"expression":"1 + 1"}']);
  });

  it('plans the same call once, and at most sixteen', () => {
    expect(calls('1 + 1, 1 + 1')).toEqual(['calculator {"expression":"1 + 1"}']);
    const many = Array.from({ length: 20 }, (_, n) => `1 + ${n}`).join(', ');
    expect(calls(many)).toHaveLength(16);
    expect(notes(Array.from({ length: 20 }, (_, n) => `call add {"a":${n}}`).join(' '))).toEqual([expect.stringContaining('at most 16')]);
  });
});

describe('planCalls, a call that is written out', () => {
  it('is made exactly so', () => {
    expect(calls('call add {"a":1,"b":2}')).toEqual(['add {"a":1,"b":2}']);
    expect(calls('Please CALL add{ "a": {"}": "\\"}"} } now')).toEqual(['add { "a": {"}": "\\"}"} }']);
    expect(calls('call add {not json}')).toEqual(['add {not json}']);
  });

  it('comes before what the rest of the prompt asks for', () => {
    expect(calls('What time is it in Tokyo, then call add {"a":1} and call add {"b":2}')).toEqual(['add {"a":1}', 'add {"b":2}', tokyo]);
  });

  it('is not made where the tool is not given, or not the one to call', () => {
    expect(planCalls('call nope {}', all, 'auto')).toMatchObject({ calls: [], notes: ['I was given no tool named nope.'] });
    expect(notes('call add {}', all, { tool: 'clock' })).toContain('I was not free to call add.');
  });

  it('is not made where it is never closed', () => {
    expect(calls('call search {"a": "}"')).toEqual([]);
    expect(notes('call add {"a": "}"')).toEqual(['I did not call add: the { of its arguments is never closed.']);
  });

  it('is none without arguments', () => {
    expect(calls('call add')).toEqual([]);
    expect(calls('recall add {"a":1}')).toEqual([]);
  });
});

describe('planCalls, tool choice', () => {
  it('none plans nothing', () => {
    expect(planCalls('call add {"a":1}, what time is it?', all, 'none')).toEqual({ calls: [], notes: [] });
  });

  it('required takes the best tool that the whole prompt can fill', () => {
    expect(calls('dogs', all)).toEqual([]);
    expect(calls('dogs', all, 'required')).toEqual(['search {"query":"dogs"}']);
    expect(calls('1 + 1', all, 'required')).toEqual(['calculator {"expression":"1 + 1"}']);
    expect(planCalls('dogs', [clock, add], 'required')).toMatchObject({
      calls: [],
      notes: ['I did not call clock: the prompt gives no value for timeZone.', 'I did not call add: the prompt gives no value for a, b.'],
    });
  });

  it('{ tool } calls that tool alone, or says why not', () => {
    expect(calls('1 + 1 and the time in Tokyo', all, { tool: 'clock' })).toEqual([tokyo]);
    expect(calls('Tokyo', all, { tool: 'clock' })).toEqual([tokyo]);
    expect(notes('hello', all, { tool: 'clock' })).toEqual(['I did not call clock: the prompt gives no value for timeZone.']);
    expect(planCalls('hello', all, { tool: 'gone' })).toMatchObject({ calls: [], notes: ['I was given no tool named gone.'] });
  });
});

describe('planCalls, given a hostile prompt', () => {
  it('plans something for any text, twice the same', () => {
    const piece = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('call add {', '}', '"', '1 + ', ', ', ' and ', 'time ', 'Tokyo ', '.*+?^${}()|[]\\', 'search '));
    const prompt = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
    fc.assert(fc.property(prompt, (text) => expect(planCalls(text, all, 'auto')).toEqual(planCalls(text, all, 'auto'))));
  });

  // Quadratic reading of these takes minutes, so that the suite's time limit stands for the bound.
  it.each([
    ' ', '\n', 'a', 'a ', 'a,a ', '1', '1,', '1, ', '1+', '2+2, ', '(', '"', '“', '`', '?', '😀', '-', '-1 ', '%', '50% of ', 'call ', 'call a {', 'call add {"', '{', 'a.b', '.*+?^${}()|[]\\',
    'Tokyo, ', 'time, ', 'Asia/b ', 'search for cats and ', 'add 1, ', 'the sum of 1 ', '中，', '\u0301', '!', 'to km ',
  ])('reads 100,000 characters of %j', (piece) => {
    const prompt = piece.repeat(Math.ceil(100_000 / piece.length));
    expect(planCalls(prompt, all, 'auto').calls.length).toBeLessThanOrEqual(16);
  });
});
