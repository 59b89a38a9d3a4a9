import { describe, expect, it } from '@jest/globals';
import { openaiChatFold } from '../../lib/deltas/openai-chat-fold.ts';
import type { OpenaiChatServer } from '../../lib/deltas/openai-chat-message.ts';
import type { Delta } from '../../lib/delta.ts';

/** Deltas of these frames and of the end of the body, without signs of life; and what was learnt of the server. */
function read(...frames: object[]): { deltas: Delta[]; server: OpenaiChatServer } {
  const deltas: Delta[] = [];
  const server: OpenaiChatServer = { host: 'server.test', id: 'm' };
  let made = 0;
  const fold = openaiChatFold(() => `made-${(made += 1)}`, server);
  const emit = (delta: Delta): void => void (delta.type !== 'alive' && deltas.push(delta));
  for (const frame of frames) fold.frame(JSON.stringify(frame), '', emit);
  fold.end(emit);
  return { deltas, server };
}

const chunk = (delta: object, more: object = {}): object => ({ choices: [{ index: 0, delta }], ...more });
const stop = (reason = 'stop'): object => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
const STOP: Delta = { type: 'finish', reason: 'stop', rawFinish: 'stop' };

describe('content in parts', () => {
  it('gives text and thinking, and remembers that the server thinks in parts', () => {
    const { deltas, server } = read(
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'so' }], closed: true }] }),
      chunk({ content: [{ type: 'text', text: 'a' }, { type: 'text', text: '' }] }),
      chunk({ content: 'b' }),
    );
    expect(deltas).toEqual([
      { type: 'reasoning', block: 'reasoning-0', text: 'so' },
      { type: 'text', block: 'text-0', text: 'a' },
      { type: 'text', block: 'text-0', text: 'b' },
    ]);
    expect(server.reasoning).toBe('thinking');
  });

  it('gives a reasoning summary', () => {
    const { deltas, server } = read(chunk({ content: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'so' }] }] }));
    expect(deltas).toEqual([{ type: 'reasoning', block: 'reasoning-0', text: 'so' }]);
    expect(server.reasoning).toBeUndefined();
  });

  it('gives a source for each reference', () => {
    expect(read(chunk({ content: [{ type: 'reference', reference_ids: [3, 7] }] })).deltas).toEqual([
      { type: 'source', data: { reference: 3 } },
      { type: 'source', data: { reference: 7 } },
    ]);
  });

  it.each([5, true, 'x'].map((part) => [part]))('reports a part that is no part: %j', (part) => {
    expect(read(chunk({ content: [part] })).deltas).toEqual([{ type: 'unknown', raw: part }]);
  });
});

describe('reasoning', () => {
  it.each(['reasoning_content', 'reasoning', 'reasoning_text'] as const)('is read from %s, and the name is remembered', (field) => {
    const { deltas, server } = read(chunk({ [field]: 'so' }));
    expect(deltas).toEqual([{ type: 'reasoning', block: 'reasoning-0', text: 'so' }]);
    expect(server.reasoning).toBe(field);
  });

  it('keeps the name that was remembered or given', () => {
    expect(read(chunk({ reasoning: 'a' }), chunk({ reasoning_content: 'b' })).server.reasoning).toBe('reasoning');
  });

  it('is read from its details where it stands nowhere else, and carries no meta without a seal', () => {
    const detail = (text: string): object => ({ reasoning_details: [{ type: 'reasoning.text', text, index: 0 }] });
    const summary = { reasoning_details: [{ type: 'reasoning.summary', summary: 'c', index: 1 }, null] };
    const { deltas } = read(chunk(detail('a')), chunk({ reasoning: 'b', ...detail('b') }), chunk(summary), stop());
    expect(deltas).toEqual([...['a', 'b', 'c'].map((text) => ({ type: 'reasoning', block: 'reasoning-0', text })), STOP]);
  });

  it('carries its seal in an empty piece of its last block, before the finish', () => {
    const text = (more: object): object => ({ reasoning_details: [{ type: 'reasoning.text', index: 0, format: 'f', ...more }] });
    const encrypted = { type: 'reasoning.encrypted', data: 'x', id: 'call', index: 0 };
    const { deltas } = read(
      chunk({ reasoning: 'a', ...text({ text: 'a' }) }),
      chunk({ reasoning: 'b', ...text({ text: 'b', signature: null }) }),
      chunk(text({ signature: 's' })),
      chunk({ reasoning_details: [encrypted] }),
      chunk({ reasoning_details: [{ ...encrypted, id: 'other' }] }),
      stop(),
    );
    const whole = { type: 'reasoning.text', index: 0, format: 'f', text: 'ab', signature: 's' };
    const meta = { server: 'server.test', reasoning_details: [whole, encrypted, { ...encrypted, id: 'other' }] };
    expect(deltas.slice(2)).toEqual([{ type: 'reasoning', block: 'reasoning-0', text: '', meta }, STOP]);
  });

  it('that cannot be read still carries its seal', () => {
    const { deltas } = read(chunk({ reasoning_opaque: 'x' }), stop());
    expect(deltas).toEqual([{ type: 'reasoning', block: 'reasoning-0', text: '', meta: { server: 'server.test', reasoning_opaque: 'x' } }, STOP]);
  });

  it('carries no seal where the body breaks off', () => {
    expect(read(chunk({ reasoning_opaque: 'x' })).deltas).toEqual([]);
  });
});

describe('a call in the older form', () => {
  it('is put together from its pieces', () => {
    const pieces = [{ name: 'f', arguments: '' }, { arguments: '{"a"' }, { arguments: ':1}' }].map((function_call) => chunk({ function_call }));
    expect(read(...pieces, stop('function_call')).deltas).toEqual([
      { type: 'tool-call-start', index: 0, id: 'made-1', name: 'f' },
      { type: 'tool-call-arguments', index: 0, chunk: '{"a":1}' },
      { type: 'tool-call-end', index: 0, call: { id: 'made-1', name: 'f', arguments: { a: 1 }, rawArguments: '{"a":1}' } },
      { type: 'finish', reason: 'tool-use', rawFinish: 'function_call' },
    ]);
  });
});

describe('usage', () => {
  it.each([
    ['in the chunk', chunk({}, { usage: { prompt_tokens: 3 } })],
    ['in a field of Groq', chunk({}, { x_groq: { id: 'r', usage: { prompt_tokens: 3 } } })],
    ['in the choice', { choices: [{ index: 0, delta: {}, usage: { prompt_tokens: 3 } }] }],
    ['without choices', { usage: { prompt_tokens: 3 } }],
    ['beside a message that is no error', { message: 'm', usage: { prompt_tokens: 3 } }],
  ])('is read %s', (_name, frame) => {
    expect(read(frame).deltas).toEqual([{ type: 'usage', usage: { inputTokens: 3 }, reported: { prompt_tokens: 3 } }]);
  });
});

describe('an answer that was not streamed', () => {
  it('gives the same deltas', () => {
    const message = {
      role: 'assistant',
      content: 'a',
      reasoning_content: 'so',
      refusal: null,
      annotations: [{ type: 'url_citation', url_citation: { url: 'https://x.test', title: 'X' } }],
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }, { id: 'd', type: 'function', function: { name: 'g', arguments: '{}' } }],
    };
    const answer = { id: 'r', model: 'm1', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 3 } };
    expect(read(answer).deltas.map((delta) => ('text' in delta ? `${delta.type} ${delta.text}` : delta.type))).toEqual([
      'reasoning so', 'text a', 'source',
      'tool-call-start', 'tool-call-arguments', 'tool-call-end', 'tool-call-start', 'tool-call-arguments', 'tool-call-end',
      'usage', 'finish',
    ]);
  });
});
