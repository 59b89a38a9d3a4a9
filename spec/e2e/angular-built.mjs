// The entries for Angular, as built, with the Angular that is found from here. Prints one line for each thing that holds.
//   run by spec/view/angular-built.spec.ts
import '@angular/compiler';
import { HttpClient, provideHttpClient, withFetch, withInterceptors } from '@angular/common/http';
import * as core from '@angular/core';
import { rxResource, takeUntilDestroyed, toSignal } from '@angular/core/rxjs-interop';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { httpHandler } from 'rx-tool-loop/http';
import { nodeListener } from 'rx-tool-loop/node-listener';
import { errorAsDone, toolLoop, toText } from 'rx-tool-loop';
import { injectToolLoop, provideRemoteLoop, provideToolLoop, withServerRendering, withStrategy, withUpdates } from 'rx-tool-loop/angular';
import { httpClientFetch } from 'rx-tool-loop/angular-http';
import { remoteLoop } from 'rx-tool-loop/remote';
import { scripted } from 'rx-tool-loop/scripted';
import { Observable, Subject, filter, firstValueFrom, lastValueFrom, map, scan, toArray } from 'rxjs';

const { createEnvironmentInjector, Injector, PLATFORM_ID, runInInjectionContext } = core;

/** An application without a page; everything that Angular provides in its root is there. */
const appOf = (providers, platform = 'browser') =>
  createEnvironmentInjector(
    [
      { provide: core.ɵINJECTOR_SCOPE, useValue: 'root' },
      { provide: PLATFORM_ID, useValue: platform },
      // A resource looks for what a server has sent.
      { provide: core.DOCUMENT, useValue: { getElementById: () => null } },
      core.provideZonelessChangeDetection(),
      ...providers,
    ],
    Injector.NULL,
  );
const within = (app, act) => runInInjectionContext(app, act);
/** By time and not by turns: a fast machine has many of them in the 100 ms that signals may lag behind. */
const until = async (isSo) => {
  for (const last = Date.now() + 10_000; !isSo(); ) {
    assert.ok(Date.now() < last, `never: ${isSo}`);
    await wait(1);
  }
};
const holds = (what) => console.log(what);
const text = (words) => ({ type: 'text', block: 'b0', text: words });
const finish = { type: 'finish', reason: 'stop' };

/** A model that a test speaks for, and how often it was left. */
function heldModel() {
  const calls = [];
  const model = scripted(Array.from({ length: 5 }, () => new Observable((subscriber) => {
    const call = { subscriber, isLeft: false };
    calls.push(call);
    return () => (call.isLeft = true);
  })));
  return { model, calls };
}

console.log(`Angular ${core.VERSION.major}`);

{
  const { model, calls } = heldModel();
  const app = appOf([provideToolLoop({ model })]);
  const { loop, last } = within(app, () => {
    const loop = injectToolLoop();
    return { loop, last: toSignal(loop.events$.pipe(takeUntilDestroyed(), map(({ type }) => type)), { initialValue: 'none' }) };
  });
  const line = core.computed(() => `${loop.status()}: ${loop.text()}`);
  assert.equal(line(), 'idle: ');
  assert.equal(loop.run('Hi.'), true);
  calls[0].subscriber.next(text('Hel'));
  calls[0].subscriber.next(text('lo'));
  assert.equal(line(), 'idle: ');
  await until(() => line() === 'running: Hello');
  holds('signals follow a run, a frame or a timer later');

  loop.run('Other.');
  assert.deepEqual(calls.map(({ isLeft }) => isLeft), [true, false]);
  calls[1].subscriber.next(text('New.'));
  calls[1].subscriber.next(finish);
  calls[1].subscriber.complete();
  await until(() => line() === 'done: New.');
  assert.deepEqual([last(), loop.messages().length, loop.history().length], ['done', 2, 2]);
  holds('a prompt supersedes the run before it');

  loop.run('Third.');
  app.destroy();
  assert.equal(calls[2].isLeft, true);
  assert.equal(loop.run('Fourth.'), false);
  holds('the end of the view leaves the run');
}
{
  const app = appOf([provideToolLoop(() => ({ model: scripted([{ text: 'one' }]), threadId: core.inject(PLATFORM_ID) }), withUpdates('none'), withStrategy('concat'))]);
  const loop = within(app, () => injectToolLoop());
  loop.run('a');
  assert.deepEqual([loop.text(), loop.state().threadId], ['one', 'browser']);
  holds('options are made in an injection context');
}
{
  const idle = within(appOf([provideToolLoop({ model: scripted([]) })], 'server'), () => injectToolLoop());
  assert.equal(idle.run('a'), false);
  const { model, calls } = heldModel();
  const app = appOf([provideToolLoop({ model }, withServerRendering())], 'server');
  const loop = within(app, () => injectToolLoop());
  const stable = [];
  app.get(core.ApplicationRef).isStable.subscribe((is) => stable.push(is));
  loop.run('a');
  await turn();
  assert.equal(stable.at(-1), false);
  calls[0].subscriber.next(text('Rendered.'));
  calls[0].subscriber.next(finish);
  calls[0].subscriber.complete();
  assert.equal(loop.text(), 'Rendered.');
  await until(() => stable.at(-1) === true);
  holds('a server renders a run where that is wanted, and waits for it');
}
{
  const { model, calls } = heldModel();
  const app = appOf([]);
  const prompt = core.signal('a');
  const answer = within(app, () =>
    rxResource({
      params: () => prompt(),
      stream: ({ params }) => toolLoop({ model, prompt: params }).pipe(errorAsDone(), toText(), scan((all, more) => all + more)),
    }),
  );
  const settled = async (count) => {
    app.get(core.ApplicationRef).tick();
    await until(() => calls.length === count);
  };
  await settled(1);
  calls[0].subscriber.next(text('He'));
  await until(() => answer.value() === 'He');
  prompt.set('b');
  await settled(2);
  assert.equal(calls[0].isLeft, true);
  calls[1].subscriber.next(text('Ho'));
  await until(() => answer.value() === 'Ho');
  app.destroy();
  assert.equal(calls[1].isLeft, true);
  holds('rxResource shows a run and leaves it for the next');
}
{
  const seen = [];
  const handler = httpHandler({ start: () => ({ model: scripted([{ text: ['Hel', 'lo'] }]) }) });
  const server = createServer(nodeListener(handler));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}/runs`;
  const counts = (request, next) => {
    seen.push(request.method);
    return next(request.clone({ setHeaders: { 'x-seen': 'yes' } }));
  };
  const app = appOf([
    provideHttpClient(withFetch(), withInterceptors([counts])),
    provideRemoteLoop(() => ({ url, fetch: httpClientFetch(core.inject(HttpClient)) }), withUpdates('none')),
  ]);
  const fetch = httpClientFetch(app.get(HttpClient));
  const words = await lastValueFrom(remoteLoop({ url, body: { prompt: 'Hi.' }, fetch }).pipe(toText(), toArray()));
  assert.deepEqual([words.join(''), seen], ['Hello', ['POST']]);
  holds('HttpClient carries a run on a server, through an interceptor');

  const gone = await fetch(`${url}/nobody`);
  assert.deepEqual([gone.status, (await gone.json()).code], [404, 'run-gone']);
  await assert.rejects(fetch('http://127.0.0.1:9/'), TypeError);
  holds('a status is an answer, and no connection a rejection');

  const loop = within(app, () => injectToolLoop());
  const done = firstValueFrom(loop.events$.pipe(filter(({ type }) => type === 'done')));
  loop.run('Hi.');
  await done;
  assert.deepEqual([loop.text(), loop.status()], ['Hello', 'done']);
  holds('a view shows a run on a server');
  app.destroy();
  await handler.close();
  server.closeAllConnections();
  server.close();
}
{
  const chunks = new Subject();
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const subscription = chunks.subscribe((chunk) => response.write(chunk));
    response.on('close', () => (subscription.unsubscribe(), chunks.next('left')));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const app = appOf([provideHttpClient(withFetch())]);
  const controller = new AbortController();
  const answer = httpClientFetch(app.get(HttpClient))(`http://127.0.0.1:${server.address().port}/`, { signal: controller.signal });
  await until(() => chunks.observed);
  chunks.next('one é');
  const reader = (await answer).body.getReader();
  const read = async () => new TextDecoder().decode((await reader.read()).value);
  assert.equal(await read(), 'one é');
  chunks.next(' two');
  assert.equal(await read(), ' two');
  const left = firstValueFrom(chunks);
  controller.abort();
  await assert.rejects(reader.read(), { name: 'AbortError' });
  assert.equal(await left, 'left');
  holds('pieces come as they are sent, and an abort reaches the server');
  server.close();
  app.destroy();
}
