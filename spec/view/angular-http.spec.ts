// HttpClient comes half compiled; an application's build does the rest, and here the compiler.
import '@angular/compiler';
import { describe, expect, it } from '@jest/globals';
import { HttpClient, HttpErrorResponse, HttpEventType, HttpHeaderResponse, HttpHeaders, HttpResponse } from '@angular/common/http';
import type { HttpEvent, HttpRequest } from '@angular/common/http';
import { lastValueFrom, Observable, of, retry, toArray } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import { toolLoop, toText } from '../../lib/index.ts';
import { httpClientFetch } from '../../lib/view/angular-http.ts';
import { remoteLoop } from '../../lib/view/remote.ts';
import { closeDoors, doorOf } from '../serve/door.ts';

const headers = new HttpHeaders({ 'content-type': 'text/event-stream', 'x-two': ['a', 'b'] });
const opens = (status = 200): HttpEvent<string> => new HttpHeaderResponse({ status, statusText: 'Told', headers });
const tells = (partialText: string): HttpEvent<string> => ({ type: HttpEventType.DownloadProgress, loaded: partialText.length, partialText }) as HttpEvent<string>;
const ends = (body: string | null, status = 200): HttpEvent<string> => new HttpResponse({ status, body, headers });
const fails = (status: number, error: unknown): HttpErrorResponse => new HttpErrorResponse({ status, error, headers });

/** A `HttpClient` whose answers the spec gives by hand. */
function clientOf(through = (events$: Observable<HttpEvent<unknown>>): Observable<HttpEvent<unknown>> => events$) {
  const requests: HttpRequest<unknown>[] = [];
  const answers: Subscriber<HttpEvent<unknown>>[] = [];
  let left = 0;
  const http = new HttpClient({
    handle: (request) =>
      through(
        new Observable((subscriber) => {
          requests.push(request);
          answers.push(subscriber);
          return () => void (left += 1);
        }),
      ),
  });
  const say = (...events: HttpEvent<string>[]): void => events.forEach((event) => answers.at(-1)?.next(event));
  return { fetch: httpClientFetch(http), requests, answers, say, left: () => left, end: () => answers.at(-1)?.complete(), fail: (error: unknown) => answers.at(-1)?.error(error) };
}

const read = async (reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<string | undefined> => {
  const { value } = (await reader?.read()) ?? {};
  return value && new TextDecoder().decode(value);
};

describe('httpClientFetch', () => {
  it('asks as a fetch does', async () => {
    const { fetch, requests, say, end } = clientOf();
    const answer = fetch(new URL('http://a.example/x?y=1'), { method: 'PUT', headers: { authorization: 'Bearer t' }, body: new TextEncoder().encode('{"a":"é"}'), redirect: 'manual' });
    say(ends('ok'));
    end();
    expect(await (await answer).text()).toBe('ok');
    const [request] = requests;
    expect(request).toMatchObject({ url: 'http://a.example/x?y=1', method: 'PUT', body: '{"a":"é"}', redirect: 'manual', responseType: 'text', reportProgress: true });
    expect(request?.headers.get('authorization')).toBe('Bearer t');
  });

  it('takes an address and options, not a Request', async () => {
    const { fetch, requests } = clientOf();
    await expect(fetch(new Request('http://a.example'))).rejects.toThrow(/give the address as a text or URL/);
    expect(requests).toEqual([]);
  });

  it('passes on what is new of a text that Angular tells as a whole each time', async () => {
    const { fetch, say, end } = clientOf();
    const answer = fetch('/x');
    say({ type: HttpEventType.Sent }, opens());
    const { status, statusText, ok, headers: told, body } = await answer;
    expect({ status, statusText, ok, type: told.get('content-type'), two: told.get('x-two') }).toEqual({ status: 200, statusText: 'Told', ok: true, type: 'text/event-stream', two: 'a, b' });
    const reader = body?.getReader();
    say(tells('Hé'));
    expect(await read(reader)).toBe('Hé');
    say(tells('Hé'), tells('Héllo'), tells('Héllo wor'));
    expect([await read(reader), await read(reader)]).toEqual(['llo', ' wor']);
    say(ends('Héllo world'));
    end();
    expect([await read(reader), await read(reader)]).toEqual(['ld', undefined]);
  });

  it.each([204, 205, 304])('answers %i without a body', async (status) => {
    const { fetch, say, fail } = clientOf();
    const answer = fetch('/x');
    if (status < 300) say(ends(null, status));
    else fail(fails(status, null));
    expect(await answer).toMatchObject({ status, body: null });
  });

  it('answers a status that Angular tells as an error', async () => {
    const { fetch, say, fail } = clientOf();
    const answer = fetch('/x');
    say(opens(429), tells('slow'));
    fail(fails(429, 'slow down'));
    const response = await answer;
    expect([response.status, response.ok, await response.text()]).toEqual([429, false, 'slow down']);
  });

  it('leaves it to an interceptor to ask again, before anything was read', async () => {
    const { fetch, say, fail, end, requests } = clientOf((events$) => events$.pipe(retry(1)));
    const answer = fetch('/x');
    say(opens(401), tells('who?'));
    fail(fails(401, 'who?'));
    say(opens(), tells('in'), ends('in'));
    end();
    const response = await answer;
    expect([response.status, await response.text(), requests.length]).toEqual([200, 'in', 2]);
  });

  it('errors the body where an interceptor asks again after a part of it was read', async () => {
    const { fetch, say, fail, left } = clientOf((events$) => events$.pipe(retry(1)));
    const answer = fetch('/x');
    say(opens(), tells('half'));
    const reader = (await answer).body?.getReader();
    expect(await read(reader)).toBe('half');
    fail(fails(0, new TypeError('reset')));
    say(opens());
    await expect(read(reader)).rejects.toThrow(/begun anew/);
    expect(left()).toBe(2);
  });

  it('rejects where there is no answer', async () => {
    const lost = clientOf();
    const answer = lost.fetch('/x');
    lost.fail(fails(0, new TypeError('offline')));
    await expect(answer).rejects.toMatchObject({ name: 'TypeError', cause: { message: 'offline' } });
    const empty = clientOf();
    const nothing = empty.fetch('/x');
    empty.end();
    await expect(nothing).rejects.toThrow('HttpClient ended without an answer.');
  });

  it.each([
    ['errors', (client: ReturnType<typeof clientOf>) => client.fail(fails(0, new TypeError('reset'))), 'HttpClient got no whole answer.'],
    ['errors with a status that came before', (client: ReturnType<typeof clientOf>) => client.fail(fails(500, 'late')), 'HttpClient got no whole answer.'],
    ['ends without its last word', (client: ReturnType<typeof clientOf>) => client.end(), 'HttpClient ended without an answer.'],
  ])('errors the body of an answer that %s', async (_how, act, message) => {
    const client = clientOf();
    const answer = client.fetch('/x');
    client.say(opens(), tells('half'));
    const reader = (await answer).body?.getReader();
    expect(await read(reader)).toBe('half');
    act(client);
    await expect(read(reader)).rejects.toThrow(message);
  });

  it('unsubscribes when its signal is aborted: before, while and after the answer comes', async () => {
    const { fetch, requests, say, left } = clientOf();
    await expect(fetch('/x', { signal: AbortSignal.abort(new Error('early')) })).rejects.toThrow('early');
    expect(requests).toEqual([]);
    const waiting = new AbortController();
    const unanswered = fetch('/x', { signal: waiting.signal });
    waiting.abort(new Error('no more'));
    await expect(unanswered).rejects.toThrow('no more');
    expect(left()).toBe(1);
    const reading = new AbortController();
    const answer = fetch('/x', { signal: reading.signal });
    say(opens());
    const reader = (await answer).body?.getReader();
    reading.abort(new Error('enough'));
    await expect(read(reader)).rejects.toThrow('enough');
    expect(left()).toBe(2);
  });

  it('unsubscribes when its body is cancelled', async () => {
    const { fetch, say, left } = clientOf();
    const answer = fetch('/x');
    say(opens());
    await (await answer).body?.cancel();
    expect(left()).toBe(1);
  });
});

describe('through HttpClient', () => {
  it('a model streams', async () => {
    const frame = (content: string): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: content === '' ? 'stop' : null }] })}\n\n`;
    const [one, two] = [frame('Hel'), `${frame('lo')}${frame('')}data: [DONE]\n\n`];
    const http = new HttpClient({ handle: () => of<HttpEvent<string>[]>(opens(), tells(one.slice(0, 9)), tells(one), tells(one + two), ends(one + two)) });
    const model = openaiChat({ model: 'm', baseUrl: 'http://a.example/v1', fetch: httpClientFetch(http) });
    expect(await lastValueFrom(toolLoop({ model, prompt: 'Hi.' }).pipe(toText(), toArray()))).toEqual(['Hel', 'lo']);
  });

  it('a run on a server comes', async () => {
    const door = doorOf([{ text: ['Hel', 'lo'] }]);
    const http = new HttpClient({
      handle: ({ url, method, body, headers: given }) =>
        new Observable<HttpEvent<string>>((subscriber) => {
          const asked = new Request(url, { method, body: body as string, headers: given.keys().map((name): [string, string] => [name, given.get(name) ?? '']) });
          void door(asked).then(async (response) => {
            subscriber.next(new HttpHeaderResponse({ status: response.status, headers: new HttpHeaders(response.headers) }));
            let text = '';
            for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) subscriber.next(tells((text += piece)));
            subscriber.next(ends(text));
            subscriber.complete();
          });
        }),
    });
    const run$ = remoteLoop({ url: 'http://localhost/runs', body: { prompt: 'Hi.' }, fetch: httpClientFetch(http) });
    expect(await lastValueFrom(run$.pipe(toText(), toArray()))).toEqual(['Hel', 'lo']);
    await closeDoors();
  });
});
