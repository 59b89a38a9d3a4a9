import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { bundle, endBundler } from '../guards/support/bundle.ts';
import { packageJson } from '../guards/support/project.ts';
import { inBrowser } from './support/in-browser.ts';
import { serveCommand } from './support/serve-command.ts';
import type { Served } from './support/serve-command.ts';

const { open } = inBrowser();

/** A page's program: runs of its own server by fetch, and through an interceptor by each way that HttpClient has to ask. */
const program = `
import { VERSION } from '@angular/compiler';
import { provideZonelessChangeDetection } from '@angular/core';
import { createApplication } from '@angular/platform-browser';
import * as http from '@angular/common/http';
import { httpClientFetch } from '${packageJson.name}/angular-http';
import { remoteLoop } from '${packageJson.name}/remote';
import { firstValueFrom, lastValueFrom, toArray, filter } from 'rxjs';

// So that the bundler keeps the compiler, which Angular's packages need where no build of an application has compiled them.
window.compiler = VERSION;
const seen = [];
const mark = (request, next) => {
  seen.push(request.method);
  return next(request.clone({ setHeaders: { 'x-marked': 'yes' } }));
};
async function placeOf(way) {
  if (way === 'fetch') return { url: '/runs' };
  const { injector } = await createApplication({ providers: [provideZonelessChangeDetection(), http.provideHttpClient(http.withInterceptors([mark]), ...(way === 'withFetch' ? [http.withFetch()] : []))] });
  return { url: '/runs', fetch: httpClientFetch(injector.get(http.HttpClient)) };
}
window.whole = async (way, prompt) => {
  const events = await lastValueFrom(remoteLoop({ ...(await placeOf(way)), body: { prompt } }).pipe(toArray()));
  return { seen, text: events.flatMap((event) => (event.type === 'delta' && event.delta.type === 'text' ? [event.delta.text] : [])).join(''), types: events.map(({ type }) => type) };
};
window.first = async (way, prompt) => {
  const run$ = remoteLoop({ ...(await placeOf(way)), body: { prompt }, cancelOnLeave: true });
  const { runId } = await firstValueFrom(run$.pipe(filter((event) => event.type === 'delta' && event.delta.type === 'text')));
  return runId;
};
`;

let served: Served;
let script: string;
beforeAll(async () => {
  served = await serveCommand(['--model', 'demo']);
  const { text } = await bundle(program);
  // In a scope of its own: a short name of the bundle may be "ng", by which Angular is found.
  script = `(() => {${text}})()`;
}, 60_000);
afterAll(async () => {
  await served.stop();
  await endBundler();
});

interface Whole {
  readonly seen: readonly string[];
  readonly text: string;
  readonly types: readonly string[];
}

async function loaded(): Promise<Page> {
  // The compiler makes functions of texts, which the server's own page forbids.
  const { page } = await open(served.url, { bypassCSP: true });
  await page.evaluate(script);
  return page;
}

describe.each([
  ['withXhr', 'xhr'],
  ['withFetch', 'fetch'],
])('httpClientFetch in a browser, %s', (way, kind) => {
  it('gives a run event by event as fetch does, through the interceptors', async () => {
    const page = await loaded();
    const direct = await page.evaluate<Whole>(`whole('fetch', 'retract')`);
    const through = await page.evaluate<Whole>(`whole('${way}', 'retract')`);
    expect(through.types).toEqual(direct.types);
    expect(through.text).toBe(direct.text);
    expect(direct.types).toContain('step-retract');
    expect(through.seen).toEqual(['POST']);
  });

  it('gives the first words while the run goes on, and aborts the request where the run is left', async () => {
    const page = await loaded();
    const aborted = page.waitForEvent('requestfailed', (request) => request.method() === 'POST' && request.url() === `${served.url}/runs`);
    const runId = await page.evaluate<string>(`first('${way}', 'long')`);
    const request = await aborted;
    expect([request.resourceType(), request.failure()?.errorText]).toEqual([kind, 'net::ERR_ABORTED']);
    const events = await (await fetch(`${served.url}/runs/${runId}/events`, { headers: { accept: 'text/event-stream' } })).text();
    expect(events).toMatch(/"outcome":\{"reason":"aborted"/);
  });
});
