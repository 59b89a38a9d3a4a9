import { expect, it } from '@jest/globals';
import { EMPTY, lastValueFrom, Subject, take, toArray } from 'rxjs';
import type { Checkpoint, Demand, LogEntry, LogPiece, RunLog } from '../../lib/index.ts';

export const event = (n: number): LogEntry => ({ event: { type: 'status', runId: 'r1', text: `e${n}` } });
export const done = (reason = 'answer'): LogEntry => ({ event: { type: 'done', runId: 'r1', outcome: { reason } } } as unknown as LogEntry);
export const checkpoint = (step: number): Checkpoint => ({ version: 1, runId: 'r1', step }) as unknown as Checkpoint;
export const about = { body: { prompt: 'hi' }, subject: 'ann' };

export const create = (log: RunLog, runId = 'r1'): Promise<unknown> => lastValueFrom(log.create(runId, about), { defaultValue: undefined });
export const append = (log: RunLog, entries: readonly LogEntry[], at?: Checkpoint, runId = 'r1'): Promise<number> => lastValueFrom(log.append(runId, entries, at));
export const load = (log: RunLog, runId = 'r1') => lastValueFrom(log.load(runId));
export const textsOf = (pieces: readonly LogPiece[]): string[] =>
  pieces.flatMap(({ entries }) => entries.map((entry) => ('error' in entry ? 'error' : entry.event.type === 'status' ? entry.event.text : entry.event.type)));

/** What every log does. */
export function logContract(make: () => RunLog): void {
  it('counts positions from 1, and gives what stands after one', async () => {
    const log = make();
    await create(log);
    expect([await append(log, [event(1)]), await append(log, [event(2), event(3)]), await append(log, [done()])]).toEqual([1, 3, 4]);
    for (let after = 0; after <= 4; after += 1) {
      const pieces = await lastValueFrom(log.read('r1', after).pipe(toArray()));
      expect(textsOf(pieces)).toEqual(['e1', 'e2', 'e3', 'done'].slice(after));
      expect(pieces[0]?.position ?? after + 1).toBe(after + 1);
    }
  });

  it('lists its runs, ended or not, newest first', async () => {
    const log = make();
    for (const runId of ['r1', 'r2', 'r3']) await create(log, runId);
    const listed = () => lastValueFrom(log.list?.() ?? EMPTY);
    expect(await listed()).toEqual(['r3', 'r2', 'r1']);
    await append(log, [done()], undefined, 'r1');
    expect([...(await listed())].sort()).toEqual(['r1', 'r2', 'r3']);
  });

  it('follows a run until it ends, for any number of readers', async () => {
    const log = make();
    await create(log);
    const readers = [0, 0, 1].map((after) => lastValueFrom(log.read('r1', after).pipe(toArray())));
    for (let n = 1; n <= 200; n += 1) await append(log, [event(n)]);
    await append(log, [{ error: { code: 'a', message: 'b', retryable: false } }]);
    const [first = [], second = [], third = []] = (await Promise.all(readers)).map(textsOf);
    expect(first).toEqual([...Array.from({ length: 200 }, (_, at) => `e${at + 1}`), 'error']);
    expect(second).toEqual(first);
    expect(third).toEqual(first.slice(1));
  });

  it('gives small pieces, each when its reader asks', async () => {
    const log = make();
    await create(log);
    for (let n = 0; n < 20; n += 1) await append(log, Array.from({ length: 50 }, (_, at) => event(n * 50 + at)));
    await append(log, [done()]);
    const asked$ = new Subject<Subject<void>>();
    const demand: Demand = { ready: () => { const answer$ = new Subject<void>(); queueMicrotask(() => asked$.next(answer$)); return answer$; } };
    const pieces: LogPiece[] = [];
    const ended = new Promise<void>((resolve) => log.read('r1', 0, demand).subscribe({ next: (piece) => pieces.push(piece), complete: resolve }));
    let asks = 0;
    asked$.subscribe((answer$) => {
      expect(pieces.length).toBeLessThanOrEqual(asks);
      asks += 1;
      answer$.next();
      answer$.complete();
    });
    await ended;
    expect(textsOf(pieces)).toHaveLength(1_001);
    expect(Math.max(...pieces.map(({ entries }) => entries.length))).toBeLessThan(150);
  });

  it('knows where a run stands', async () => {
    const log = make();
    expect(await load(log)).toBeUndefined();
    await create(log);
    expect(await load(log)).toEqual({ about, position: 0 });
    await append(log, [event(1), event(2)], checkpoint(3));
    await append(log, [event(3)]);
    expect(await load(log)).toEqual({ about, position: 3, checkpoint: { position: 2, checkpoint: checkpoint(3) } });
    await append(log, [], checkpoint(4));
    expect(await load(log)).toMatchObject({ position: 3, checkpoint: { position: 3, checkpoint: checkpoint(4) } });
    await append(log, [done()]);
    expect(await load(log)).toMatchObject({ position: 4, ending: done() });
  });

  it('lists the runs that have not ended, and opens one again that was suspended', async () => {
    const log = make();
    for (const runId of ['a', 'b', 'r1']) await create(log, runId);
    await append(log, [event(1), done('suspended')]);
    await append(log, [{ error: { code: 'a', message: 'b', retryable: false } }], undefined, 'a');
    expect(await lastValueFrom(log.unfinished())).toEqual(['b']);
    await append(log, [event(2)]);
    const read = lastValueFrom(log.read('r1', 0).pipe(toArray()));
    await append(log, [done()]);
    expect(textsOf(await read)).toEqual(['e1', 'done', 'e2', 'done']);
  });

  it('says what it does not know', async () => {
    const log = make();
    for (const id of ['r1', '../r1', '']) {
      await expect(lastValueFrom(log.read(id, 0))).rejects.toMatchObject({ code: 'run-gone' });
      await expect(append(log, [event(1)], undefined, id)).rejects.toMatchObject({ code: 'run-gone' });
      expect(await load(log, id)).toBeUndefined();
    }
    await create(log);
    await expect(create(log)).rejects.toMatchObject({ code: 'run-exists' });
  });

  it('is left in the same tick', async () => {
    const log = make();
    await create(log);
    await append(log, [event(1)]);
    expect(textsOf(await lastValueFrom(log.read('r1', 0).pipe(take(1), toArray())))).toEqual(['e1']);
    const seen: LogPiece[] = [];
    const reader = log.read('r1', 1).subscribe((piece) => seen.push(piece));
    reader.unsubscribe();
    await append(log, [event(2)]);
    expect(seen).toEqual([]);
  });
}
