import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileLines } from '../../lib/serve/file-lines.ts';

const dir = mkdtempSync(join(tmpdir(), 'lines-'));
afterEach(() => rmSync(join(dir, 'f'), { force: true }));

async function lines(text: string, offset = 0) {
  writeFileSync(join(dir, 'f'), text);
  const file = await open(join(dir, 'f'), 'r');
  const found: [string, number, number][] = [];
  for await (const { bytes, from, end } of fileLines(file, offset)) found.push([bytes.toString(), from, end]);
  await file.close();
  return found;
}

describe('fileLines', () => {
  it('gives complete lines and where they are', async () => {
    expect(await lines('a\n\nbé\nrest')).toEqual([['a', 0, 2], ['', 2, 3], ['bé', 3, 7]]);
    expect(await lines('a\nb\n', 2)).toEqual([['b', 2, 4]]);
    expect(await lines('')).toEqual([]);
  });

  it('reads lines longer than what it reads at once', async () => {
    const long = ['x'.repeat(200_000), 'y'.repeat(65_535), 'z'.repeat(65_536), 'w'];
    expect((await lines(`${long.join('\n')}\n`)).map(([text]) => text.length)).toEqual(long.map(({ length }) => length));
  });
});
