import { describe, expect, it } from '@jest/globals';
import { NEVER, Observable, of, throwError } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import { toolLoop } from '../../lib/index.ts';
import { fromUiMessages, toUiMessages, uiMessageTransport } from '../../lib/projections/ui-messages.ts';
import type { UiMessage, UiMessageChunk, UiRunRequest } from '../../lib/projections/ui-messages.ts';

const messages: UiMessage[] = [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' } as { type: string }] }];
const request = { trigger: 'submit-message', chatId: 'chat1', messageId: undefined, messages, abortSignal: undefined } as const;

async function read(stream: ReadableStream<UiMessageChunk>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of stream as unknown as AsyncIterable<UiMessageChunk>) types.push(type);
  return types;
}

describe('uiMessageTransport', () => {
  it('runs a loop in the page, paced by its reader', async () => {
    const model = scripted([{ text: 'Hello.' }]);
    const transport = uiMessageTransport(({ messages: posted, demand }) =>
      toolLoop({ model, messages: fromUiMessages(posted).messages, demand }).pipe(toUiMessages()),
    );
    expect(await read(await transport.sendMessages(request))).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish']);
    expect(model.requests[0]?.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'go' }] }]);
  });

  it('starts a run when the stream is read, with what the chat asked', async () => {
    const asked: UiRunRequest[] = [];
    const stream = await uiMessageTransport((one) => (asked.push(one), of<UiMessageChunk>({ type: 'start' }))).sendMessages(request);
    expect(asked).toEqual([]);
    expect(await read(stream)).toEqual(['start']);
    expect(asked[0]).toMatchObject({ chatId: 'chat1', trigger: 'submit-message', messages });
  });

  it.each(['signal', 'cancel'])('leaves the run by %s', async (how) => {
    let left = 0;
    const run$ = new Observable<UiMessageChunk>((subscriber) => {
      subscriber.next({ type: 'start' });
      return () => (left += 1);
    });
    const stop = new AbortController();
    const stream = await uiMessageTransport(() => run$).sendMessages({ ...request, abortSignal: stop.signal });
    const reader = stream.getReader();
    expect(await reader.read()).toEqual({ done: false, value: { type: 'start' } });
    const next = reader.read();
    if (how === 'signal') stop.abort();
    else await reader.cancel();
    expect(left).toBe(1);
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('begins no run for a chat that has been stopped', async () => {
    let begun = 0;
    const run$ = new Observable<UiMessageChunk>(() => void (begun += 1));
    expect(await read(await uiMessageTransport(() => run$).sendMessages({ ...request, abortSignal: AbortSignal.abort() }))).toEqual([]);
    expect(begun).toBe(0);
  });

  it.each([
    ['is thrown', () => { throw new Error('No model.'); }],
    ['is notified', () => throwError(() => new Error('No model.'))],
  ])('fails of what %s', async (_name, run) => {
    await expect(read(await uiMessageTransport(run).sendMessages(request))).rejects.toThrow('No model.');
  });

  it('has nothing to reconnect to', async () => {
    expect(await uiMessageTransport(() => NEVER).reconnectToStream()).toBeNull();
  });
});
