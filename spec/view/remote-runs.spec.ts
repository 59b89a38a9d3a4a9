import { afterEach, describe, expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import { remoteRuns } from '../../lib/view/remote-runs.ts';
import { closeDoors, doorOf, heldTurn, post } from '../serve/door.ts';

const url = 'http://localhost/runs';
const fetchOf = (door: (request: Request) => Promise<Response>) => ((input: string, init: RequestInit) => door(new Request(input, init))) as typeof fetch;
afterEach(closeDoors);

describe('remoteRuns', () => {
  it('lists the runs of a door, newest first, with the headers that it is given', async () => {
    const door = doorOf([heldTurn().turn(), heldTurn().turn()], { list: true, authorize: (request) => request.headers.get('authorization') === 'Bearer t' });
    const headers = { authorization: 'Bearer t' };
    for (const runId of ['r1', 'r2']) await door(post('', { prompt: `Is it ${runId}?`, runId }, headers));
    const runs = await firstValueFrom(remoteRuns({ url: `${url}/`, fetch: fetchOf(door), headers: () => headers }));
    expect(runs.map(({ runId, prompt, status }) => [runId, prompt, status])).toEqual([['r2', 'Is it r2?', 'running'], ['r1', 'Is it r1?', 'running']]);
    await expect(firstValueFrom(remoteRuns({ url, fetch: fetchOf(door) }))).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
  });

  it('asks nothing before it is subscribed, and each time that it is', async () => {
    let asked = 0;
    const door = doorOf([], { list: true });
    const runs$ = remoteRuns({ url, fetch: fetchOf((request) => ((asked += 1), door(request))) });
    expect(asked).toBe(0);
    expect([await firstValueFrom(runs$), await firstValueFrom(runs$), asked]).toEqual([[], [], 2]);
  });

  it('lets go of the request when it is left', () => {
    let signal: AbortSignal | null | undefined;
    const never = ((_input: string, init: RequestInit) => ((signal = init.signal), new Promise(() => undefined))) as unknown as typeof fetch;
    remoteRuns({ url, fetch: never }).subscribe().unsubscribe();
    expect(signal?.aborted).toBe(true);
  });

  it('says why there is no list', async () => {
    await expect(firstValueFrom(remoteRuns({ url, fetch: fetchOf(doorOf([])) }))).rejects.toMatchObject({ code: 'wrong-method', status: 405 });
    for (const body of ['<html>', 'null', '{"runs":1}']) {
      const other = fetchOf(() => Promise.resolve(new Response(body)));
      await expect(firstValueFrom(remoteRuns({ url, fetch: other }))).rejects.toMatchObject({ code: 'remote-protocol', message: expect.stringContaining('Check that url') });
    }
  });
});
