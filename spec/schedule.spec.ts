import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { of } from 'rxjs';
import { concurrent, dependencyTiers, parallelSafe, sequential } from '../lib/schedule.ts';
import type { CallGroup, Scheduled } from '../lib/schedule.ts';
import { fakeTool } from '../marbles/index.ts';

const safe = fakeTool(of(1), { name: 'safe', parallelSafe: true });
const alone = fakeTool(of(1), { name: 'alone' });

/** `s` is a call of a safe tool, `a` of one that runs alone, `?` of one that does not exist. */
function calls(letters: string): Scheduled[] {
  const tools = { s: safe, a: alone, '?': undefined } as const;
  return [...letters].map((letter, index) => ({
    call: { id: `c${index}`, name: letter, arguments: {} },
    tool: tools[letter as keyof typeof tools],
  }));
}

const drawn = (groups: readonly CallGroup[]): string[] => groups.map((group) => group.calls.map(({ call }) => call.name).join(''));

describe('sequential', () => {
  it('is one group that runs one after another', () => {
    const given = calls('sas');
    expect(sequential(given)).toEqual([{ calls: given, bound: 1 }]);
  });
});

describe('concurrent', () => {
  it('is one group of all calls, whatever their tools say', () => {
    const given = calls('sa?');
    expect(concurrent(5)(given)).toEqual([{ calls: given, bound: 5 }]);
  });
});

describe('parallelSafe', () => {
  it.each([
    ['sss', ['sss']],
    ['aaa', ['a', 'a', 'a']],
    ['ssass', ['ss', 'a', 'ss']],
    ['as', ['a', 's']],
    ['s?s', ['s', '?', 's']],
    ['saas', ['s', 'a', 'a', 's']],
    ['', []],
  ])('makes of %s the groups %j', (letters, groups) => {
    expect(drawn(parallelSafe(4)(calls(letters)))).toEqual(groups);
  });

  it('gives every group its bound', () => {
    expect(parallelSafe(4)(calls('ssass')).map(({ bound }) => bound)).toEqual([4, 4, 4]);
  });

  it('keeps every call once, in call order, and never an unsafe one beside another', () => {
    const letters = fc.string({ unit: fc.constantFrom('s', 'a', '?'), maxLength: 12 });
    fc.assert(
      fc.property(letters, fc.nat(4), (text, bound) => {
        const given = calls(text);
        const groups = parallelSafe(bound)(given);
        expect(groups.flatMap((group) => group.calls)).toEqual(given);
        for (const group of drawn(groups)) expect(group === 's'.repeat(group.length) || group.length === 1).toBe(true);
      }),
      { seed: 1 },
    );
  });

  it('has no memory of the calls of another step', () => {
    const schedule = parallelSafe(4);
    expect([drawn(schedule(calls('ss'))), drawn(schedule(calls('s')))]).toEqual([['ss'], ['s']]);
  });
});

describe('dependencyTiers', () => {
  /** `b: a` is a call `b` whose arguments name call `a`; several are split by commas. */
  const linked = (...lines: readonly string[]): Scheduled[] =>
    lines.map((line) => {
      const [id = '', named = ''] = line.split(': ');
      return { call: { id, name: 'tool', arguments: { from: named.split(', ') } }, tool: alone };
    });
  const ids = (groups: readonly CallGroup[]): string[] => groups.map((group) => group.calls.map(({ call }) => call.id).join(''));
  const needs = (groups: readonly CallGroup[]): Record<string, readonly string[]> =>
    Object.fromEntries(groups.flatMap((group) => group.calls.flatMap(({ call, after }) => (after === undefined ? [] : [[call.id, after]]))));
  const plan = (given: readonly Scheduled[]): readonly [string[], Record<string, readonly string[]>] => {
    const groups = dependencyTiers(8)(given);
    return [ids(groups), needs(groups)];
  };

  it.each<[string, string[], string[], Record<string, string[]>]>([
    ['one group where nothing is linked', ['a', 'b', 'c'], ['abc'], {}],
    ['no group of no call', [], [], {}],
    ['a later group for a call that names another', ['a', 'b: a', 'c'], ['ac', 'b'], { b: ['a'] }],
    ['a group for each link of a chain', ['a', 'b: a', 'c: b'], ['a', 'b', 'c'], { b: ['a'], c: ['b'] }],
    ['a later group for a call that names a later one', ['a: c', 'b', 'c'], ['bc', 'a'], { a: ['c'] }],
    ['one wait for all that a call names', ['a', 'b: a', 'c: b, a'], ['a', 'b', 'c'], { b: ['a'], c: ['a', 'b'] }],
    ['one group for all that wait for one', ['a', 'b: a', 'c: a'], ['a', 'bc'], { b: ['a'], c: ['a'] }],
    ['nothing of a call that names itself', ['a: a', 'b'], ['ab'], {}],
    ['nothing of an id that no call of the step has', ['a: x', 'b'], ['ab'], {}],
  ])('makes %s [77]', (_name, lines, groups, after) => {
    expect(plan(linked(...lines))).toEqual([groups, after]);
  });

  it.each<[string, string[], string[], Record<string, string[]>]>([
    ['two', ['a: b', 'b: a'], ['a', 'b'], { b: ['a'] }],
    ['three', ['a: b', 'b: c', 'c: a'], ['a', 'c', 'b'], { b: ['c'], c: ['a'] }],
    ['all of each other', ['a: b, c', 'b: a, c', 'c: a, b'], ['a', 'b', 'c'], { b: ['a'], c: ['a', 'b'] }],
    ['two, with one that waits for them', ['a: b', 'b: c', 'c: b'], ['b', 'ac'], { a: ['b'], c: ['b'] }],
    ['two, behind one that runs first', ['a: b, x', 'b: a', 'x'], ['x', 'a', 'b'], { a: ['x'], b: ['a'] }],
    ['two circles, each by itself', ['a: b', 'b: a', 'c: d', 'd: c'], ['a', 'b', 'c', 'd'], { b: ['a'], d: ['c'] }],
  ])('opens a circle of %s at its first call', (_name, lines, groups, after) => {
    expect(plan(linked(...lines))).toEqual([groups, after]);
  });

  it('finds an id at any depth, as a whole string and as a value', () => {
    const named = (...given: readonly unknown[]): string[][] =>
      given.map((one) => ids(dependencyTiers(8)([{ call: { id: 'a', name: 'x', arguments: {} }, tool: alone }, { call: { id: 'b', name: 'x', arguments: one }, tool: alone }])));
    let deep: unknown = 'a';
    for (let depth = 0; depth < 20_000; depth++) deep = [deep];
    expect(named({ of: [{ result: 'a' }] }, 'a', deep)).toEqual([['a', 'b'], ['a', 'b'], ['a', 'b']]);
    expect(named({ a: 1 }, { of: 'the a' }, null, 5, 'b')).toEqual([['ab'], ['ab'], ['ab'], ['ab'], ['ab']]);
  });

  it('knows a call also by the id that the provider gave it, unless that is empty', () => {
    const given = (providerId: string, named: string): Scheduled[] => [
      { call: { id: 'call1', name: 'x', arguments: {}, meta: { providerId } }, tool: alone },
      { call: { id: 'call2', name: 'x', arguments: { named } }, tool: alone },
    ];
    expect(plan(given('0', '0'))).toEqual([['call1', 'call2'], { call2: ['call1'] }]);
    expect(plan(given('', ''))).toEqual([['call1call2'], {}]);
  });

  it('waits for every call of the tools that a tool depends on', () => {
    const dependent = { ...fakeTool(of(1), { name: 'use' }), dependsOn: ['make', 'missing'] };
    const call = (id: string, name: string): Scheduled => ({ call: { id, name, arguments: {} }, tool: name === 'use' ? dependent : undefined });
    expect(plan([call('a', 'use'), call('b', 'make'), call('c', 'other'), call('d', 'make'), call('e', 'use')])).toEqual([
      ['bcd', 'ae'], { a: ['b', 'd'], e: ['b', 'd'] },
    ]);
  });

  it('gives every group its bound, and a call that needs nothing as it was given', () => {
    const given = linked('a', 'b: a');
    const groups = dependencyTiers(3)(given);
    expect(groups.map(({ bound }) => bound)).toEqual([3, 3]);
    expect(groups[0]?.calls[0]).toBe(given[0]);
    expect(groups[1]?.calls[0]).toEqual({ ...given[1], after: ['a'] });
  });

  it('keeps every call once, each behind all that it needs, in call order within a group', () => {
    const links = fc.array(fc.array(fc.nat(7), { maxLength: 4 }), { maxLength: 8 });
    fc.assert(
      fc.property(links, fc.nat(4), (all, bound) => {
        const given = linked(...all.map((named, index) => `c${index}: ${named.map((n) => `c${n}`).join(', ')}`));
        const groups = dependencyTiers(bound)(given);
        const order = groups.flatMap((group) => group.calls.map(({ call }) => call.id));
        expect([...order].sort()).toEqual(given.map(({ call }) => call.id));
        const before = new Set<string>();
        for (const { calls: group } of groups) {
          const own = group.map(({ call }) => call.id);
          expect([...own].sort()).toEqual(own);
          for (const { after = [] } of group) expect(after.filter((id) => !before.has(id))).toEqual([]);
          for (const id of own) before.add(id);
        }
        // Without a circle no link is lost.
        const forward = given.map((one, index) => ({ ...one, call: { ...one.call, arguments: (all[index] ?? []).filter((n) => n < index).map((n) => `c${n}`) } }));
        const kept = needs(dependencyTiers(bound)(forward));
        for (const { call } of forward) expect(kept[call.id] ?? []).toEqual([...new Set(call.arguments)].sort());
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});
