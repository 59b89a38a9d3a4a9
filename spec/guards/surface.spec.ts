import { describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { surfaces } from './support/declarations.ts';
import type { EntrySurface, Surface } from './support/declarations.ts';
import { exists, entries, read, root } from './support/project.ts';
import { outputOf, runModule } from './support/run-node.ts';

const GOLDEN = 'spec/guards/surface.golden.txt';
const HOW = `If the change is meant, run "npm run golden" and review the difference of ${GOLDEN} like code.`;

const found = surfaces();

function block({ name, kind, text }: Surface): string {
  return [`[${kind}] ${name}`, ...text.split('\n').map((line) => `    ${line}`)].join('\n');
}

function section({ entry, exported, mentioned }: EntrySurface): string {
  const behind = mentioned.length === 0 ? [] : [`---- not exported, but mentioned above ----`, ...mentioned.map(block)];
  return [`==== ${entry.name} ====`, ...exported.map(block), ...behind].join('\n\n');
}

describe('the public surface', () => {
  it('is what the golden file says', () => {
    const surface = `${found.map(section).join('\n\n\n')}\n`;
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(join(root, GOLDEN), surface);
    if (!exists(GOLDEN)) throw new Error(`${GOLDEN} does not exist. ${HOW}`);
    const golden = read(GOLDEN);
    if (surface !== golden) throw new Error(`The public surface is not what ${GOLDEN} says. ${HOW}\n\n${difference(golden, surface)}`);
  });

  it('has something behind every entry', () => {
    const empty = found.filter(({ exported }) => exported.length === 0).map(({ entry }) => `${entry.name} (${entry.source}) exports nothing`);
    expect(empty).toEqual([]);
  });

  it('has a declaration for every name', () => {
    const empty = found.flatMap(({ entry, exported }) => exported.filter(({ text }) => text === '').map(({ name }) => `${entry.name}: ${name}`));
    expect(empty).toEqual([]);
  });

  it('exports at run time exactly its values', () => {
    const names = outputOf(
      runModule(`
        const names = {};
        for (const name of ${JSON.stringify(entries.map(({ name }) => name))}) names[name] = Object.keys(await import(name)).sort();
        console.log(JSON.stringify(names));
      `),
    );
    const values = found.map(({ entry, exported }) => [entry.name, exported.filter(({ isValue }) => isValue).map(({ name }) => name).sort()]);
    expect(JSON.parse(names)).toEqual(Object.fromEntries(values));
  });
});

/** The lines that only one of the two texts has, each under its block's title. */
function difference(golden: string, surface: string): string {
  const blocks = (text: string): Map<string, string> => {
    const all = new Map<string, string>();
    let entry = '';
    for (const one of text.split(/\n\n+/)) {
      const [title = ''] = one.trim().split('\n');
      if (title.startsWith('====')) entry = title.replaceAll('=', '').trim();
      else all.set(`${entry} ${title}`, one.trimEnd());
    }
    return all;
  };
  const [before, after] = [blocks(golden), blocks(surface)];
  const titles = [...new Set([...before.keys(), ...after.keys()])].filter((title) => before.get(title) !== after.get(title));
  const signed = (sign: string, text: string | undefined, other: string | undefined): string[] =>
    (text ?? '').split('\n').filter((line) => !(other ?? '').split('\n').includes(line)).map((line) => `  ${sign} ${line}`);
  return titles
    .map((title) => [title, ...signed('-', before.get(title), after.get(title)), ...signed('+', after.get(title), before.get(title))].join('\n'))
    .join('\n\n');
}
