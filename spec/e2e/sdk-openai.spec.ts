import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { lastValueFrom, toArray } from 'rxjs';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import type { Delta } from '../../lib/delta.ts';
import { checkCorpus, corpusNotice, fixtures, foldersOf, recordings } from '../support/corpus.ts';
import { closeServers, serve } from '../support/loopback.ts';
import { modelRequest } from '../support/model-request.ts';

/** What both make of an answer, in the wire's own words. */
interface Answer {
  readonly text: string;
  readonly refusal: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly stop: string | undefined;
  readonly usage: readonly (number | undefined)[];
}

/** Bodies on which the SDK fails though they hold an answer, with what it says. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  'fixtures/no-done': /missing finish_reason for choice 0/,
  'groq/compound-server-search': /missing role for choice 0/,
  'mistral/fragment-with-empty-name': /missing role for choice 0/,
  'litellm-proxy/two-choices': /missing finish_reason for choice 1/,
};

/** Bodies that it reads otherwise, with what it makes of them. */
const MISREAD: Readonly<Record<string, (answer: Answer) => unknown>> = {
  // Parts of content are joined as if they were text.
  'mistral/hybrid-reasoning-content-array': ({ text }) => expect(text).toContain('[object Object]'),
  // A fragment without an index is lost.
  'mistral/tool-call-without-index-2': ({ calls }) => expect(calls).toEqual([]),
  // A chunk without choices that is not the last one loses the usage.
  'openai/moderation-chunk': ({ usage }) => expect(usage).toEqual([undefined, undefined, undefined]),
};

const bodies = [...fixtures('openai-chat'), ...recordings('openai-chat', foldersOf('openai-chat'))];
const named = (id: string): boolean => id in REFUSED || id in MISREAD;

const request = modelRequest();

let base = '';

async function bySdk(at: number): Promise<Answer> {
  const client = new OpenAI({ apiKey: 'key', baseURL: `${base}/${at}`, maxRetries: 0 });
  const stream = client.chat.completions.stream({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
  const { choices, usage } = await stream.finalChatCompletion();
  const message = choices[0]?.message;
  return {
    text: message?.content ?? '',
    refusal: message?.refusal ?? '',
    calls: (message?.tool_calls ?? []).map((call) => ({ id: call.id, name: call.function.name, arguments: call.function.arguments })),
    stop: choices[0]?.finish_reason,
    usage: [usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens],
  };
}

async function byAdapter(at: number): Promise<Answer> {
  const deltas = await lastValueFrom(openaiChat({ model: 'm', baseUrl: `${base}/${at}` }).stream(request).pipe(toArray()));
  const of = <Type extends Delta['type']>(type: Type): Extract<Delta, { type: Type }>[] =>
    deltas.filter((delta): delta is Extract<Delta, { type: Type }> => delta.type === type);
  const usage = of('usage').at(-1)?.reported;
  return {
    text: of('text').map(({ text }) => text).join(''),
    refusal: of('refusal').map(({ text }) => text).join(''),
    calls: of('tool-call-start').map(({ index, id, name }) => {
      const pieces = of('tool-call-arguments').filter((delta) => delta.index === index);
      return { id, name, arguments: pieces.map(({ chunk }) => chunk).join('') };
    }),
    stop: of('finish').at(-1)?.rawFinish,
    usage: [usage?.['prompt_tokens'], usage?.['completion_tokens'], usage?.['total_tokens']],
  };
}

describe('the official client of the chat-completions wire', () => {
  beforeAll(async () => {
    base = await serve((incoming, response) => {
      const at = Number(incoming.url?.split('/')[1]);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(bodies[at]?.body);
    });
  });
  afterAll(closeServers);

  it(corpusNotice(), () => {
    expect(checkCorpus).not.toThrow();
  });

  it('reads most of them', () => {
    expect(bodies.filter(({ id }) => !named(id)).length).toBeGreaterThan(bodies.length * 0.8);
  });

  it.each(bodies.map(({ id, expected }, at) => ({ id, expected, at })))('and the adapter read $id', async ({ id, expected, at }) => {
    if (expected.error !== null) {
      await expect(bySdk(at)).rejects.toThrow();
      await expect(byAdapter(at)).rejects.toMatchObject({ code: 'model-stream' });
      return;
    }
    const ours = await byAdapter(at);
    expect(ours.text).toBe(expected.text);
    const refused = REFUSED[id];
    if (refused !== undefined) return expect(bySdk(at)).rejects.toThrow(refused);
    const theirs = await bySdk(at);
    if (MISREAD[id] !== undefined) return void MISREAD[id](theirs);
    expect(ours).toEqual(theirs);
  });
});
