import { afterEach, describe, expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import { defineTool } from '../../lib/index.ts';
import { scripted } from '../../lib/deltas/scripted.ts';
import { remoteRun } from '../../lib/view/remote-run.ts';
import { closeDoors, doorOf, eventsIn, get, heldTurn, post } from '../serve/door.ts';
import * as z from 'zod';

const url = 'http://localhost/runs';
const fetchOf = (door: (request: Request) => Promise<Response>) => ((input: string, init: RequestInit) => door(new Request(input, init))) as typeof fetch;
afterEach(closeDoors);

const pay = defineTool({ name: 'pay', description: 'Pays.', input: z.object({}), needsApproval: true, run: () => 'paid' });

describe('remoteRun', () => {
  it('says nothing before it is subscribed', async () => {
    const door = doorOf([heldTurn().turn()]);
    await door(post('', { prompt: 'hi', runId: 'r1' }));
    remoteRun({ url, runId: 'r1', fetch: fetchOf(door) }).cancel();
    expect(await (await door(get('/r1'))).json()).toMatchObject({ status: 'running' });
  });

  it('steers and cancels', async () => {
    const held = heldTurn();
    const door = doorOf([held.turn(), heldTurn().turn()]);
    await door(post('', { prompt: 'hi', runId: 'r1' }));
    const run = remoteRun({ url: `${url}/`, runId: 'r1', fetch: fetchOf(door) });
    expect(await firstValueFrom(run.steer('faster'))).toBeUndefined();
    held.finish();
    await firstValueFrom(run.cancel());
    const events = eventsIn(await (await door(get('/r1/events'))).text());
    expect(events.find(({ type }) => type === 'steering')).toMatchObject({ messages: [{ content: [{ text: 'faster' }] }] });
    expect(events.at(-1)).toMatchObject({ outcome: { reason: 'aborted' } });
  });

  it('answers what the run asks for', async () => {
    const door = doorOf([], { start: () => ({ model: scripted([{ calls: [{ name: 'pay' }] }, { text: 'Done.' }]), tools: [pay] }) });
    await door(post('', { prompt: 'hi', runId: 'r1' }));
    const status = (await (await door(get('/r1'))).json()) as { status: string; requests: { id: string }[] };
    expect(status).toMatchObject({ status: 'waiting', requests: [{ kind: 'approval', call: { name: 'pay' } }] });
    const run = remoteRun({ url, runId: 'r1', fetch: fetchOf(door) });
    const id = status.requests[0]?.id ?? '';
    await expect(firstValueFrom(run.answer({ forged: { type: 'approve' } }))).rejects.toMatchObject({ code: 'request-not-open', status: 409 });
    await expect(firstValueFrom(run.answer({ [id]: { type: 'input', value: 1 } }))).rejects.toMatchObject({ code: 'invalid-body', status: 400 });
    await firstValueFrom(run.answer({ [id]: { type: 'approve' } }));
    await expect(firstValueFrom(run.answer({ [id]: { type: 'approve' } }))).rejects.toMatchObject({ code: 'request-not-open' });
    const events = eventsIn(await (await door(get('/r1/events'))).text());
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({ result: { isError: false } });
    expect(events.at(-1)).toMatchObject({ outcome: { reason: 'answer' } });
  });

  it('resumes a run that its host lets suspend, and shows it as one', async () => {
    const model = scripted([{ calls: [{ name: 'pay' }] }, { text: 'Done.' }]);
    const door = doorOf([], { start: () => ({ model, tools: [pay], approvals: () => ({ type: 'suspend' as const }) }) });
    await door(post('', { prompt: 'hi', runId: 'r1' }));
    const status = (await (await door(get('/r1'))).json()) as { status: string; requests: { id: string }[] };
    expect(status).toMatchObject({ status: 'suspended', requests: [{ kind: 'approval' }] });
    expect(eventsIn(await (await door(get('/r1/events'))).text()).at(-1)).toMatchObject({ outcome: { reason: 'suspended' } });
    const run = remoteRun({ url, runId: 'r1', fetch: fetchOf(door) });
    await firstValueFrom(run.answer({ [status.requests[0]?.id ?? '']: { type: 'approve' } }));
    const events = eventsIn(await (await door(get('/r1/events'))).text()).map(({ type }) => type);
    expect(events.filter((type) => type === 'done' || type === 'run-start')).toEqual(['run-start', 'done']);
    expect(events.filter((type) => type === 'tool-call' || type === 'tool-result')).toEqual(['tool-call', 'tool-result']);
  });

  it('fails with the code of the server', async () => {
    const run = remoteRun({ url, runId: 'r9', fetch: fetchOf(doorOf([])) });
    await expect(firstValueFrom(run.cancel())).rejects.toMatchObject({ code: 'run-gone', status: 404 });
    await expect(firstValueFrom(run.steer('x'))).rejects.toMatchObject({ code: 'run-gone' });
  });
});
