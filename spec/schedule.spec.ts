import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { of } from 'rxjs';
import { concurrent, parallelSafe, sequential } from '../lib/schedule.ts';
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
