import { concat, from, lastValueFrom, Subject, toArray } from 'rxjs';
import type { Observable } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import type { ScriptedTurn } from '../../lib/deltas/scripted.ts';
import type { Delta, LoopEvent } from '../../lib/index.ts';
import { httpHandler } from '../../lib/serve/http.ts';
import type { HttpHandler, HttpOptions } from '../../lib/serve/http.ts';

export const BASE = 'http://localhost/runs';

/** A handler whose runs say these turns; errors that nobody expects fail the spec that prints them. */
export function doorOf(turns: readonly ScriptedTurn[], options: Partial<HttpOptions> = {}): HttpHandler {
  const door = httpHandler({ start: () => ({ model: scripted(turns) }), ...options, limits: { graceMs: 0, ...options.limits } });
  doors.add(door);
  return door;
}

const doors = new Set<HttpHandler>();

/** Ends the runs of every door of a spec; those with a virtual clock have none that waits. */
export async function closeDoors(): Promise<void> {
  const open = [...doors];
  doors.clear();
  await Promise.all(open.map((door) => door.close()));
}

/** A connection to a door: aborting it tells the door that its watcher has left. */
export function fetchOf(door: HttpHandler): typeof fetch {
  return async (input, init) => {
    const { body, status, headers } = await door(new Request(input, init));
    return new Response(body?.pipeThrough(new TransformStream(), init?.signal ? { signal: init.signal } : {}), { status, headers });
  };
}

export function post(path: string, body: unknown = {}, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request(`${BASE}${path}`, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
}

export function get(path: string, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request(`${BASE}${path}`, { headers });
}

/** A turn that says `a` and waits; `say` goes on with it, `finish` ends it. */
export function heldTurn() {
  const more$ = new Subject<Delta>();
  const begin: Delta = { type: 'text', block: 'b', text: 'a' };
  const turn: Observable<Delta> = concat(from([begin]), more$);
  return {
    turn: () => turn,
    say: (text: string) => more$.next({ type: 'text', block: 'b', text }),
    finish: () => {
      more$.next({ type: 'finish', reason: 'stop' });
      more$.complete();
    },
  };
}

export interface Frame {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** The frames of a body, without comments. */
export function framesIn(text: string): Frame[] {
  return text.split('\n\n').flatMap((block) => {
    const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
    return /^(data|event|id):/m.test(block) ? [{ id: field('id'), event: field('event'), data: field('data') }] : [];
  });
}

export function eventsIn(text: string): LoopEvent[] {
  return framesIn(text).filter(({ event }) => event === '').map(({ data }) => JSON.parse(data) as LoopEvent);
}

export async function allOf<T>(values$: Observable<T>): Promise<T[]> {
  return lastValueFrom(values$.pipe(toArray()));
}

/** Reads a body until it has said these words. */
export async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, words: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  while (!text.includes(words)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`The body ended without ${words}: ${text}`);
    text += decoder.decode(value, { stream: true });
  }
  return text;
}
