import { describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { figures, maybe, number, open, record, text, yes } from '../lib/schema-field.ts';

describe('the words of the schemas', () => {
  it('let a field be absent, but not null', () => {
    const schema = z.looseObject({ a: maybe(text) });

    expect([{}, { a: 'x' }, { a: null }].map((value) => schema.safeParse(value).success)).toEqual([true, true, false]);
  });

  it('let a flag be there or not there', () => {
    expect([true, false].map((value) => yes.safeParse(value).success)).toEqual([true, false]);
  });

  it('keep every key of a free-form object', () => {
    const value: unknown = JSON.parse('{"__proto__":1,"a":2}');

    expect(Object.keys(record.parse(value))).toEqual(['__proto__', 'a']);
    expect([[], null, 'a', 1].map((one) => record.safeParse(one).success)).toEqual([false, false, false, false]);
    expect([{ a: 1 }, {}, { a: '1' }, [1]].map((one) => figures.safeParse(one).success)).toEqual([true, true, false, false]);
  });

  it('check an object by its type where that is known, and by what all have where it is not', () => {
    const schema = open({ id: text }, { count: z.looseObject({ n: number }) });
    const faults = (value: unknown): unknown => schema.safeParse(value).error?.issues.map(({ path }) => path.join('.'));

    expect(faults({ type: 'count', id: 'a', n: 1 })).toBeUndefined();
    expect(faults({ type: 'count', id: 'a', n: '1' })).toEqual(['n']);
    expect(faults({ type: 'toString', id: 'a', n: '1' })).toBeUndefined();
    expect(faults({ type: 'toString' })).toEqual(['id']);
    expect(faults({ id: 'a' })).toEqual(['type']);
  });
});
