import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import { pull, toolLoop } from '../../lib/index.ts';
import { fakeTool } from '../../marbles/index.ts';
import { NEVER } from 'rxjs';

const frame = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
const MIB = 2 ** 20;

/** A fetch whose body gives one chunk of `frames` frames at each read, and counts the reads. */
function counted(frames: number): { fetch: typeof globalThis.fetch; reads: () => number; aborted: () => boolean } {
  let reads = 0;
  let aborted = false;
  const chunk = new TextEncoder().encode(frame({ content: 'x' }).repeat(frames));
  const fetch: typeof globalThis.fetch = (_url, init) => {
    init?.signal?.addEventListener('abort', () => (aborted = true));
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => { reads += 1; controller.enqueue(chunk.slice()); } }, { highWaterMark: 0 });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
  return { fetch, reads: () => reads, aborted: () => aborted };
}

describe('a slow reader slows the provider [142]', () => {
  it.each([1, 16, 50])('reads the network only while fewer than %i events wait, one chunk ahead at most', async (highWaterMark) => {
    const perChunk = 10;
    const { fetch, reads } = counted(perChunk);
    const model = openaiChat({ model: 'm', fetch });
    let texts = 0;
    for await (const event of pull((demand) => toolLoop({ model, prompt: 'go', demand }), { highWaterMark })) {
      if (event.type !== 'delta') continue;
      texts += 1;
      await new Promise(setImmediate);
      expect(reads() * perChunk - texts).toBeLessThanOrEqual(highWaterMark + perChunk);
      if (texts === 200) break;
    }
    expect(texts).toBe(200);
  });

  it('aborts the request when the reader breaks off while the gate is shut', async () => {
    const { fetch, reads, aborted } = counted(100);
    const model = openaiChat({ model: 'm', fetch });
    for await (const event of pull((demand) => toolLoop({ model, prompt: 'go', demand }))) if (event.type === 'delta') break;
    expect(aborted()).toBe(true);
    const before = reads();
    await new Promise(setImmediate);
    expect(reads()).toBe(before);
  });
});

describe('over loopback HTTP', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
  });

  /** Serves 96 MiB of text as fast as it is taken; says how much has been taken and when the reader has left. */
  async function firehose(): Promise<{ baseUrl: string; written: () => number; left: Promise<void> }> {
    const block = frame({ content: 'some text' }).repeat(200);
    let written = 0;
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    server = createServer((request, response) => {
      request.resume();
      response.on('close', () => leave());
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => {
        while (!response.destroyed && written < 96 * MIB) {
          written += block.length;
          if (!response.write(block)) return void response.once('drain', more);
        }
      };
      more();
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, written: () => written, left };
  }

  it('lets the server get no further than the socket buffers, and leaves it when the reader does', async () => {
    const { baseUrl, written, left } = await firehose();
    const model = openaiChat({ model: 'm', baseUrl });
    let texts = 0;
    for await (const event of pull((demand) => toolLoop({ model, prompt: 'go', demand }))) {
      if (event.type !== 'delta') continue;
      texts += 1;
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (texts === 300) break;
    }
    // The kernel's buffers on both sides, and Node's own: less than 16 MiB together; the whole answer is 96.
    expect(written()).toBeLessThan(24 * MIB);
    await left;
  });

  it('sees the socket close when the subscriber leaves, and no tool and no request follow', async () => {
    const { baseUrl, left } = await firehose();
    const add = fakeTool(NEVER);
    let requests = 0;
    server?.on('request', () => (requests += 1));
    await new Promise<void>((resolve) => {
      let texts = 0;
      const subscription = toolLoop({ model: openaiChat({ model: 'm', baseUrl }), prompt: 'go', tools: [add] }).subscribe((event) => {
        if (event.type !== 'delta' || (texts += 1) < 50) return;
        subscription.unsubscribe();
        resolve();
      });
    });
    await left;
    await new Promise(setImmediate);
    expect([requests, add.calls]).toEqual([1, []]);
  });
});
