import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import jsonPatch from 'fast-json-patch';
import type { JsonPatchOperation } from '../../lib/index.ts';
import { again, seed } from '../properties/seed.ts';
import { applyJsonPatch, Refusal, segmentsOf } from '../../lib/projections/json-patch.ts';

const document = { list: [1, { deep: true }, 3], map: { a: { x: 1 }, 'b/c~': 2 }, none: null };
const after = (...patch: JsonPatchOperation[]): unknown => {
  const applied = applyJsonPatch(document, patch);
  return 'fault' in applied ? applied.fault : applied.document;
};

describe('applyJsonPatch', () => {
  it.each<[string, JsonPatchOperation, unknown]>([
    ['adds a member', { op: 'add', path: '/new', value: 1 }, { ...document, new: 1 }],
    ['adds over a member', { op: 'add', path: '/none', value: 1 }, { ...document, none: 1 }],
    ['adds before an item', { op: 'add', path: '/list/0', value: 0 }, { ...document, list: [0, 1, { deep: true }, 3] }],
    ['adds behind the last item', { op: 'add', path: '/list/-', value: 4 }, { ...document, list: [1, { deep: true }, 3, 4] }],
    ['adds at the length', { op: 'add', path: '/list/3', value: 4 }, { ...document, list: [1, { deep: true }, 3, 4] }],
    ['replaces', { op: 'replace', path: '/list/1/deep', value: null }, { ...document, list: [1, { deep: null }, 3] }],
    ['replaces an item', { op: 'replace', path: '/list/0', value: 'x' }, { ...document, list: ['x', { deep: true }, 3] }],
    ['removes a member with a name that is escaped', { op: 'remove', path: '/map/b~1c~0' }, { ...document, map: { a: { x: 1 } } }],
    ['removes an item', { op: 'remove', path: '/list/1' }, { ...document, list: [1, 3] }],
    ['moves', { op: 'move', from: '/map/a', path: '/list/1' }, { list: [1, { x: 1 }, { deep: true }, 3], map: { 'b/c~': 2 }, none: null }],
    ['copies', { op: 'copy', from: '/list/0', path: '/map/a/x' }, { ...document, map: { ...document.map, a: { x: 1 } } }],
    ['tests, whatever the order of keys', { op: 'test', path: '/map', value: { 'b/c~': 2, a: { x: 1 } } }, document],
    ['replaces the whole', { op: 'replace', path: '', value: [1] }, [1]],
    ['removes the whole', { op: 'remove', path: '' }, null],
    ['adds a member with an empty name', { op: 'add', path: '/', value: 1 }, { ...document, '': 1 }],
  ])('%s', (_title, operation, expected) => {
    expect(after(operation)).toEqual(expected);
  });

  it.each<[string, JsonPatchOperation, RegExp]>([
    ['a missing member', { op: 'remove', path: '/gone' }, /nothing at "gone"/],
    ['a missing parent', { op: 'add', path: '/gone/x', value: 1 }, /nothing at "gone"/],
    ['a parent that holds nothing', { op: 'add', path: '/none/x', value: 1 }, /nothing that could hold "x"/],
    ['an inherited member', { op: 'copy', from: '/toString', path: '/x' }, /nothing at "toString"/],
    ['a way through an inherited member', { op: 'add', path: '/toString/x', value: 1 }, /nothing at "toString"/],
    ['an index behind the end', { op: 'add', path: '/list/4', value: 1 }, /no index/],
    ['an index that is none', { op: 'replace', path: '/list/01', value: 1 }, /no index/],
    ['the end of a list where there is an item to be', { op: 'remove', path: '/list/-' }, /no index/],
    ['a name on a list', { op: 'add', path: '/list/length', value: 0 }, /no index/],
    ['a test that fails', { op: 'test', path: '/list/0', value: 2 }, /tests for/],
    ['a move into itself', { op: 'move', from: '/map', path: '/map/a' }, /into itself/],
    ['no value', { op: 'add', path: '/x' } as unknown as JsonPatchOperation, /no value/],
    ['no operation', { op: 'append', path: '/x' } as unknown as JsonPatchOperation, /"append" is no operation/],
    ['a path that begins nowhere', { op: 'remove', path: 'list' }, /begins with/],
    ['no path', { op: 'remove' } as unknown as JsonPatchOperation, /A path is a string/],
    ['__proto__', { op: 'add', path: '/__proto__/x', value: 1 }, /may not name "__proto__"/],
    ['constructor', { op: 'add', path: '/constructor/x', value: 1 }, /may not name "constructor"/],
    ['prototype', { op: 'move', from: '/a/prototype', path: '/x' }, /may not name "prototype"/],
  ])('refuses %s, and says where', (_title, operation, message) => {
    expect(after({ op: 'add', path: '/first', value: 1 }, operation)).toMatchObject({ index: 1, message: expect.stringMatching(message) });
  });

  it('changes no prototype and no document, also where it fails', () => {
    const before = JSON.stringify(document);
    after({ op: 'add', path: '/list/-', value: 1 }, { op: 'add', path: '/__proto__/polluted', value: 1 });
    expect(JSON.stringify(document)).toBe(before);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('keeps a member named __proto__ that a value brings', () => {
    const value: unknown = JSON.parse('{"__proto__":{"x":1}}');
    const changed = after({ op: 'add', path: '/map/own', value }, { op: 'add', path: '/map/own/y', value: 2 });
    expect(JSON.stringify((changed as typeof document).map)).toBe('{"a":{"x":1},"b/c~":2,"own":{"__proto__":{"x":1},"y":2}}');
  });

  it('shares what the patch does not touch', () => {
    const changed = after({ op: 'replace', path: '/list/0', value: 9 }) as typeof document;
    expect(changed.map).toBe(document.map);
    expect(changed.list[1]).toBe(document.list[1]);
    expect(changed.list).not.toBe(document.list);
  });

  it('passes on an error that is not about the patch', () => {
    const evil = new Proxy({}, { getOwnPropertyDescriptor: () => { throw new RangeError('mine'); } });
    expect(() => applyJsonPatch(evil, [{ op: 'remove', path: '/x' }])).toThrow(RangeError);
  });

  it(`does what the library for the other end does (${again})`, () => {
    const path = fc.constantFrom('', '/list', '/list/-', '/list/0', '/list/2', '/list/9', '/list/1/deep', '/map/a', '/map/b~1c~0', '/none', '/x', '/map/a/x');
    const operation = fc.record({ op: fc.constantFrom('add', 'replace', 'remove', 'move', 'copy', 'test'), path, from: path, value: fc.constantFrom(1, null, [2], { y: 3 }) });
    fc.assert(fc.property(fc.array(operation, { minLength: 1, maxLength: 4 }), (patch) => {
      const mine = applyJsonPatch(document, patch as unknown as JsonPatchOperation[]);
      if ('fault' in mine) return;
      // What it accepts, the library applies to the same end.
      const theirs = jsonPatch.applyPatch(structuredClone(document) as unknown, JSON.parse(JSON.stringify(patch)) as never, true, true).newDocument;
      expect(theirs).toEqual(mine.document);
    }), { numRuns: 2_000, seed });
  });
});

describe('segmentsOf', () => {
  it('reads a pointer', () => {
    expect([segmentsOf(''), segmentsOf('/'), segmentsOf('/a~1b/~01/-')]).toEqual([[], [''], ['a/b', '~1', '-']]);
  });

  it('throws with the pointer', () => {
    expect(() => segmentsOf('/a/__proto__')).toThrow(Refusal);
    expect(() => segmentsOf(3)).toThrow('A path is a string.');
  });
});
