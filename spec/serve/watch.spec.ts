import { describe, expect, it } from '@jest/globals';
import { asyncScheduler, concatMap, EMPTY, of, tap, throwError } from 'rxjs';
import type { RunLog } from '../../lib/index.ts';
import { memoryRunLog } from '../../lib/serve/memory-run-log.ts';
import { nativeFormat } from '../../lib/serve/native-format.ts';
import { watch } from '../../lib/serve/watch.ts';
import type { Watch } from '../../lib/serve/watch.ts';
import { append, create, done, event } from './log-contract.ts';

const textOf = (changes: Partial<Watch> & Pick<Watch, 'log'>): Promise<string> =>
  new Response(watch({ runId: 'r1', after: 0, format: nativeFormat, watch$: EMPTY, heartbeatMs: Infinity, scheduler: asyncScheduler, ...changes })).text();

async function logOf(count: number): Promise<RunLog> {
  const log = memoryRunLog();
  await create(log);
  await append(log, [...Array.from({ length: count }, (_, at) => event(at + 1)), done()]);
  return log;
}

describe('watch', () => {
  it('writes each event with its position', async () => {
    const text = await textOf({ log: await logOf(1), first: 'event: snapshot\ndata: 0\n\n' });
    expect(text).toMatch(/^event: snapshot\ndata: 0\n\nid: 1\ndata: \{[^\n]*\}\n\nid: 2\ndata: \{[^\n]*"done"[^\n]*\}\n\n$/);
  });

  it('puts the position before the last frame of an event, so that none of them is lost', async () => {
    const twice = { encode: concatMap(() => of('data: a\n\n', 'data: b\n\n')) };
    expect(await textOf({ log: await logOf(1), format: twice, after: 1 })).toBe('data: a\n\nid: 2\ndata: b\n\n');
  });

  it('holds one piece of the log, whatever is behind it', async () => {
    const log = await logOf(10_000);
    let read = 0;
    const counted: RunLog = { ...log, read: (...args) => log.read(...args).pipe(tap(({ entries }) => (read += entries.length))) };
    const reader = watch({ log: counted, runId: 'r1', after: 0, format: nativeFormat, watch$: EMPTY, heartbeatMs: Infinity, scheduler: asyncScheduler }).getReader();
    expect(read).toBe(0);
    for (let piece = 1; piece <= 5; piece += 1) {
      await reader.read();
      await new Promise(setImmediate);
      expect(read).toBeLessThanOrEqual(64 * (piece + 1));
    }
    await reader.cancel();
  });

  it('tells of a log that fails in a last frame', async () => {
    const log = { ...(await logOf(1)), read: () => throwError(() => new Error('secret')) } as RunLog;
    expect(await textOf({ log })).toMatch(/^event: error\ndata: \{"code":"internal"/);
  });

  it('tells of an error that a format passes on', async () => {
    const log = memoryRunLog();
    await create(log);
    await append(log, [{ error: { code: 'x', message: 'y', retryable: false } }]);
    expect(await textOf({ log, format: { encode: concatMap(() => EMPTY) } })).toBe('id: 1\nevent: error\ndata: {"code":"x","message":"y","retryable":false}\n\n');
  });
});
