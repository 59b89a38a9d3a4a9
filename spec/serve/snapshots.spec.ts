import { describe, expect, it } from '@jest/globals';
import { tap } from 'rxjs';
import type { LoopEvent, RunLog } from '../../lib/index.ts';
import { memoryRunLog } from '../../lib/serve/memory-run-log.ts';
import { Snapshots } from '../../lib/serve/snapshots.ts';
import { append, create, event } from './log-contract.ts';

const texts = { initial: () => '', fold: ((text: string, said: LoopEvent) => text + (said.type === 'status' ? said.text : '')) as never };

describe('Snapshots', () => {
  it('folds a run as far as it has come, and goes on from there', async () => {
    const log = memoryRunLog();
    let read = 0;
    const counted: RunLog = { ...log, read: (...args) => log.read(...args).pipe(tap(({ entries }) => (read += entries.length))) };
    const snapshots = new Snapshots(counted, texts);
    await create(log);
    expect(await snapshots.of('r1', 0)).toEqual({ position: 0, state: '' });
    await append(log, [event(1), event(2)]);
    expect(await snapshots.of('r1', 2)).toEqual({ position: 2, state: 'e1e2' });
    await append(log, [event(3)]);
    expect(await snapshots.of('r1', 3)).toEqual({ position: 3, state: 'e1e2e3' });
    expect(await snapshots.of('r1', 3)).toEqual({ position: 3, state: 'e1e2e3' });
    expect(read).toBe(3);
    snapshots.forget('r1');
    expect(await snapshots.of('r1', 1)).toEqual({ position: 3, state: 'e1e2e3' });
    expect(read).toBe(6);
  });
});
