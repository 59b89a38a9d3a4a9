import { describe, expect, it } from '@jest/globals';
import { asyncScheduler } from 'rxjs';
import { anthropicRequest } from '../../lib/deltas/anthropic-request.ts';
import type { AnthropicRequestOptions } from '../../lib/deltas/anthropic-request.ts';
import { toolCall, userMessage } from '../../lib/message.ts';
import type { AssistantPart, Message } from '../../lib/message.ts';
import type { ModelRequest, ToolChoice } from '../../lib/model.ts';

const own: AnthropicRequestOptions = { model: 'claude-sonnet-4-6', maxTokens: 100, stream: true, body: {}, capabilities: ['tools', 'images', 'files'] };

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: undefined, messages: [], tools: [], toolChoice: 'auto', options: {}, demand: undefined, scheduler: asyncScheduler, ids: () => 'made', ...more };
}

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: readonly Record<string, unknown>[] }[];
  readonly [field: string]: unknown;
}

function body(more: Partial<ModelRequest> = {}, options: Partial<AnthropicRequestOptions> = {}): Body {
  return JSON.parse(anthropicRequest({ ...own, ...options })(request(more)).body) as Body;
}

/** Each turn as its role and the types of its blocks; text blocks as their text. */
function shape(...messages: Message[]): string[] {
  return body({ messages }).messages.map(({ role, content }) => `${role}: ${content.map((block) => block['text'] ?? block['type']).join(' ')}`);
}

const add = { name: 'add', description: 'Adds.', parameters: { type: 'object', properties: { a: { type: 'number' } } } };
const user = userMessage;
const assistant = (...content: AssistantPart[]): Message => ({ role: 'assistant', content });
const say = (text: string): AssistantPart => ({ type: 'text', text });
const call = (id: string): AssistantPart => ({ type: 'tool-call', call: toolCall(id, 'f', '{}') });
const results = (...ids: string[]): Message => ({ role: 'tool', results: ids.map((callId) => ({ callId, name: 'f', content: [], isError: false })) });
const thinking: AssistantPart = { type: 'reasoning', text: 'r', meta: { signature: 's' } };
const asked = (id: string): AssistantPart => ({ type: 'server-tool', id, name: 'w', phase: 'call', data: { type: 'server_tool_use', id, name: 'w', input: {} } });
const given = (id: string): AssistantPart => ({ type: 'server-tool', id, name: 'w', phase: 'result', data: { type: 'w_tool_result', tool_use_id: id, content: [] } });

describe('anthropicRequest', () => {
  it('asks for a stream, or for an answer in one piece', () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
    expect(body({ messages: [user('hi')] })).toEqual({ model: 'claude-sonnet-4-6', max_tokens: 100, messages, stream: true });
    expect(body({ messages: [user('hi')] }, { stream: false })).toMatchObject({ stream: false });
  });

  it('gives the system text as a block, and none of blanks', () => {
    expect(body({ system: 'Be "brief".' })['system']).toEqual([{ type: 'text', text: 'Be "brief".' }]);
    expect(body({ system: ' \n' })).not.toHaveProperty('system');
  });

  it('offers tools, in order, each with an object for its input', () => {
    const bare = { name: 'now', description: '', parameters: {} };
    const odd = { name: 'odd', description: 'Odd.', parameters: { $ref: '#/x', type: ['object', 'null'] } };
    expect(body({ tools: [add, bare, odd] })['tools']).toEqual([
      { name: 'add', description: 'Adds.', input_schema: add.parameters },
      { name: 'now', input_schema: { type: 'object' } },
      { name: 'odd', description: 'Odd.', input_schema: { $ref: '#/x', type: 'object' } },
    ]);
    expect(body()).not.toHaveProperty('tools');
  });

  it.each<[choice: ToolChoice, several: object | undefined, single: object]>([
    ['auto', undefined, { type: 'auto', disable_parallel_tool_use: true }],
    ['none', { type: 'none' }, { type: 'none' }],
    ['required', { type: 'any' }, { type: 'any', disable_parallel_tool_use: true }],
    [{ tool: 'add' }, { type: 'tool', name: 'add' }, { type: 'tool', name: 'add', disable_parallel_tool_use: true }],
  ])('says the choice %j', (toolChoice, several, single) => {
    const choice = (more: Partial<ModelRequest>): unknown => body({ toolChoice, ...more })['tool_choice'];
    expect(choice({ tools: [add] })).toEqual(several);
    expect(choice({ tools: [add], options: { parallelCalls: true } })).toEqual(several);
    expect(choice({ tools: [add], options: { parallelCalls: false } })).toEqual(single);
    expect(choice({ options: { parallelCalls: false } })).toBeUndefined();
  });

  it('lets a choice without tools switch nothing off', () => {
    const options = { reasoning: { effort: 'low' } } as const;
    expect(body({ options, toolChoice: 'required' })).toHaveProperty('thinking');
    expect(body({ options, toolChoice: 'required', tools: [add] })).not.toHaveProperty('thinking');
  });

  it('says the options, and tells which are not said', () => {
    const written = anthropicRequest(own)(request({ options: { temperature: 0.5, seed: 1 } }));
    expect(JSON.parse(written.body)).toMatchObject({ temperature: 0.5, max_tokens: 100 });
    expect(written.lacking.map(({ option }) => option)).toEqual(['seed']);
  });

  it('makes neighbours of one role one turn, results first', () => {
    const messages = [user('a'), user('b'), assistant(call('1'), call('2')), results('1', '2'), user('c'), user('d'), assistant(say('e')), assistant(say('f')), user('g')];
    expect(shape(...messages)).toEqual(['user: a b', 'assistant: tool_use tool_use', 'user: tool_result tool_result c d', 'assistant: e f', 'user: g']);
    expect(shape(user('a'), assistant(call('1')), user('b'), results('1'))).toEqual(['user: a', 'assistant: tool_use', 'user: tool_result b']);
  });

  it.each<[name: string, message: Message]>([
    ['an assistant turn of nothing', assistant()],
    ['one of blank text', assistant(say(' '))],
    ['one of thinking alone', assistant(thinking)],
    ['a user turn of nothing', { role: 'user', content: [] }],
    ['one of blank text', user('')],
    ['results of no calls', results()],
  ])('leaves out %s, and what it parted is one', (_name, message) => {
    expect(shape(user('a'), message, user('b'))).toEqual(['user: a b']);
  });

  it('lets no turn end in thinking', () => {
    const redacted: AssistantPart = { type: 'opaque', data: { type: 'redacted_thinking', data: 'x' } };
    expect(shape(user('a'), assistant(thinking, say('b'), thinking, redacted), user('c'))).toEqual(['user: a', 'assistant: thinking b', 'user: c']);
    expect(shape(user('a'), assistant(say('b'), thinking), assistant(say('c')))).toEqual(['user: a', 'assistant: b thinking c']);
  });

  it('lets go of a server tool\'s call whose result never came, once its turn is over', () => {
    const before = [user('a'), assistant(say('b'), asked('1'), given('1'), asked('2'))];
    expect(shape(...before)).toEqual(['user: a', 'assistant: b server_tool_use w_tool_result server_tool_use']);
    expect(shape(...before, user('c'))).toEqual(['user: a', 'assistant: b server_tool_use w_tool_result', 'user: c']);
    expect(shape(...before, assistant(given('2'), say('c')), user('d'))[1]).toBe('assistant: b server_tool_use w_tool_result server_tool_use w_tool_result c');
    expect(shape(user('a'), assistant(asked('1')), user('b'))).toEqual(['user: a b']);
    expect(shape(user('a'), assistant(asked('1'), call('2')), results('2'))[1]).toBe('assistant: server_tool_use tool_use');
  });

  it('marks tools, system and the last block for the cache, and nothing else', () => {
    const messages = [user('a'), assistant(say('b'), call('1')), results('1'), user('c')];
    const plain = body({ system: 's', tools: [add, add], messages });
    const cached = body({ system: 's', tools: [add, add], messages, options: { cache: true } });
    const mark = { cache_control: { type: 'ephemeral' } };
    expect(cached).toEqual({
      ...plain,
      system: [{ type: 'text', text: 's', ...mark }],
      tools: [(plain['tools'] as object[])[0], { ...(plain['tools'] as object[])[1], ...mark }],
      messages: [...plain.messages.slice(0, -1), { role: 'user', content: [plain.messages[2]?.content[0], { type: 'text', text: 'c', ...mark }] }],
    });
    expect(body({ messages: [user('a'), assistant(say('b'), thinking)], options: { cache: true } }).messages[1]?.content).toEqual([{ type: 'text', text: 'b', ...mark }]);
    expect(JSON.stringify(body({ options: { cache: true } }))).not.toContain('cache_control');
    expect(JSON.stringify(body({ system: 's', options: { cache: false } }))).not.toContain('cache_control');
  });

  it('lets further fields replace its own, and adds further tools', () => {
    const search = { type: 'web_search_20250305', name: 'web_search' };
    const extra = { metadata: { user_id: 'u' }, max_tokens: 7, temperature: undefined, tools: [search] };
    expect(body({ tools: [add], options: { temperature: 1 } }, { body: extra })).toMatchObject({
      metadata: { user_id: 'u' },
      max_tokens: 7,
      temperature: 1,
      tools: [{ name: 'add' }, search],
    });
    expect(body({ toolChoice: 'required' }, { body: { tools: [search] } })).toMatchObject({ tools: [search], tool_choice: { type: 'any' } });
    expect(body({ tools: [add] }, { body: { tools: null } })['tools']).toBeNull();
    expect(body({ options: { cache: true } }, { body: { tools: [search] } })['tools']).toEqual([{ ...search, cache_control: { type: 'ephemeral' } }]);
  });

  it('encodes each message and each tool once', () => {
    let reads = 0;
    const counted = {
      role: 'user' as const,
      get content() {
        reads += 1;
        return [{ type: 'text' as const, text: 'hi' }];
      },
    };
    const tool = { ...add, get parameters() { reads += 1; return { type: 'object' }; } };
    const write = anthropicRequest(own);
    const first = write(request({ messages: [counted], tools: [tool] })).body;
    const readsOfFirst = reads;
    const second = write(request({ messages: [counted, assistant(say('more'))], tools: [tool] })).body;
    expect(reads).toBe(readsOfFirst);
    expect(second.startsWith(first.slice(0, first.indexOf('"hi"}]}') + 7))).toBe(true);
  });

  it('reads the transcript once', () => {
    let reads = 0;
    const one = { ...request(), get messages() { reads += 1; return [user('hi')]; } };
    anthropicRequest(own)(one);
    expect(reads).toBe(1);
  });

  it('keeps what the model wrote byte for byte, keys like those of Object too', () => {
    const raw = '{ "__proto__": {"x": 1.0}, "a": 1e2 }';
    const { body: text } = anthropicRequest(own)(request({ messages: [user('a'), assistant({ type: 'tool-call', call: toolCall('1', 'f', raw) })] }));
    expect(text).toContain(`"input":${raw}`);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('holds the model to the schema of its output, beside its effort', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const format = { type: 'json_schema', schema: { ...schema, additionalProperties: false } };
    expect(body({ output: { name: 'place', schema } })['output_config']).toEqual({ format });
    expect(body({ output: { name: 'place', schema }, options: { reasoning: { effort: 'low' } } })['output_config']).toEqual({ effort: 'low', format });
  });
});
