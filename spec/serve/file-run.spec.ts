import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { END_LINE, FileRun } from '../../lib/serve/file-run.ts';
import { about, checkpoint, done, event } from './log-contract.ts';

const dir = mkdtempSync(join(tmpdir(), 'run-'));
const path = join(dir, 'r1.jsonl');
afterEach(() => rmSync(path, { force: true }));

describe('FileRun', () => {
  it('writes JSON lines that a person can read, and ends them', async () => {
    const run = await FileRun.create(path, 'r1', about, false);
    await run.append([event(1), event(2)], checkpoint(2));
    await run.append([done()]);
    expect(readFileSync(path, 'utf8').split('\n')).toEqual([
      JSON.stringify({ log: 1, runId: 'r1', about }),
      JSON.stringify({ position: 1, entries: [event(1), event(2)] }),
      JSON.stringify({ position: 3, entries: [done()] }),
      END_LINE.trim(),
      '',
    ]);
  });

  it('is not opened under another id, which a file system that does not tell case would do', async () => {
    await FileRun.create(path, 'r1', about, false);
    expect(await FileRun.open(path, 'R1', false)).toBeUndefined();
    expect(await FileRun.open(path, 'r1', false)).toMatchObject({ position: 0, about });
    expect(await FileRun.open(join(dir, 'r2.jsonl'), 'r2', false)).toBeUndefined();
  });
});
