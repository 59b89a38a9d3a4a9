import { describe, expect, it } from '@jest/globals';
import { lastValueFrom, Subject, take, toArray } from 'rxjs';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import type { OpenaiChatOptions } from '../../lib/deltas/openai-chat.ts';
import type { Delta } from '../../lib/delta.ts';
import type { Message } from '../../lib/message.ts';
import type { Model, ModelRequest } from '../../lib/model.ts';
import { modelRequest } from '../support/model-request.ts';

const request = modelRequest();

const frame = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ model: 'm1', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const TEXT = frame({ content: 'a' });
const STOP = frame({}, 'stop');
const DONE = 'data: [DONE]\n\n';

interface Faked {
  readonly fetch: typeof fetch;
  readonly bodies: Record<string, unknown>[];
  readonly headers: Headers[];
}

/** A fetch that answers at once, and the requests that it was sent. */
function faked(body: string = TEXT + STOP + DONE): Faked {
  const [bodies, headers]: [Record<string, unknown>[], Headers[]] = [[], []];
  const fake = async (_url: string, init: RequestInit): Promise<Response> => {
    bodies.push(JSON.parse(new TextDecoder().decode(init.body as Uint8Array)) as Record<string, unknown>);
    headers.push(new Headers(init.headers));
    return new Response(body);
  };
  return { fetch: fake as typeof fetch, bodies, headers };
}

const deltasOf = (model: Model, more: Partial<ModelRequest> = {}): Promise<Delta[]> =>
  lastValueFrom(model.stream({ ...request, ...more }).pipe(toArray()));

async function sent(options: Partial<OpenaiChatOptions>, more: Partial<ModelRequest> = {}): Promise<Record<string, unknown> | undefined> {
  const { fetch, bodies } = faked();
  await deltasOf(openaiChat({ model: 'm', fetch, ...options }), more);
  return bodies[0];
}

describe('the options of a request', () => {
  it('are written in the words of the wire', async () => {
    const options = { temperature: 0.5, topP: 1, stop: ['x'], seed: 4, serviceTier: 'flex', responseFormat: 'json', reasoning: { effort: 'low' }, cache: true } as const;
    expect(await sent({}, { options })).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      temperature: 0.5, top_p: 1, stop: ['x'], seed: 4, service_tier: 'flex', response_format: { type: 'json_object' }, reasoning_effort: 'low',
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it.each([
    ['max_completion_tokens', {}],
    ['max_tokens', { baseUrl: 'https://api.groq.test/openai/v1' }],
    ['max_new_tokens', { maxTokensField: 'max_new_tokens' }],
  ])('bound the answer by %s', async (field, options) => {
    expect(await sent(options, { options: { maxTokens: 9 } })).toMatchObject({ [field]: 9 });
  });

  it('offer parallel calls with tools alone', async () => {
    const tools = [{ name: 'f', description: '', parameters: {} }];
    expect(await sent({}, { tools, options: { parallelCalls: false } })).toMatchObject({ parallel_tool_calls: false });
    expect(await sent({}, { options: { parallelCalls: false } })).not.toHaveProperty('parallel_tool_calls');
  });

  it('give a warning for each that the wire lacks, before anything else, at each subscription', async () => {
    const file: Message = { role: 'user', content: [{ type: 'file', mediaType: 'application/pdf', url: 'https://x.test' }, { type: 'text', text: 'hi' }] };
    const { fetch, bodies } = faked();
    const model = openaiChat({ model: 'm', fetch });
    const asked = { options: { reasoning: { budgetTokens: 9 } }, messages: [file] };
    const deltas = await deltasOf(model, asked);
    expect(deltas.map(({ type }) => type)).toEqual(['warning', 'warning', 'text', 'alive', 'finish']);
    expect(deltas.slice(0, 2)).toEqual([
      { type: 'warning', text: expect.stringContaining('file without data'), data: { lack: 'file without data' } },
      { type: 'warning', text: expect.stringContaining('reasoning.budgetTokens'), data: { lack: 'reasoning.budgetTokens' } },
    ]);
    expect(await deltasOf(model, asked)).toEqual(deltas);
    expect(bodies[0]).toEqual(await sent({}));
  });

  it('are an error in strict options, and nothing is sent', async () => {
    const { fetch, bodies } = faked();
    const model = openaiChat({ model: 'm', fetch, strictOptions: true });
    const asked = deltasOf(model, { options: { reasoning: { budgetTokens: 9 } } });
    await expect(asked).rejects.toMatchObject({ code: 'unsupported', message: expect.stringContaining('reasoning.budgetTokens') });
    await expect(deltasOf(model, { options: { temperature: 1 } })).resolves.toHaveLength(3);
    expect(bodies).toHaveLength(1);
  });
});

describe('the options of openaiChat', () => {
  it('put more fields into the body, over its own', async () => {
    const body = { temperature: 0, chat_template_kwargs: { enable_thinking: false }, stream_options: undefined, model: 'other' };
    expect(await sent({ body }, { options: { temperature: 1 } })).toEqual({
      model: 'other',
      messages: [{ role: 'user', content: 'hi' }],
      temperature: 0,
      chat_template_kwargs: { enable_thinking: false },
      stream: true,
    });
  });

  it('tell of the limits of images', () => {
    expect(openaiChat({ model: 'm', imageLimits: { count: 2 } }).imageLimits).toEqual({ count: 2 });
    expect(openaiChat({ model: 'm' })).not.toHaveProperty('imageLimits');
  });

  it.each([
    ['in one line', (answer: object): string => JSON.stringify(answer)],
    ['in many lines', (answer: object): string => JSON.stringify(answer, null, 2)],
    ['after blanks that kept the connection open', (answer: object): string => `\n\n   \n${JSON.stringify(answer)}\n`],
  ])('ask for a whole answer, and take it apart: %s', async (_name, write) => {
    const message = { role: 'assistant', content: 'a', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }] };
    const answer = { id: 'r', model: 'm1', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 3 } };
    const { fetch, bodies, headers } = faked(write(answer));
    const deltas = await deltasOf(openaiChat({ model: 'm', fetch, stream: false }));
    expect(bodies[0]).toEqual({ model: 'm', messages: [{ role: 'user', content: 'hi' }], stream: false });
    expect(headers[0]?.get('accept')).toBe('application/json');
    expect(deltas.filter(({ type }) => type !== 'alive')).toEqual([
      { type: 'text', block: 'text-0', text: 'a' },
      { type: 'tool-call-start', index: 0, id: 'c', name: 'f' },
      { type: 'tool-call-arguments', index: 0, chunk: '{"a":1}' },
      { type: 'tool-call-end', index: 0, call: { id: 'c', name: 'f', arguments: { a: 1 }, rawArguments: '{"a":1}' } },
      { type: 'usage', usage: { inputTokens: 3 }, reported: { prompt_tokens: 3 } },
      { type: 'finish', reason: 'tool-use', rawFinish: 'tool_calls', model: 'm1', ids: { response: 'r' } },
    ]);
  });

  it('read a whole answer that breaks off as broken', async () => {
    const { fetch } = faked('{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]');
    const deltas = await deltasOf(openaiChat({ model: 'm', fetch, stream: false }));
    expect(deltas.map(({ type }) => type)).toEqual(['unknown']);
  });

  it.each([true, false])('read the other form as well: asked for a stream is %s', async (stream) => {
    const whole = JSON.stringify({ choices: [{ message: { content: 'a' }, finish_reason: 'stop' }] });
    const { fetch } = faked(stream ? whole : TEXT + STOP + DONE);
    const deltas = await deltasOf(openaiChat({ model: 'm', fetch, stream }));
    expect(deltas[0]).toEqual({ type: 'text', block: 'text-0', text: 'a' });
    expect(deltas.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  });
});

describe('the reasoning of a past turn', () => {
  const past: Message = { role: 'assistant', content: [{ type: 'reasoning', text: 'so' }, { type: 'text', text: 'a' }], model: 'm1' };

  it('goes back as this model sends it, once it has', async () => {
    const { fetch, bodies } = faked(frame({ reasoning: 'so' }) + TEXT + STOP + DONE);
    const model = openaiChat({ model: 'm', fetch });
    await deltasOf(model);
    await deltasOf(model, { messages: [past] });
    expect(bodies[1]?.['messages']).toEqual([{ role: 'assistant', content: 'a', reasoning: 'so' }]);
  });

  it('goes under the name that was given', async () => {
    const own = { ...past, model: 'm' };
    const messages = async (options: Partial<OpenaiChatOptions>): Promise<unknown> => (await sent(options, { messages: [own] }))?.['messages'];
    expect(await messages({ reasoningField: 'reasoning' })).toEqual([{ role: 'assistant', content: 'a', reasoning: 'so' }]);
    expect(await messages({})).toEqual([{ role: 'assistant', content: 'a', reasoning_content: 'so' }]);
  });
});

describe('demand', () => {
  it('is asked before each read, and nothing is read before it answers', async () => {
    const gate = new Subject<void>();
    const said: string[] = [];
    let asked = 0;
    const first = new Promise<void>((resolve) => {
      const demand = {
        ready: () => {
          asked += 1;
          resolve();
          return gate.pipe(take(1));
        },
      };
      const { fetch } = faked();
      openaiChat({ model: 'm', fetch }).stream({ ...request, demand }).subscribe((delta) => said.push(delta.type));
    });
    await first;
    expect([asked, said]).toEqual([1, []]);
    gate.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(said).toContain('finish');
  });

  it('hold the model to the schema of its output, strictly where every property is required', async () => {
    const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const closed = { ...place, additionalProperties: false };
    const formatOf = async (schema: object): Promise<unknown> => (await sent({}, { output: { name: 'place', schema: schema as Record<string, unknown> } }))?.['response_format'];
    expect(await formatOf(place)).toEqual({ type: 'json_schema', json_schema: { name: 'place', schema: closed, strict: true } });
    expect(await formatOf({ ...place, required: [] })).toEqual({ type: 'json_schema', json_schema: { name: 'place', schema: { ...closed, required: [] } } });
  });
});
