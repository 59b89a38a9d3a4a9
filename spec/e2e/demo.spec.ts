import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { concatMap, EMPTY, ignoreElements, lastValueFrom, merge, of, takeWhile, toArray } from 'rxjs';
import type { Observable } from 'rxjs';
import { historyOf, userMessage } from '../../lib/index.ts';
import type { ApprovalAnswer, EventOf, LoopEvent, Message } from '../../lib/index.ts';
import { remoteLoop, remoteRun } from '../../lib/view/remote.ts';
import type { RemoteBody, RemoteRun } from '../../lib/view/remote.ts';
import { verifyEvents } from '../../marbles/index.ts';
import { serveProcess } from './serve-process.ts';
import type { ServeProcess } from './serve-process.ts';

const PAGE = 'http://localhost:4200';
const DEMO = ['--model', 'demo', '--cors', PAGE];

let door: ServeProcess | undefined;
let folder: string | undefined;
afterEach(async () => {
  await door?.end('SIGKILL');
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  door = folder = undefined;
});

/** The events of a run; `act` may speak to it at each of them. */
async function events(url: string, body: RemoteBody, act: (event: LoopEvent, run: RemoteRun) => Observable<unknown> = () => EMPTY): Promise<LoopEvent[]> {
  const said$ = remoteLoop({ url, body }).pipe(
    concatMap((event) => merge(of(event), act(event, remoteRun({ url, runId: event.runId })).pipe(ignoreElements())) as Observable<LoopEvent>),
  );
  return lastValueFrom(said$.pipe(verifyEvents(), toArray()));
}

const those = <Type extends LoopEvent['type']>(all: readonly LoopEvent[], type: Type): EventOf<Type>[] => all.filter((event): event is EventOf<Type> => event.type === type && event.parent === undefined);
const outcomeOf = (all: readonly LoopEvent[]) => those(all, 'done')[0]!.outcome;

describe('rx-tool-loop serve --model demo', () => {
  it('shows on request what a run can do', async () => {
    door = await serveProcess(...DEMO);
    const { url } = door;

    const markdown = await events(url, { prompt: 'Some markdown, please' });
    expect(outcomeOf(markdown).completion.text).toContain('| way |');
    expect(those(markdown, 'title')).toMatchObject([{ title: 'Some markdown, please' }]);
    expect(those(markdown, 'step-end')[0]).toMatchObject({ costUsd: expect.any(Number), context: { window: 8_000 }, usage: { inputTokens: 420 } });

    expect(those(await events(url, { prompt: 'retract' }), 'step-retract')).toMatchObject([{ attempt: 1, reason: 'The stream broke off.' }]);
    expect(those(await events(url, { prompt: 'correct' }), 'correction')).toMatchObject([{ cause: 'hook', reason: 'The answer has no reason.' }]);

    const plan = await events(url, { prompt: 'plan' });
    expect(those(plan, 'plan').map(({ entries }) => entries.filter(({ status }) => status === 'completed').length)).toEqual([0, 1, 2, 3]);

    const research = await events(url, { prompt: 'research' });
    expect(research.filter(({ parent }) => parent !== undefined).map(({ type }) => type)).toEqual(expect.arrayContaining(['run-start', 'tool-progress', 'done']));
    expect(outcomeOf(research).nestedUsage).toMatchObject({ inputTokens: 80 });

    await expect(events(url, { prompt: 'error' })).rejects.toMatchObject({ code: 'model-http', message: 'The account has no credit.' });
  });

  it('lets a page approve and decline', async () => {
    door = await serveProcess(...DEMO);
    const { url } = door;
    const answering = (answer: ApprovalAnswer) => (event: LoopEvent, run: RemoteRun) => (event.type === 'approval-request' ? run.answer({ [event.id]: answer }) : EMPTY);

    const declined = await events(url, { prompt: 'edit' }, answering({ type: 'decline', reason: 'Monday is good.' }));
    expect(those(declined, 'tool-result')).toMatchObject([{ result: { isError: true, error: { kind: 'refused' } } }]);

    const approved = await events(url, { prompt: 'edit' }, answering({ type: 'approve' }));
    expect(those(approved, 'tool-start')).toMatchObject([{ title: 'Edit notes/plan.md', kind: 'edit' }]);
    const [{ result }] = those(approved, 'tool-result') as [EventOf<'tool-result'>];
    expect(result.display?.diff).toMatchObject({ path: 'notes/plan.md', oldText: expect.stringContaining('Monday'), newText: expect.stringContaining('Tuesday') });
  });

  it('takes what the user says meanwhile, and a cancellation', async () => {
    door = await serveProcess(...DEMO);
    const { url } = door;
    let steers = 1;
    const steered = await events(url, { prompt: 'search' }, (event, run) => (event.type === 'tool-progress' && steers-- > 0 ? run.steer('Shorter, please.') : EMPTY));
    expect(those(steered, 'steering')).toMatchObject([{ messages: [userMessage('Shorter, please.')] }]);
    expect(outcomeOf(steered).completion.text).toContain('one meeting');

    let words = 0;
    const cancelled = await events(url, { prompt: 'slow' }, (event, run) => (event.type === 'delta' && ++words === 3 ? run.cancel() : EMPTY));
    expect(outcomeOf(cancelled)).toMatchObject({ reason: 'aborted', completion: { text: expect.stringMatching(/^This answer takes/) } });
    expect(those(cancelled, 'delta').length).toBeLessThan(200);
  });

  it('goes on with a conversation that the page has kept', async () => {
    door = await serveProcess(...DEMO);
    const { url } = door;
    const first = outcomeOf(await events(url, { prompt: 'retract' }));
    expect(first.completion.text).toBe('The capital of Australia is Canberra.');
    const messages = JSON.parse(JSON.stringify([...historyOf(first), userMessage('And now search.')])) as readonly Message[];
    const second = await events(url, { messages });
    expect(those(second, 'tool-result').map(({ result }) => result.name)).toEqual(['search_notes', 'calculator']);
    expect(those(second, 'title')).toEqual([]);
    const third = outcomeOf(await events(url, { messages: historyOf(outcomeOf(second)), prompt: 'Thank you!' }));
    expect(third.completion.text).toMatch(/^I am a script/);
  });

  it('is open to the page that --cors names, and to no other', async () => {
    door = await serveProcess(...DEMO);
    const { url } = door;
    const asked = (origin: string, method: string, headers: Record<string, string>): Promise<Response> => fetch(method === 'GET' ? `${url}/r1/events` : url, { method, headers: { origin, ...headers }, ...(method === 'POST' && { body: '{"prompt":"hello","runId":"r1"}' }) });
    const preflight = await asked(PAGE, 'OPTIONS', { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type,last-event-id' });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, PAGE]);
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/content-type.*last-event-id/i);
    expect((await asked('http://localhost:4201', 'POST', { 'content-type': 'application/json' })).status).toBe(403);
    const started = await asked(PAGE, 'POST', { 'content-type': 'application/json' });
    expect([started.status, started.headers.get('access-control-allow-origin')]).toEqual([202, PAGE]);
    const watched = await asked(PAGE, 'GET', { 'last-event-id': '2' });
    expect(watched.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(await watched.text()).toMatch(/^(:[^\n]*\n+)*id: 3\n/);
  });

  it('goes on after it was killed, for a page that was reloaded', async () => {
    folder = mkdtempSync(join(tmpdir(), 'demo-'));
    const words = [...DEMO, '--log', folder];
    door = await serveProcess(...words);
    const { url, port } = door;
    const before = await lastValueFrom(remoteLoop({ url, body: { prompt: 'search', runId: 'r1' } }).pipe(takeWhile(({ type }) => type !== 'tool-progress', true), toArray()));
    expect(before.at(-1)?.type).toBe('tool-progress');
    await door.end('SIGKILL');
    door = await serveProcess(...words, '--port', port);
    const all = await lastValueFrom(remoteLoop({ url, runId: 'r1' }).pipe(verifyEvents(), toArray()));
    expect(all.slice(0, before.length)).toEqual(before);
    expect(outcomeOf(all).completion.text).toContain('one meeting');
    expect(those(all, 'tool-result').map(({ result }) => result.isError)).toEqual([false, false]);
  });
});
