import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { fileRunLog } from '../../lib/serve/file-run-log.ts';
import { append, checkpoint, create, done, event, load, logContract, textsOf } from './log-contract.ts';

const dirs: string[] = [];
const fresh = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'log-'));
  dirs.push(dir);
  return dir;
};
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});
const whole = async (dir: string): Promise<string[]> => textsOf(await lastValueFrom(fileRunLog({ dir }).read('r1', 0).pipe(toArray())));

describe.each(['always', 'interval', 'never'] as const)('fileRunLog with fsync %s', (fsync) => {
  logContract(() => fileRunLog({ dir: fresh(), fsync }));
});

describe('fileRunLog', () => {
  it('goes on in another process where it was', async () => {
    const dir = fresh();
    const first = fileRunLog({ dir });
    await create(first);
    await append(first, [event(1), event(2)], checkpoint(1));
    const second = fileRunLog({ dir });
    expect(await load(second)).toEqual(await load(first));
    expect(await lastValueFrom(second.unfinished())).toEqual(['r1']);
    expect(await append(second, [event(3)])).toBe(3);
    await append(second, [done()]);
    expect(await whole(dir)).toEqual(['e1', 'e2', 'e3', 'done']);
    expect(await lastValueFrom(fileRunLog({ dir }).unfinished())).toEqual([]);
    expect(readdirSync(dir)).toEqual(['r1.jsonl']);
  });

  it('cuts off a line that was torn, at whatever byte', async () => {
    const dir = fresh();
    const log = fileRunLog({ dir });
    await create(log);
    await append(log, [event(1)]);
    const path = join(dir, 'r1.jsonl');
    const { size } = statSync(path);
    await append(log, [event(2), event(3)]);
    const bytes = readFileSync(path);
    for (let cut = size; cut < bytes.length; cut += 1) {
      writeFileSync(path, bytes.subarray(0, cut));
      const again = fileRunLog({ dir });
      expect(await load(again)).toMatchObject({ position: 1 });
      expect(await append(again, [event(9)])).toBe(2);
      await append(again, [done()]);
      expect(await whole(dir)).toEqual(['e1', 'e9', 'done']);
    }
  });

  it('takes a run whose header was torn for one that never was', async () => {
    const dir = fresh();
    writeFileSync(join(dir, 'r1.jsonl'), '{"log":1,"run');
    const log = fileRunLog({ dir });
    expect(await load(log)).toBeUndefined();
    expect(await lastValueFrom(log.unfinished())).toEqual([]);
    await create(log);
    expect(await load(log)).toMatchObject({ position: 0 });
  });

  it('leaves files alone that are not its own', async () => {
    const dir = fresh();
    const notes = '{"my":"notes"}\n';
    writeFileSync(join(dir, 'r1.jsonl'), notes);
    mkdirSync(join(dir, 'r2.jsonl'));
    const log = fileRunLog({ dir });
    expect(await lastValueFrom(log.unfinished())).toEqual([]);
    await expect(create(log)).rejects.toMatchObject({ code: 'run-exists' });
    expect(readFileSync(join(dir, 'r1.jsonl'), 'utf8')).toBe(notes);
  });

  it('takes a checkpoint that was torn for none', async () => {
    const dir = fresh();
    const log = fileRunLog({ dir });
    await create(log);
    await append(log, [event(1)], checkpoint(1));
    writeFileSync(join(dir, 'r1.checkpoint.json'), '');
    const told = await load(fileRunLog({ dir }));
    expect([told?.position, told?.checkpoint]).toEqual([1, undefined]);
  });

  it('tells a damaged run among those that have not ended, so that the others can go on', async () => {
    const dir = fresh();
    const log = fileRunLog({ dir });
    for (const id of ['r1', 'r2']) await create(log, id);
    await append(log, [event(1)]);
    const path = join(dir, 'r1.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"text":"e1"', '"text":"e1'));
    expect((await lastValueFrom(fileRunLog({ dir }).unfinished())).toSorted()).toEqual(['r1', 'r2']);
    await expect(load(fileRunLog({ dir }))).rejects.toMatchObject({ code: 'log-damaged' });
  });

  it('keeps a checkpoint and the entries that it goes with both, also when the log was cut before them', async () => {
    const dir = fresh();
    const log = fileRunLog({ dir });
    await create(log);
    await append(log, [event(1)]);
    const { size } = statSync(join(dir, 'r1.jsonl'));
    await append(log, [event(2), event(3)], checkpoint(7));
    truncateSync(join(dir, 'r1.jsonl'), size);
    const again = fileRunLog({ dir });
    expect(await load(again)).toMatchObject({ position: 3, checkpoint: { position: 3, checkpoint: checkpoint(7) } });
    await append(again, [done()]);
    expect(await whole(dir)).toEqual(['e1', 'e2', 'e3', 'done']);
  });

  it('finds any position of a long log', async () => {
    const dir = fresh();
    const log = fileRunLog({ dir, fsync: 'never' });
    await create(log);
    for (let n = 0; n < 1_000; n += 1) await append(log, [event(3 * n + 1), event(3 * n + 2), event(3 * n + 3)]);
    await append(log, [done()]);
    for (const one of [log, fileRunLog({ dir })]) {
      for (const after of [0, 1, 2, 3, 499, 1_500, 2_743, 2_744, 2_999]) {
        const texts = textsOf(await lastValueFrom(one.read('r1', after).pipe(toArray())));
        expect([texts[0], texts.length]).toEqual([`e${after + 1}`, 3_001 - after]);
      }
    }
  });

  it('says where a log is damaged in its middle', async () => {
    const dir = fresh();
    const log = fileRunLog({ dir });
    await create(log);
    for (let n = 1; n <= 300; n += 1) await append(log, [event(n)]);
    const path = join(dir, 'r1.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"text":"e2"', '"text":"e2'));
    await expect(lastValueFrom(fileRunLog({ dir }).read('r1', 0))).rejects.toMatchObject({ code: 'log-damaged', message: expect.stringContaining('at byte') });
  });

  it('never leaves its folder', async () => {
    const dir = fresh();
    const log = fileRunLog({ dir: join(dir, 'runs') });
    writeFileSync(join(dir, 'x.jsonl'), '{"log":1,"runId":"../x","about":{"body":{}}}\n');
    for (const id of ['../x', '..', '/x', 'a/b', 'a\0']) {
      await expect(create(log, id)).rejects.toMatchObject({ code: 'config' });
      expect(await load(log, id)).toBeUndefined();
    }
    expect(readdirSync(join(dir, 'runs'))).toEqual([]);
  });

  it('takes an id once, also when it is asked for twice at the same time', async () => {
    const log = fileRunLog({ dir: fresh() });
    const made = await Promise.allSettled([create(log), create(log), create(log)]);
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    await append(log, [event(1)]);
    expect(await load(log)).toMatchObject({ position: 1 });
  });

  it('keeps so many ended runs', async () => {
    const dir = fresh();
    const log = fileRunLog({ dir, maxRuns: 2 });
    for (const id of ['a', 'b', 'c']) {
      await create(log, id);
      await append(log, [{ error: { code: 'x', message: 'y', retryable: false } }], undefined, id);
    }
    expect(readdirSync(dir)).toEqual(['b.jsonl', 'c.jsonl']);
    expect(await load(log, 'a')).toBeUndefined();
  });

  it('has the last 1,000 ended runs in memory, and reads others again', async () => {
    const dir = fresh();
    const log = fileRunLog({ dir, fsync: 'never' });
    for (let n = 0; n <= 1_000; n += 1) {
      await create(log, `r${n}`);
      await append(log, [done()], undefined, `r${n}`);
    }
    for (const id of ['r0', 'r1']) rmSync(join(dir, `${id}.jsonl`));
    expect([await load(log, 'r0'), (await load(log, 'r1'))?.position]).toEqual([undefined, 1]);
  });

  it('lets nobody else read what it keeps', async () => {
    const dir = join(fresh(), 'runs');
    const log = fileRunLog({ dir });
    await create(log);
    await append(log, [event(1)], checkpoint(1));
    expect([dir, ...readdirSync(dir).map((name) => join(dir, name))].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual(['700', '600', '600']);
  });

  it('refuses a folder that is none, and options that are none', () => {
    const dir = fresh();
    writeFileSync(join(dir, 'file'), '');
    expect(() => fileRunLog({ dir: join(dir, 'file') })).toThrow(/^fileRunLog: the folder .* cannot be used/);
    expect(() => fileRunLog({ dir, fsync: 'often' as never })).toThrow('fsync is often; give "always"');
    expect(existsSync(join(dir, 'file'))).toBe(true);
  });
});
