import { describe, expect, it } from '@jest/globals';
import { lastValueFrom, toArray } from 'rxjs';
import { memoryRunLog } from '../../lib/serve/memory-run-log.ts';
import { append, create, done, event, load, logContract, textsOf } from './log-contract.ts';

describe('memoryRunLog', () => {
  logContract(() => memoryRunLog());

  it('answers in the same tick, and does nothing before it is subscribed', () => {
    const log = memoryRunLog();
    const create$ = log.create('r1', { body: {} });
    const seen: unknown[] = [];
    log.append('r1', [event(1)]).subscribe({ error: (error: { code: string }) => seen.push(error.code) });
    create$.subscribe({ complete: () => seen.push('created') });
    log.append('r1', [event(1)]).subscribe((position) => seen.push(position));
    log.read('r1', 0).subscribe(({ entries }) => seen.push(entries));
    expect(seen).toEqual(['run-gone', 'created', 1, [event(1)]]);
  });

  it('keeps the last events of a run, and says that others are gone', async () => {
    const log = memoryRunLog({ maxEvents: 8 });
    await create(log);
    for (let n = 1; n <= 20; n += 1) await append(log, [event(n)]);
    await append(log, [done()]);
    const { dropped = 0 } = (await load(log)) ?? {};
    expect(dropped).toBeGreaterThan(10);
    expect(textsOf(await lastValueFrom(log.read('r1', dropped).pipe(toArray())))[0]).toBe(`e${dropped + 1}`);
    await expect(lastValueFrom(log.read('r1', dropped - 1))).rejects.toMatchObject({ code: 'events-gone' });
  });

  it('keeps so many ended runs, and every one that goes on', async () => {
    const log = memoryRunLog({ maxRuns: 2 });
    for (const runId of ['on', 'a', 'b', 'c']) await create(log, runId);
    for (const runId of ['b', 'a', 'c']) await append(log, [{ error: { code: 'x', message: 'y', retryable: false } }], undefined, runId);
    const kept = await Promise.all(['on', 'a', 'b', 'c'].map((runId) => load(log, runId)));
    expect(kept.map((run) => run !== undefined)).toEqual([true, true, false, true]);
  });

  it('reads a long log without growing the stack', async () => {
    const log = memoryRunLog({ maxEvents: Infinity });
    await create(log);
    for (let n = 0; n < 5_000; n += 1) await append(log, Array.from({ length: 64 }, () => event(n)));
    await append(log, [done()]);
    let read = 0;
    log.read('r1', 0).subscribe(({ entries }) => (read += entries.length));
    expect(read).toBe(5_000 * 64 + 1);
  });

  it('refuses bounds that are none', () => {
    expect(() => memoryRunLog({ maxEvents: 0 })).toThrow('memoryRunLog: maxEvents is 0');
    expect(() => memoryRunLog({ maxRuns: Number.NaN })).toThrow(expect.objectContaining({ code: 'config' }));
  });
});
