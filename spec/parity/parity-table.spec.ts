import { describe, expect, it } from '@jest/globals';
import { basename } from 'node:path';
import { filesIn, read } from '../guards/support/project.ts';

// docs/parity.md lists the 153 behaviours of the four engines with the spec that holds each. A spec says which it holds by
// numbers in its title: [12], [12, 13] or [12-14].

const ITEMS = 153;
const specs = ['spec/parity', 'spec/fold', 'spec/deltas', 'spec/marbles'].flatMap((folder) => filesIn(folder, '.spec.ts')).concat('spec/schedule.spec.ts');

function numbersIn(list: string): number[] {
  return list.split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}

/** Of each item the specs that hold it. */
function heldBy(): Map<number, Set<string>> {
  const held = new Map<number, Set<string>>();
  for (const file of specs) {
    for (const [, list = ''] of read(file).matchAll(/\[(\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*)\](?=[^'`\n]*['`][,)])/g)) {
      for (const item of numbersIn(list)) held.set(item, (held.get(item) ?? new Set()).add(file));
    }
  }
  return held;
}

/** The rows of the table: `| 12 | ... | [name](../spec/...) ... |`. */
function rows(): Map<number, string[]> {
  const lines = read('docs/parity.md').split('\n');
  return new Map(
    lines.flatMap((line) => {
      const item = /^\| (\d+) \|/.exec(line)?.[1];
      return item === undefined ? [] : [[Number(item), [...line.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file = '']) => file)] as const];
    }),
  );
}

describe('the table of behaviours', () => {
  const held = heldBy();
  const table = rows();

  it('has a row for each of them', () => {
    expect([...table.keys()]).toEqual(Array.from({ length: ITEMS }, (_, at) => at + 1));
  });

  it.each(Array.from({ length: ITEMS }, (_, at) => at + 1))('names specs that hold behaviour %i', (item) => {
    const files = table.get(item) ?? [];
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => held.get(item)?.has(file) !== true).map((file) => basename(file))).toEqual([]);
  });
});
