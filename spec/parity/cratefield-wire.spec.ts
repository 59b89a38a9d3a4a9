import { afterEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { filter, firstValueFrom, lastValueFrom, tap, toArray, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import { ofType, toolLoop } from '../../lib/index.ts';
import type { LoopEvent, ToolCall } from '../../lib/index.ts';
import { cut } from '../../marbles/index.ts';
import { closeServers, serve } from '../support/loopback.ts';

afterEach(closeServers);

const frame = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const called = (index: number, more: object, args: string): string => frame({ tool_calls: [{ index, ...more, function: { ...more, arguments: args } }] });
const TEXT = frame({ content: 'hé𝄞' });
const STOP = frame({}, 'stop');
const DONE = 'data: [DONE]\n\n';

/** A fetch that gives these pieces as one body, each in a read of its own. */
function inPieces(pieces: readonly Uint8Array[]): typeof fetch {
  return (async () => new Response(new ReadableStream({
    start(body) {
      for (const piece of pieces) body.enqueue(piece);
      body.close();
    },
  }))) as typeof fetch;
}

describe('cratefield: over the wire', () => {
  it('gives the same deltas and calls for any fragmentation of the bytes [24]', async () => {
    const calls = called(0, { id: 'c0', name: 'add' }, '') + called(1, { id: 'c1', name: 'mul' }, '{"x":"é') + called(0, {}, '{"a":1}') + called(1, {}, '"}');
    const body = new TextEncoder().encode(TEXT + calls + frame({}, 'tool_calls') + DONE);
    const read = async (pieces: readonly Uint8Array[]): Promise<unknown> => {
      const model = openaiChat({ model: 'm', fetch: inPieces(pieces) });
      const events = await lastValueFrom(toolLoop({ model, prompt: 'go', preset: 'strict', budget: { maxSteps: 1 }, policy: { budgetEnd: 'stop' }, runId: 'run' }).pipe(toArray()));
      return events.filter(({ type }) => type === 'delta' || type === 'tool-call').map((event) => (event.type === 'delta' ? event.delta : (event as { call?: ToolCall }).call));
    };
    const whole = await read([body]);
    expect(whole).toContainEqual(expect.objectContaining({ type: 'tool-call-end', call: { id: 'c1', name: 'mul', arguments: { x: 'é' }, rawArguments: '{"x":"é"}' } }));
    const different: number[] = [];
    for (let at = 0; at <= body.length; at += 1) {
      if (JSON.stringify(await read(cut(body, at))) !== JSON.stringify(whole)) different.push(at);
    }
    expect(different).toEqual([]);
    expect(await read(cut(body, Array.from({ length: body.length - 1 }, (_, at) => at + 1)))).toEqual(whole);
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, { delayMs: 7_000, retryAfter: true }],
    ['a date', { 'retry-after': 'Thu, 01 Jan 1970 00:01:00 GMT' }, { delayMs: 60_000, retryAfter: true }],
    ['nothing, and falls back', {}, { delayMs: 250 }],
    ['nonsense, and falls back', { 'retry-after': 'soon' }, { delayMs: 250 }],
  ])('waits as Retry-After says: %s [122]', async (_name, headers, wait) => {
    const fetch = (async () => new Response('busy', { status: 503, headers: headers as Record<string, string> })) as typeof globalThis.fetch;
    const retry = { count: 1, initialDelayMs: 250, maxTotalMs: 90_000, jitter: 0 };
    const run$ = toolLoop({ model: openaiChat({ model: 'm', fetch }), prompt: 'go', preset: 'strict', retry, scheduler: new VirtualTimeScheduler() });
    const event = await firstValueFrom(run$.pipe(ofType('retry')));
    expect(event).toMatchObject(wait);
    expect('retryAfter' in event).toBe('retryAfter' in wait);
  });

  it('makes the first delta readable before the rest exists [143]', async () => {
    let answer: ServerResponse | undefined;
    const baseUrl = await serve((_request, response) => {
      answer = response;
      response.write(TEXT);
    });
    const run$: Observable<LoopEvent> = toolLoop({ model: openaiChat({ model: 'm', baseUrl }), prompt: 'go', preset: 'strict' });
    const rest = tap((event: LoopEvent) => {
      // Only what was read lets the server go on: a reader that waited for the end would wait for ever.
      if (event.type === 'delta' && event.delta.type === 'text') answer?.end(STOP + DONE);
    });
    const done = await lastValueFrom(run$.pipe(rest, filter(({ type }) => type === 'done')));
    expect(done).toMatchObject({ outcome: { reason: 'answer', completion: { text: 'hé𝄞' } } });
  });
});
