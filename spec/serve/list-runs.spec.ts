import { afterEach, describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { listRuns } from '../../lib/serve/list-runs.ts';
import { memoryRunLog } from '../../lib/serve/memory-run-log.ts';
import type { RunAbout, RunLog } from '../../lib/index.ts';
import { closeDoors, doorOf, get, heldTurn, post } from './door.ts';
import { append, done } from './log-contract.ts';

afterEach(closeDoors);

function create(log: RunLog, runId: string, about: RunAbout): void {
  log.create(runId, about).subscribe();
}

const standing = () => 'running' as const;

describe('listRuns', () => {
  it('tells the newest first, each as far as it is known', async () => {
    const log = memoryRunLog();
    create(log, 'r1', { body: { prompt: 'x'.repeat(300) }, threadId: 't' });
    create(log, 'r2', { body: { messages: [] } });
    create(log, 'r3', { body: null });
    await append(log, [done()], undefined, 'r1');
    expect(await listRuns(log, undefined, (_id, { ending }) => (ending === undefined ? 'running' : 'done'))).toEqual([
      { runId: 'r3', status: 'running', position: 0 },
      { runId: 'r2', status: 'running', position: 0 },
      { runId: 'r1', threadId: 't', prompt: 'x'.repeat(200), status: 'done', position: 1 },
    ]);
  });

  it('tells nobody of the runs of somebody else', async () => {
    const log = memoryRunLog();
    create(log, 'r1', { body: {}, subject: 'ann' });
    create(log, 'r2', { body: {}, subject: 'bob' });
    create(log, 'r3', { body: {} });
    const idsOf = async (subject: string | undefined) => (await listRuns(log, subject, standing)).map(({ runId }) => runId);
    expect([await idsOf('ann'), await idsOf('bob'), await idsOf(undefined), await idsOf('eve')]).toEqual([['r1'], ['r2'], ['r3'], []]);
  });

  it('tells at most 100, and looks at no more than 1,000', async () => {
    const log = memoryRunLog({ maxRuns: 5_000 });
    for (let n = 0; n < 1_200; n++) create(log, `r${n}`, { body: {}, subject: n < 150 ? 'ann' : 'bob' });
    expect(await listRuns(log, 'bob', standing)).toHaveLength(100);
    let looks = 0;
    const counting: RunLog = { ...log, load: (runId) => ((looks += 1), log.load(runId)) };
    expect(await listRuns(counting, 'ann', standing)).toEqual([]);
    expect(looks).toBe(1_000);
  });

  it('tells what has not ended where the log has no list, and passes over what is gone meanwhile', async () => {
    const { list: _list, ...log } = memoryRunLog();
    create(log, 'r1', { body: {} });
    const gone: RunLog = { ...log, unfinished: () => of(['r0', 'r1']) };
    expect((await listRuns(gone, undefined, standing)).map(({ runId }) => runId)).toEqual(['r1']);
  });
});

describe('the list of a door', () => {
  it('is there where the option asks for it, and holds what the runs stand at', async () => {
    const held = heldTurn();
    const door = doorOf([held.turn()], { list: true });
    await door(post('', { prompt: 'hi', runId: 'r1' }));
    const listed = async () => (await (await door(get(''))).json()) as unknown;
    expect(await listed()).toEqual({ runs: [{ runId: 'r1', prompt: 'hi', status: 'running', position: expect.any(Number) }] });
    held.finish();
    await (await door(get('/r1/events'))).text();
    expect(await listed()).toMatchObject({ runs: [{ status: 'done' }] });
  });

  it('is closed to who may not ask', async () => {
    const door = doorOf([], { list: true, authorize: () => false });
    expect((await door(get(''))).status).toBe(401);
  });

  it('is not there by itself', async () => {
    const response = await doorOf([])(get(''));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });
});
