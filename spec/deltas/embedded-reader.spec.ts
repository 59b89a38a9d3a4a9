import { describe, expect, it } from '@jest/globals';
import { readClause } from '../../lib/deltas/embedded-clause.ts';
import { readersOf } from '../../lib/deltas/embedded-reader.ts';
import type { Offer } from '../../lib/deltas/embedded-reader.ts';
import type { ToolSpec } from '../../lib/model.ts';

type Properties = Readonly<Record<string, unknown>>;
const string = { type: 'string' };
const number = { type: 'number' };

function spec(name: string, description = '', properties: Properties = {}, required = Object.keys(properties)): ToolSpec {
  return { name, description, parameters: { type: 'object', properties, required } };
}

function offers(text: string, ...tools: ToolSpec[]): Offer[] {
  return readersOf(tools).map((reader) => reader.offer(readClause(text)));
}

function offer(text: string, tool: ToolSpec): Offer {
  return offers(text, tool)[0] as Offer;
}

function filled(text: string, properties: Properties, required?: string[]) {
  return offer(text, spec('tool', '', properties, required)).filled;
}

describe('a reader, scoring a clause', () => {
  const clock = spec('clock', 'The current date and time in a time zone', { timeZone: string });

  it('gives a word of the name more than one of the description, and nothing for neither', () => {
    const [byName, byDescription, none] = ['stop the clock', 'date a dog', 'feed a dog'].map((text) => offer(text, clock).score);
    expect(byName).toBeGreaterThan(byDescription ?? NaN);
    expect(byDescription).toBeGreaterThan(0);
    expect(none).toBe(0);
  });

  it.each(['getUserNames', 'get_user_name', 'get-user-name', 'GetUserName'])('reads the words of %s', (name) => {
    expect(offer('the user of this name', spec(name)).score).toBe(7);
  });

  it('knows a name that is written as two words, and one that says nothing elsewhere', () => {
    expect(offer('look up cats', spec('lookup', '', { query: string })).score).toBe(3);
    expect(offer('now', spec('now')).score).toBe(4);
    expect(offer('now', spec('now_playing')).score).toBe(0);
  });

  it('shares a word between the tools that have it in their names', () => {
    const [read, write] = offers('read the file', spec('read_file'), spec('write_file'));
    expect(read?.score).toBe(5.5);
    expect(write?.score).toBe(1.5);
  });

  it('gives property names what it gives the description', () => {
    expect(offer('dog amounts', spec('pay', '', { amount: number }, [])).score).toBe(1);
  });

  it('gives a description less in a clause that speaks mainly of something else', () => {
    const long = 'dogs cats birds cows mice rats ants bees date';
    expect(offer(long, clock).score).toBeLessThan(0.5);
  });

  it('gives one more where every word is the tool\'s or a value', () => {
    expect(offer('what time is it in Tokyo', clock).score).toBe(3);
    expect(offer('what best time is it in Tokyo', clock).score).toBe(2);
    expect(offer('Tokyo', clock).score).toBe(1);
  });

  it('lets values speak for a tool: a formula most, free text not at all', () => {
    expect(offer('1 + 2', spec('calc', '', { expression: string })).score).toBe(3);
    expect(offer('3 km', spec('tool', '', { n: number, unit: { enum: ['km'] } })).score).toBe(2);
    expect(offer('dogs', spec('tool', '', { text: string })).score).toBe(0);
  });

  it('takes a verb of arithmetic as a hint that a formula is meant', () => {
    const { score, filled: { missing } } = offer('multiply it', spec('calc', '', { expression: string }));
    expect({ score, missing }).toEqual({ score: 2, missing: ['expression'] });
  });
});

describe('a reader, filling arguments', () => {
  it('fills by schema, in the order of the schema', () => {
    const properties = { text: string, unit: { enum: ['km', 'miles'] }, count: { type: 'integer' } };
    const { arguments: given, missing } = filled('7 miles of road', properties);
    expect(JSON.stringify(given)).toBe('{"text":"road","unit":"miles","count":7}');
    expect(missing).toEqual([]);
  });

  it.each<[string, Properties, string, unknown]>([
    ['timeZone', string, 'in Tokyo', 'Asia/Tokyo'],
    ['time_zone', string, 'in Tokyo', 'Asia/Tokyo'],
    ['where', { type: 'string', description: 'IANA name' }, 'in Tokyo', 'Asia/Tokyo'],
    ['expression', string, '1 plus 2', '1 + 2'],
    ['input', { type: 'string', description: 'An arithmetic expression' }, '1 plus 2', '1 + 2'],
    ['filePath', string, 'open a.txt', 'a.txt'],
    ['city', string, 'rain in Rome', 'Rome'],
    ['location', string, 'rain in Rome', 'Rome'],
    ['query', string, 'rain in Rome', 'rain in Rome'],
    ['capacity', string, 'rain in Rome', 'rain in Rome'],
    ['amount', { type: ['null', 'number'] }, '1.5', 1.5],
    ['amount', { anyOf: [{ type: 'null' }, { type: 'integer' }] }, '1.5 and 2', 2],
    ['unit', { anyOf: [{ const: 'km' }, { const: 'miles' }] }, 'in miles', 'miles'],
    ['numbers', { type: 'array', items: number }, '1 and 2', [1, 2]],
    ['kind', { const: 'circle' }, '', 'circle'],
    ['on', { type: 'boolean' }, 'yes', true],
  ])('fills %s with schema %j from %j', (name, schema, text, value) => {
    expect(filled(text, { [name]: schema }).arguments).toEqual({ [name]: value });
  });

  it('names the required properties that the clause has nothing for', () => {
    expect(filled('2 dogs', { a: number, b: number, zone: string }).missing).toEqual(['b', 'zone']);
    expect(filled('dogs', { list: { type: 'array', items: string }, nested: { type: 'object' } }).missing).toEqual(['list', 'nested']);
    expect(filled('dogs', { odd: true }).missing).toEqual(['odd']);
    expect(filled('dogs', {}, ['unheard']).missing).toEqual(['unheard']);
  });

  it('leaves optional properties out, but for what is said for certain', () => {
    const properties = { query: string, unit: { enum: ['km'] }, zone: string, exact: { type: 'boolean' }, limit: number, note: string };
    expect(filled('exact dogs', properties, ['query']).arguments).toEqual({ query: 'dogs' });
    expect(filled('dogs limit 5 in km in Rome', properties, ['query']).arguments).toEqual({
      query: 'dogs', unit: 'km', zone: 'Europe/Rome', limit: 5,
    });
  });

  it('lets the surer kinds choose first', () => {
    const { arguments: given } = filled('put "hello" in a.txt', { text: string, path: string });
    expect(given).toEqual({ text: 'hello', path: 'a.txt' });
  });

  it('does not let free text begin with a word of the tool', () => {
    expect(offer('search query dogs', spec('search', 'dogs', { query: string })).filled.arguments).toEqual({ query: 'dogs' });
  });

  it('keeps hostile property names as own keys', () => {
    const schema = JSON.parse('{"__proto__":{"const":1},"constructor":{"const":2}}') as Properties;
    const { arguments: given } = filled('', schema);
    expect(JSON.stringify(given)).toBe('{"__proto__":1,"constructor":2}');
    expect(Object.getPrototypeOf(given)).toBe(Object.prototype);
  });

  it.each([{}, { properties: null }, { properties: [], required: 'all' }])('reads the parameters %j as none', (parameters) => {
    expect(readersOf([{ name: 'tool', description: '', parameters }])[0]?.offer(readClause('x')).filled.arguments).toEqual({});
  });
});
