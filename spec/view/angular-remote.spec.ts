import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { inject, InjectionToken, ErrorHandler } from '@angular/core';
import type { EnvironmentProviders, Provider } from '@angular/core';
import { firstValueFrom, filter } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import { defineTool, userMessage } from '../../lib/index.ts';
import type { EventType } from '../../lib/index.ts';
import { provideRemoteLoop, withCancelOnDestroy } from '../../lib/view/angular.ts';
import type { RemoteSourceOptions, ToolLoopRef } from '../../lib/view/angular.ts';
import { closeDoors, doorOf, fetchOf, get, heldTurn } from '../serve/door.ts';
import { AT_ONCE, closeViews, viewOf } from '../support/angular-view.ts';
import { wordsOf } from '../support/store-words.ts';
import * as z from 'zod';

const url = 'http://localhost/runs';
const pay = defineTool({ name: 'pay', description: 'Pays.', input: z.object({}), needsApproval: true, run: () => 'paid' });
afterEach(closeViews);
afterEach(closeDoors);

/** A server, what it is asked, and providers of views whose runs are there. */
function serverOf(...given: Parameters<typeof doorOf>) {
  const door = doorOf(...given);
  const asked: string[] = [];
  const bodies: unknown[] = [];
  const fetch = (async (input: string, init: RequestInit) => {
    asked.push(`${init.method ?? 'GET'} ${new URL(input).pathname.replace(/run_\w+/, 'R')}`);
    if (init.body !== undefined) bodies.push(JSON.parse(String(init.body)));
    return fetchOf(door)(input, init);
  }) as typeof globalThis.fetch;
  const source: RemoteSourceOptions = { url, fetch, retry: { count: 0 } };
  const statusOf = async (runId: string): Promise<unknown> => ((await (await door(get(`/${runId}`))).json()) as { status: string }).status;
  return { door, asked, bodies, source, statusOf };
}

const viewOn = (source: RemoteSourceOptions, ...more: (Provider | EnvironmentProviders)[]) => viewOf([provideRemoteLoop(source, AT_ONCE), ...more]);
const heard = (loop: ToolLoopRef, type: EventType): Promise<unknown> => firstValueFrom(loop.events$.pipe(filter((event) => event.type === type)));
const MACROTASKS = 20;
const settled = async (): Promise<void> => {
  for (let n = 0; n < MACROTASKS; n++) await new Promise((resolve) => setImmediate(resolve));
};

describe('provideRemoteLoop', () => {
  it('runs prompts on the server, which is told the conversation so far', async () => {
    const { source, bodies, asked } = serverOf([{ text: 'one' }, { text: 'two' }], { start: (request) => ({ model: scripted([{ text: `${(request['messages'] as unknown[]).length} said` }]) }) });
    const { loop } = viewOn(source);
    for (const prompt of ['a', 'b']) {
      const done = heard(loop, 'done');
      loop.run(prompt);
      await done;
    }
    expect(wordsOf(loop.state())).toEqual(['done', 'user: a', 'assistant: 1 said', 'user: b', 'assistant: 3 said']);
    expect(bodies).toMatchObject([{ messages: [{ role: 'user' }] }, { messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }] }]);
    expect(asked).toEqual(['POST /runs', 'POST /runs']);
  });

  it('asks as the application wants it, with what it injects', async () => {
    const TOKEN = new InjectionToken<string>('token');
    const { source, bodies } = serverOf([{ text: 'one' }]);
    const body: RemoteSourceOptions['body'] = (messages, { content }) => ({ prompt: 'text' in (content[0] ?? {}) ? 'Hi.' : '', threadId: `t${messages.length}`, runId: 'r7' });
    const made = provideRemoteLoop(() => ({ ...source, body, headers: { authorization: inject(TOKEN) } }), AT_ONCE);
    const { loop } = viewOf([{ provide: TOKEN, useValue: 'Bearer t' }, made]);
    const done = heard(loop, 'done');
    loop.run('Hi.');
    await done;
    expect(bodies).toEqual([{ prompt: 'Hi.', threadId: 't0', runId: 'r7' }]);
    expect(loop.state()).toMatchObject({ runId: 'r7', threadId: 't0', status: 'done' });
  });

  it('finds a run again by its id, with all that it has said', async () => {
    const held = heldTurn();
    const { source, asked } = serverOf([held.turn(), { text: 'two' }]);
    const before = viewOn(source);
    const started = heard(before.loop, 'delta');
    before.loop.run('Hi.');
    await started;
    const { runId } = before.loop.state();
    before.destroy();
    held.say('b');

    const { loop } = viewOn(source);
    const done = heard(loop, 'done');
    expect(loop.watch(runId)).toBe(true);
    await settled();
    expect(loop.text()).toBe('ab');
    held.finish();
    await done;
    expect([loop.text(), loop.status()]).toEqual(['ab', 'done']);
    expect(loop.history().map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(asked).toEqual(['POST /runs', 'GET /runs/R/events']);
  });

  it('cancels a run at the server for the next prompt, also one that it only watched', async () => {
    const held = heldTurn();
    const { source, asked, statusOf } = serverOf([], { start: (request) => ({ model: scripted([request['messages'] === undefined ? held.turn() : { text: 'two' }]) }) });
    const { loop } = viewOn({ ...source, body: (messages, prompt) => (asked.length === 0 ? { prompt: 'Hi.' } : { messages: [...messages, prompt] }) });
    const started = heard(loop, 'delta');
    loop.run('Hi.');
    await started;
    const { runId } = loop.state();
    const done = heard(loop, 'done');
    loop.run('Other.');
    await done;
    expect(wordsOf(loop.state())).toEqual(['done', 'user: Other.', 'assistant: two']);
    await settled();
    expect(asked).toEqual(['POST /runs', 'POST /runs/R/cancel', 'POST /runs']);
    expect(await statusOf(runId)).toBe('done');
  });

  it('goes on watching the run that it watches, and does not cancel it', async () => {
    const held = heldTurn();
    const { source, asked } = serverOf([held.turn()]);
    const { loop } = viewOn(source);
    const started = heard(loop, 'delta');
    loop.run('Hi.');
    await started;
    const anew = heard(loop, 'delta');
    expect(loop.watch(loop.state().runId)).toBe(true);
    await anew;
    const done = heard(loop, 'done');
    held.finish();
    await done;
    expect(loop.state()).toMatchObject({ status: 'done', reason: 'answer' });
    expect(asked).toEqual(['POST /runs', 'GET /runs/R/events']);
  });

  it('only stops watching at the end of the view, unless it is told to cancel', async () => {
    const { source, asked, statusOf } = serverOf([heldTurn().turn()], { start: () => ({ model: scripted([heldTurn().turn()]) }) });
    const going = viewOn(source);
    const cancelled = viewOf([provideRemoteLoop(source, AT_ONCE, withCancelOnDestroy())]);
    const ids: string[] = [];
    for (const { loop, destroy } of [going, cancelled]) {
      const started = heard(loop, 'delta');
      loop.run('Hi.');
      await started;
      ids.push(loop.state().runId);
      destroy();
    }
    await settled();
    expect(asked).toEqual(['POST /runs', 'POST /runs', 'POST /runs/R/cancel']);
    expect(await Promise.all(ids.map(statusOf))).toEqual(['running', 'done']);
  });

  it('steers, answers and cancels', async () => {
    const { source, asked } = serverOf([], { start: () => ({ model: scripted([{ calls: [{ name: 'pay' }] }, heldTurn().turn()]), tools: [pay] }) });
    const { loop } = viewOn(source);
    const request = heard(loop, 'approval-request');
    loop.run('Pay.');
    await request;
    expect(loop.answer('forged', { type: 'approve' })).toBe(false);
    const steering = heard(loop, 'steering');
    expect(loop.steer('Hurry.')).toBe(true);
    await settled();
    expect(loop.answer(loop.pending()[0]?.id ?? '', { type: 'approve' })).toBe(true);
    await steering;
    await settled();
    const done = heard(loop, 'done');
    expect(loop.cancel()).toBe(true);
    await done;
    expect(loop.state()).toMatchObject({ status: 'done', reason: 'aborted' });
    expect(wordsOf(loop.state())).toEqual(['done', 'user: Pay.', 'assistant: pay', 'user: Hurry.', 'assistant: a']);
    expect(asked).toEqual(['POST /runs', 'POST /runs/R/steer', 'POST /runs/R/answers', 'POST /runs/R/cancel']);
  });

  it('shows a server that refuses as the error of the run, and tells of a word that was lost', async () => {
    const handleError = jest.fn();
    const { source } = serverOf([heldTurn().turn()]);
    let broken = false;
    const fetch = (async (input: string, init: RequestInit) => (broken ? new Response('', { status: 500 }) : source.fetch?.(input, init))) as typeof globalThis.fetch;
    const { loop, destroy } = viewOn({ ...source, fetch }, { provide: ErrorHandler, useValue: { handleError } });
    loop.watch('r404');
    await settled();
    expect([loop.status(), loop.error()?.code]).toEqual(['error', 'run-gone']);
    const started = heard(loop, 'delta');
    loop.run(userMessage('Hi.'));
    await started;
    broken = true;
    expect(loop.steer('x')).toBe(true);
    await settled();
    expect(handleError.mock.calls).toEqual([[expect.objectContaining({ code: 'remote-http' })]]);
    destroy();
  });
});
