import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (path: string): string => readFileSync(join(__dirname, '../..', path), 'utf8');
const sections = read('docs/peers.md').split('\n## ').slice(1);

describe('the table of known failures', () => {
  it.each(sections.map((section) => [section.split('\n')[0] as string, section]))('%s has a spec of each of its numbers, and no other', (_title, section) => {
    const [, file = ''] = /\(\.\.\/(spec\/parity\/peers-\w+\.spec\.ts)\)/.exec(section) ?? [];
    const told = [...section.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number));
    const proven = [...read(file).matchAll(/\[#(\d+)\]/g)].map(([, number]) => Number(number));
    expect(told.length).toBeGreaterThan(5);
    expect([...new Set(proven)].sort((a, b) => a - b)).toEqual(told);
  });
});
