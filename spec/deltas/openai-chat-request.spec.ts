import { describe, expect, it } from '@jest/globals';
import { asyncScheduler } from 'rxjs';
import { openaiChatRequest } from '../../lib/deltas/openai-chat-request.ts';
import type { OpenaiChatDialect } from '../../lib/deltas/openai-chat-request.ts';
import { toolCall, userMessage } from '../../lib/message.ts';
import type { AssistantPart, Message, ToolCall } from '../../lib/message.ts';
import type { ModelRequest } from '../../lib/model.ts';

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: undefined, messages: [], tools: [], toolChoice: 'auto', options: {}, demand: undefined, scheduler: asyncScheduler, ids: () => 'made', ...more };
}

interface Body {
  readonly messages: unknown[];
  readonly [field: string]: unknown;
}

const dialect = (more: Partial<OpenaiChatDialect> = {}): OpenaiChatDialect => ({
  server: { host: 'server.test', id: 'm' }, maxTokensField: 'max_tokens', stream: true, ...more,
});

const textOf = (written: { readonly body: Uint8Array }): string => new TextDecoder().decode(written.body);

function body(more: Partial<ModelRequest> = {}, how: Partial<OpenaiChatDialect> = {}): Body {
  return JSON.parse(textOf(openaiChatRequest(dialect(how))(request(more)))) as Body;
}

const sent = (...messages: Message[]): unknown[] => body({ messages }).messages;
const assistant = (...content: AssistantPart[]): Message => ({ role: 'assistant', content });
const called = (call: ToolCall): AssistantPart => ({ type: 'tool-call', call });
const add = { name: 'add', description: 'Adds.', parameters: { type: 'object', properties: { a: { type: 'number' } } } };

describe('openaiChatRequest', () => {
  it('asks for a stream with its usage', () => {
    expect(body({ messages: [userMessage('hi')] })).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('puts the system text first', () => {
    expect(body({ system: 'Be "brief".', messages: [userMessage('hi')] }).messages).toEqual([
      { role: 'system', content: 'Be "brief".' },
      { role: 'user', content: 'hi' },
    ]);
    expect(body({ system: '' }).messages).toEqual([]);
  });

  it('offers tools, in order', () => {
    const other = { name: 'now', description: '', parameters: {} };
    expect(body({ tools: [add, other] })['tools']).toEqual([
      { type: 'function', function: add },
      { type: 'function', function: other },
    ]);
  });

  it.each([
    ['auto', 'auto', undefined],
    ['none', 'none', 'none'],
    ['required', 'required', 'required'],
    ['one tool', { tool: 'add' }, { type: 'function', function: { name: 'add' } }],
  ] as const)('says the choice: %s', (_name, toolChoice, wire) => {
    expect(body({ tools: [add], toolChoice })['tool_choice']).toEqual(wire);
    expect(body({ toolChoice })).not.toHaveProperty('tool_choice');
    expect(body({ toolChoice })).not.toHaveProperty('tools');
  });

  it('sends several texts of a user as a list', () => {
    const content = [{ type: 'text', text: 'a' }, { type: 'text', text: '' }, { type: 'text', text: 'b' }] as const;
    expect(sent({ role: 'user', content })).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }] },
    ]);
  });

  it.each<[name: string, message: Message, wire: unknown]>([
    ['text', assistant({ type: 'text', text: 'a' }, { type: 'text', text: 'b' }), { content: 'ab' }],
    ['a refusal', assistant({ type: 'refusal', text: 'no' }), { content: null, refusal: 'no' }],
    ['reasoning and text', assistant({ type: 'reasoning', text: 'r' }, { type: 'text', text: 'a' }), { content: 'a', reasoning_content: 'r' }],
    [
      'reasoning and a call',
      assistant({ type: 'reasoning', text: 'r' }, called(toolCall('c1', 'add', '{"a":1}'))),
      { content: null, reasoning_content: 'r', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }] },
    ],
  ])('writes an assistant turn: %s', (_name, message, wire) => {
    expect(sent(message)).toEqual([{ role: 'assistant', ...(wire as object) }]);
  });

  it.each<[name: string, message: Message]>([
    ['an assistant turn of nothing', assistant()],
    ['one of empty text', assistant({ type: 'text', text: '' })],
    ['one of reasoning alone', assistant({ type: 'reasoning', text: 'r' })],
    ['a user turn of nothing', { role: 'user', content: [] }],
    ['one of empty text', userMessage('')],
    ['results of no calls', { role: 'tool', results: [] }],
  ])('leaves out %s', (_name, message) => {
    expect(sent(userMessage('a'), message, userMessage('b'))).toEqual([
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
    ]);
  });

  it('writes one message for each result, in order', () => {
    const text = (...texts: string[]): { type: 'text'; text: string }[] => texts.map((each) => ({ type: 'text', text: each }));
    const results = [
      { callId: 'c1', name: 'add', content: text('3'), isError: false },
      { callId: 'c2', name: 'add', content: text('no', 'why'), isError: true },
      { callId: 'c3', name: 'add', content: [], isError: false },
    ];
    expect(sent({ role: 'tool', results })).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: '3' },
      { role: 'tool', tool_call_id: 'c2', content: 'no\nwhy' },
      { role: 'tool', tool_call_id: 'c3', content: '' },
    ]);
  });

  it.each<[name: string, call: ToolCall, text: string]>([
    ['as the model wrote them', toolCall('c', 'f', '{ "a" : 1.0 }'), '{ "a" : 1.0 }'],
    ['nothing', toolCall('c', 'f', ''), '{}'],
    ['cut text', toolCall('c', 'f', '{"a":'), '{}'],
    ['a list', toolCall('c', 'f', '[1]'), '{}'],
    ['a number', toolCall('c', 'f', '1'), '{}'],
    ['null', toolCall('c', 'f', 'null'), '{}'],
    ['no text', { id: 'c', name: 'f', arguments: { a: [1] } }, '{"a":[1]}'],
    ['no text and no object', { id: 'c', name: 'f', arguments: 'x' }, '{}'],
    ['text that is no JSON beside an object', { id: 'c', name: 'f', arguments: { a: 1 }, rawArguments: "{a:1}" }, '{"a":1}'],
  ])('sends arguments back: %s', (_name, call, text) => {
    expect(sent(assistant(called(call)))).toEqual([
      { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: text } }] },
    ]);
  });

  it('maps an id that is too long for the wire, the same way in the call and its result', () => {
    const ids = ['x'.repeat(40), 'x'.repeat(41), `a${'x'.repeat(60)}`, `b${'x'.repeat(60)}`, 'call_3b241101-e2bb-4255-8caf-4136c566a962'];
    const messages = sent(
      assistant(...ids.map((id) => called(toolCall(id, 'f', '{}')))),
      { role: 'tool', results: ids.map((callId) => ({ callId, name: 'f', content: [], isError: false })) },
    ) as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
    const calls = messages[0]?.tool_calls?.map(({ id }) => id) ?? [];
    expect(messages.slice(1).map((message) => message.tool_call_id)).toEqual(calls);
    expect(new Set(calls).size).toBe(ids.length);
    expect(calls.every((id) => id.length === 40)).toBe(true);
    expect(calls[0]).toBe(ids[0]);
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
    const tool = { ...add, get parameters() { reads += 1; return {}; } };
    const write = openaiChatRequest(dialect());
    const first = textOf(write(request({ messages: [counted], tools: [tool] })));
    const second = textOf(write(request({ messages: [counted, userMessage('more')], tools: [tool] })));
    expect(reads).toBe(2);
    expect(second.startsWith(first.slice(0, first.indexOf('}]') + 1))).toBe(true);
  });

  it('reads the transcript once', () => {
    let reads = 0;
    const asked = { ...request(), get messages() { reads += 1; return [userMessage('hi')]; } };
    openaiChatRequest(dialect())(asked);
    expect(reads).toBe(1);
  });

  it('keeps every character, lone surrogates and keys like those of Object too', () => {
    const text = 'é "\\ \u2028 𝄞 \ud800 \u0000';
    expect(sent(userMessage(text))).toEqual([{ role: 'user', content: text }]);
    const call = toolCall('c', 'f', '{"__proto__":{"x":1}}');
    expect(JSON.stringify(sent(assistant(called(call))))).toContain('__proto__');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});
