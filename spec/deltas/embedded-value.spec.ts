import { describe, expect, it } from '@jest/globals';
import { readClause } from '../../lib/deltas/embedded-clause.ts';
import { readValue } from '../../lib/deltas/embedded-value.ts';
import type { Kind } from '../../lib/deltas/embedded-value.ts';

interface Given {
  readonly name?: string;
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Words of the tool. */
  readonly known?: readonly string[];
  /** Words that are taken already. */
  readonly taken?: readonly string[];
}

function read(kind: Kind, text: string, { name = 'p', schema = {}, known = [], taken = [] }: Given = {}) {
  const clause = readClause(text);
  const used = new Set(clause.tokens.filter((token) => taken.includes(token.text)));
  return readValue({ name, kind, schema, isRequired: true }, { clause, used, isKnown: ({ key }) => known.includes(key) });
}

const value = (...given: Parameters<typeof read>) => read(...given)?.value;

describe('readValue', () => {
  it('gives a constant whatever the clause says', () => {
    expect(value('const', '', { schema: { const: 7 } })).toBe(7);
    expect(read('const', '', { schema: { const: null } })).toEqual({ value: null, used: [] });
  });

  describe('of an enum', () => {
    const units = { schema: { enum: ['km', 'miles', 'light years'] } };

    it('takes the member that occurs first, in any case and as whole words', () => {
      expect(value('enum', 'from Miles to KM', units)).toBe('miles');
      expect(value('enum', 'ten light-years away', units)).toBe('light years');
      expect(value('enum', 'kms', units)).toBeUndefined();
    });

    it('takes the member behind its own name before all others', () => {
      expect(value('enum', 'from km to miles', { ...units, name: 'to' })).toBe('miles');
    });

    it('takes no member twice', () => {
      expect(value('enum', 'from km to miles', { ...units, taken: ['km'] })).toBe('miles');
    });

    it('takes members that are no words', () => {
      expect(value('enum', '3 + 4', { schema: { enum: ['-', '+'] } })).toBe('+');
      expect(value('enum', 'level 2', { schema: { enum: [1, 2] } })).toBe(2);
      expect(value('enum', 'none', { schema: { enum: ['', '*'] } })).toBeUndefined();
    });
  });

  describe('of a time zone', () => {
    it.each([
      ['in Tokyo', 'Asia/Tokyo'],
      ['in new york now', 'America/New_York'],
      ['the Isle of Man', 'Europe/Isle_of_Man'],
      ['São Paulo', 'America/Sao_Paulo'],
      ['Port-au-Prince', 'America/Port-au-Prince'],
      ['utc', 'UTC'],
      ['for Europe/Vienna', 'Europe/Vienna'],
      ['in Asia/Kolkata.', 'Asia/Kolkata'],
      ['at Etc/GMT+5', 'Etc/GMT+5'],
    ])('reads %j', (text, zone) => expect(value('zone', text)).toBe(zone));

    it.each(['', 'here', 'in Nowhere/Atall', 'a "Tokyo" quotation'])('finds none in %j', (text) => expect(value('zone', text)).toBeUndefined());

    it('takes no city twice', () => {
      expect(value('zone', 'from Tokyo to London', { taken: ['Tokyo'] })).toBe('Europe/London');
      expect(value('zone', 'from Asia/Kolkata to Rome', { taken: ['Asia'] })).toBe('Europe/Rome');
    });
  });

  it('takes the arithmetic of a clause as a formula, else a quotation with a digit', () => {
    expect(value('formula', 'what is 12.5% of 349')).toBe('349 * 12.5 / 100');
    expect(value('formula', 'evaluate "sin(1)"')).toBe('sin(1)');
    expect(value('formula', 'evaluate "it"')).toBeUndefined();
    expect(read('formula', 'what is 1 + 2')?.used.map(({ text }) => text)).toEqual(['1', '2']);
  });

  it('takes what looks like a path or an address, else a quotation', () => {
    expect(value('path', 'write "hi" to out/a.txt.')).toBe('out/a.txt');
    expect(value('path', 'read (notes.md)')).toBe('notes.md');
    expect(value('path', 'open https://example.org/a?b=1')).toBe('https://example.org/a?b=1');
    expect(value('path', 'read "my notes"')).toBe('my notes');
    expect(value('path', 'the ratio 1/2 is 0.5')).toBeUndefined();
  });

  it('takes numbers in order, and whole ones for an integer', () => {
    expect(value('number', '2.5 and 3')).toBe(2.5);
    expect(value('number', '2.5 and 3', { taken: ['2.5'] })).toBe(3);
    expect(value('number', '2.5 and 3', { schema: { type: 'integer' } })).toBe(3);
    expect(value('number', 'minus \u22124 or 1,000')).toBe(-4);
    expect(value('number', 'none')).toBeUndefined();
    expect(value('number', '9'.repeat(400))).toBeUndefined();
    expect(value('numbers', '1, 2 and 1,000')).toEqual([1, 2, 1000]);
    expect(value('numbers', 'none')).toBeUndefined();
  });

  it('takes a boolean only where it is said', () => {
    expect(value('boolean', 'turn it off')).toBe(false);
    expect(value('boolean', 'answer yes')).toBe(true);
    expect(value('boolean', 'verbose output', { name: 'verbose' })).toBe(true);
    expect(value('boolean', 'hello')).toBeUndefined();
  });

  it.each([
    ['weather in New York today', 'New York'],
    ['weather for Paris, please', 'Paris'],
    ['forecast Lisbon', 'Lisbon'],
    ['weather paris', 'paris'],
    ['weather in "Saint Paul"', 'Saint Paul'],
    ['weather', undefined],
  ])('takes the place of %j', (text, place) => expect(value('place', text, { known: ['weather', 'forecast'] })).toBe(place));

  it.each([
    ['echo hello there, world', 'hello there, world'],
    ['echo "a, b" twice', 'a, b'],
    ['please echo', undefined],
    ['echo cats limit 5', 'cats'],
    ['echo cats limit', 'cats limit'],
  ])('takes the text of %j', (text, rest) => expect(value('text', text, { known: ['echo', 'limit'], taken: ['5'] })).toBe(rest));

  it.each([
    ['search the web for web design', 'web design'],
    ['search cats and dogs', 'cats and dogs'],
    ['tell me about cats', 'cats'],
  ])('takes the subject of %j', (text, subject) => expect(value('string', text, { known: ['search', 'web'] })).toBe(subject));

  it('says that free text is open to more, a quotation not', () => {
    expect(read('text', 'hello')?.isOpen).toBe(true);
    expect(read('text', '"hello"')?.isOpen).not.toBe(true);
    expect(read('place', 'in Paris')?.isOpen).not.toBe(true);
  });

  it('has no value for a property of another kind', () => {
    expect(read('other', 'anything 1 "x"')).toBeUndefined();
  });
});
