import { afterEach, describe, expect, it } from '@jest/globals';
import { lastValueFrom, take, toArray } from 'rxjs';
import { ModelError } from '../../../lib/index.ts';
import { feed } from '../../../lib/view/inspector/feed.ts';
import { closeDoors, doorOf, heldTurn, post } from '../../serve/door.ts';

const url = 'http://localhost/runs';
const placeOf = (door: (request: Request) => Promise<Response>) => ({ url, fetch: ((input: string, init: RequestInit) => door(new Request(input, init))) as typeof fetch });
const clock = (times: number[]) => ({ now: () => times.shift() ?? 99_999, schedule: () => { throw new Error('no timers'); } });
afterEach(closeDoors);

describe('feed', () => {
  it('gives a run as lines with the times at which they came', async () => {
    const lines = await lastValueFrom(feed({ prompt: 'hi' }, placeOf(doorOf([{ text: 'Hi.' }])), clock([1_000, 1_000, 1_004.4]) as never).pipe(take(2), toArray()));
    expect(lines).toEqual([{ at: 0, event: expect.objectContaining({ type: 'run-start' }) }, { at: 4, event: expect.objectContaining({ type: 'step-start' }) }]);
  });

  it('watches a run that is there, and leaves it alone when it leaves', async () => {
    const held = heldTurn();
    const door = doorOf([held.turn()]);
    await door(post('', { prompt: 'hi', runId: 'r1' }));
    expect(await lastValueFrom(feed({ runId: 'r1' }, placeOf(door)).pipe(take(1)))).toMatchObject({ event: { type: 'run-start', runId: 'r1' } });
    held.finish();
    expect(await lastValueFrom(feed({ runId: 'r1' }, placeOf(door)))).toMatchObject({ event: { type: 'done', outcome: { reason: 'answer' } } });
  });

  it('ends with the error of the run as a line', async () => {
    const door = doorOf([{ error: new ModelError('model-http', 'No.', { status: 400 }) }]);
    expect(await lastValueFrom(feed({ prompt: 'hi' }, placeOf(door)))).toMatchObject({ error: { code: 'model-http' } });
  });

  it('fails where there is no such run, and where nobody lets it in', async () => {
    await expect(lastValueFrom(feed({ runId: 'none' }, placeOf(doorOf([]))))).rejects.toMatchObject({ code: 'run-gone' });
    await expect(lastValueFrom(feed({ prompt: 'hi' }, placeOf(doorOf([], { authorize: () => false }))))).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
