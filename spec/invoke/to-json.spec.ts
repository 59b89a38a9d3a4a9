import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { toJson } from '../../lib/invoke/to-json.ts';

describe('toJson', () => {
  it.each([
    ['a string', 'hi', 'hi'],
    ['a number', 1, 1],
    ['null', null, null],
    ['an array', [1, 'a'], [1, 'a']],
    ['a date as its text', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['what has no number as null', [NaN, Infinity], [null, null]],
    ['an object without what JSON leaves out', { a: 1, b: undefined, c: () => 1 }, { a: 1 }],
    ['a map as the empty object that JSON makes of it', new Map([[1, 2]]), {}],
  ])('takes %s', (_name, value, json) => {
    expect(toJson(value)).toMatchObject({ ok: true, value: json });
  });

  it.each([['undefined', undefined], ['a function', () => 1], ['a symbol', Symbol('s')]])('has no value for %s', (_name, value) => {
    expect(toJson(value)).toEqual({ ok: true });
  });

  it('gives a copy, so that a later change of the value changes nothing', () => {
    const value = { list: [1] };
    const json = toJson(value);
    value.list.push(2);
    expect(json).toMatchObject({ value: { list: [1] } });
  });

  it('says where a cycle is', () => {
    const value: Record<string, unknown> = { deep: [{ ok: 1 }] };
    (value['deep'] as unknown[]).push({ back: value });
    expect(toJson(value)).toEqual({ ok: false, reason: 'the value.deep[1].back refers back to the value, which JSON cannot carry' });
  });

  it('says where a bigint is', () => {
    expect(toJson({ a: { b: [1n] } })).toEqual({ ok: false, reason: 'the value.a.b[0] is a bigint, which JSON cannot carry' });
    expect(toJson(1n)).toEqual({ ok: false, reason: 'the value is a bigint, which JSON cannot carry' });
  });

  it('says what toJSON threw', () => {
    expect(toJson({ toJSON: () => { throw new Error('no'); } })).toEqual({ ok: false, reason: 'no' });
    expect(toJson({ toJSON: () => { throw 'odd'; } })).toEqual({ ok: false, reason: 'odd' });
  });

  it('takes one object in two places, which is no cycle', () => {
    const shared = { a: 1 };
    expect(toJson([shared, shared])).toMatchObject({ ok: true, value: [{ a: 1 }, { a: 1 }] });
  });

  it('ends for a value that is deeper than the stack', () => {
    let deep: unknown = 1n;
    for (let n = 0; n < 20_000; n++) deep = [deep];
    expect(toJson(deep).ok).toBe(false);
  });

  it('keeps an own __proto__ key an own key', () => {
    const json = toJson(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(json.ok && Object.keys(json.value as object)).toEqual(['__proto__']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('agrees with JSON.stringify for whatever JSON can hold', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(toJson(value)).toMatchObject({ ok: true, value: JSON.parse(JSON.stringify(value)) })));
  });
});
