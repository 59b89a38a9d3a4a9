import { describe, expect, it } from '@jest/globals';
import { openaiChatFold } from '../../lib/deltas/openai-chat-fold.ts';
import type { OpenaiChatServer } from '../../lib/deltas/openai-chat-message.ts';
import type { Delta } from '../../lib/delta.ts';
import type { ModelError } from '../../lib/errors.ts';

type Frame = object | string;

/** Deltas of these frames (`.` is a comment), and of the end of the body unless the end marker came. */
function fold(...frames: Frame[]): Delta[] {
  return folded(frames).deltas;
}

function folded(frames: readonly Frame[], event = '', server: OpenaiChatServer = { host: 'server.test', id: 'm' }): { deltas: Delta[]; error: ModelError | undefined } {
  const deltas: Delta[] = [];
  const emit = (delta: Delta): void => void deltas.push(delta);
  let made = 0;
  const subject = openaiChatFold(() => `made-${(made += 1)}`, server);
  try {
    for (const frame of frames) {
      if (frame === '.') subject.comment(emit);
      else subject.frame(typeof frame === 'string' ? frame : JSON.stringify(frame), event, emit);
    }
    if (!subject.isOver()) subject.end(emit);
  } catch (error) {
    return { deltas, error: error as ModelError };
  }
  return { deltas, error: undefined };
}

function chunk(delta: object, finish: string | null = null, more: object = {}): object {
  return { choices: [{ index: 0, delta, finish_reason: finish }], ...more };
}

const text = (content: string): object => chunk({ content });
const finished = (reason: string): object => chunk({}, reason);
const DONE = '[DONE]';
const ALIVE: Delta = { type: 'alive' };
const STOP: Delta = { type: 'finish', reason: 'stop', rawFinish: 'stop' };

describe('openaiChatFold', () => {
  it('says text as it comes, and finishes at the end marker', () => {
    expect(fold(text('a'), text('b'), finished('stop'), DONE)).toEqual([
      { type: 'text', block: 'text-0', text: 'a' },
      { type: 'text', block: 'text-0', text: 'b' },
      ALIVE,
      STOP,
    ]);
  });

  it('begins another block wherever the kind changes', () => {
    const call = chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] });
    const said = fold(chunk({ reasoning_content: 'r' }), text('a'), chunk({ refusal: 'n' }), text('b'), call, text('c'), chunk({ reasoning: 's' }));
    expect(said.map((delta) => ('block' in delta ? delta.block : delta.type))).toEqual([
      'reasoning-0', 'text-0', 'refusal-0', 'text-1', 'tool-call-start', 'tool-call-arguments', 'text-2', 'reasoning-1',
    ]);
  });

  it('reads both names of reasoning, and once where both are filled', () => {
    expect(fold(chunk({ reasoning: 'a' }), chunk({ reasoning_content: 'b', reasoning: 'b' }), chunk({ reasoning_content: '', reasoning: 'c' }))).toEqual([
      { type: 'reasoning', block: 'reasoning-0', text: 'a' },
      { type: 'reasoning', block: 'reasoning-0', text: 'b' },
      { type: 'reasoning', block: 'reasoning-0', text: 'c' },
    ]);
  });

  it('says reasoning before text where one frame holds both', () => {
    expect(fold(chunk({ content: 't', reasoning_content: 'r' })).map(({ type }) => type)).toEqual(['reasoning', 'text']);
  });

  it.each<[name: string, frame: Frame]>([
    ['a role alone', chunk({ role: 'assistant', content: '' })],
    ['null fields', chunk({ content: null, refusal: null, reasoning_content: null, tool_calls: null })],
    ['no delta', { choices: [{ index: 0 }] }],
    ['a null delta', { choices: [{ index: 0, delta: null }] }],
    ['no choices', { choices: [], prompt_filter_results: [] }],
    ['a null choice', { choices: [null] }],
    ['choices that are no list', { choices: 'x' }],
    ['another choice', { choices: [{ index: 1, delta: { content: 'x' }, finish_reason: 'stop' }] }],
    ['an unknown object', { type: 'ping' }],
    ['usage with no figures', chunk({}, null, { usage: {} })],
    ['a null error', { error: null, choices: [] }],
    ['calls that are null', chunk({ tool_calls: [null] })],
    ['an empty frame', ''],
    ['a blank frame', '  '],
    ['a comment', '.'],
  ])('takes %s as a sign of life', (_name, frame) => {
    expect(fold(frame)).toEqual([ALIVE]);
  });

  it('takes a choice without an index for the first', () => {
    expect(fold({ choices: [{ delta: { content: 'a' } }] })).toEqual([{ type: 'text', block: 'text-0', text: 'a' }]);
  });

  it('reports content of a kind that it does not read', () => {
    const part = { type: 'hologram', url: 'x' };
    for (const content of [part, [part], [null, part]]) expect(fold(chunk({ content }))).toEqual([{ type: 'unknown', raw: part }]);
  });

  it('keeps the names of the answer', () => {
    const names = { id: 'r1', model: 'm1' };
    const last = fold({ ...text('a'), id: 'r1' }, { ...finished('stop'), ...names, id: 'r2' }, DONE).at(-1);
    expect(last).toEqual({ ...STOP, model: 'm1', ids: { response: 'r1' } });
  });
});

describe('the finish', () => {
  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['eos', 'stop'],
    ['end_turn', 'stop'],
    ['model_length', 'length'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'refusal'],
    ['sensitive', 'content-filter'],
    ['network_error', 'error'],
    ['insufficient_system_resource', 'error'],
    ['content_filter', 'content-filter'],
    ['error', 'error'],
    ['whatever', 'other'],
    ['stop eos', 'other'],
    ['constructor', 'other'],
  ])('reads %s as %s', (rawFinish, reason) => {
    expect(fold(finished(rawFinish), DONE).at(-1)).toEqual({ type: 'finish', reason, rawFinish });
  });

  it('is held for the usage that follows, and is last', () => {
    const usage = { choices: [], usage: { prompt_tokens: 1 } };
    expect(fold(finished('stop'), usage, DONE).map(({ type }) => type)).toEqual(['alive', 'usage', 'finish']);
    expect(fold(finished('stop'), usage).map(({ type }) => type)).toEqual(['alive', 'usage', 'finish']);
  });

  it('does not come where the body ends without a reason', () => {
    expect(fold(text('a')).map(({ type }) => type)).toEqual(['text']);
  });

  it('does not come where the last frame cannot be read', () => {
    expect(fold(finished('stop'), '[DON').map(({ type }) => type)).toEqual(['alive', 'unknown']);
    expect(fold(finished('stop'), '[DON', DONE).at(-1)).toEqual(STOP);
    expect(fold('{"x', finished('stop')).at(-1)).toEqual(STOP);
  });

  it('is `other` where the end marker comes without a reason', () => {
    expect(fold(text('a'), DONE).at(-1)).toEqual({ type: 'finish', reason: 'other' });
  });

  it('is the last reason of several', () => {
    expect(fold(finished('length'), finished('stop'), DONE).at(-1)).toEqual(STOP);
  });

  it('is a refusal where the answer stopped with one', () => {
    expect(fold(chunk({ refusal: 'no' }), finished('stop'), DONE).at(-1)).toEqual({ ...STOP, reason: 'refusal' });
    expect(fold(chunk({ refusal: 'no' }), finished('length'), DONE).at(-1)).toMatchObject({ reason: 'length' });
  });

  it('asks for tools where calls were made, though the wire says that it merely stopped', () => {
    const call = chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] });
    const asks = { ...STOP, reason: 'tool-use' };
    expect(fold(call, finished('stop'), DONE).at(-1)).toEqual(asks);
    expect(fold(chunk({ refusal: 'no' }), call, finished('stop'), DONE).at(-1)).toEqual(asks);
    expect(fold(call, finished('content_filter'), DONE).at(-1)).toMatchObject({ reason: 'content-filter' });
    expect(fold(call, DONE).at(-1)).toEqual({ type: 'finish', reason: 'other' });
  });

  it('merely stops where the wire asks for tools but made no call', () => {
    expect(fold(text('a'), finished('tool_calls'), DONE).at(-1)).toEqual({ ...STOP, rawFinish: 'tool_calls' });
    const nameless = chunk({ tool_calls: [{ index: 0, id: 'c', function: { arguments: '{}' } }] });
    expect(fold(nameless, finished('tool_calls'), DONE).at(-1)).toMatchObject({ reason: 'tool-use' });
    expect(fold(nameless, finished('stop'), DONE).at(-1)).toEqual(STOP);
  });

  it('is cut where the server behind a gateway says so, and its calls stay open', () => {
    const call = chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a":' } }] });
    const last = { choices: [{ delta: {}, finish_reason: 'tool_calls', native_finish_reason: 'length' }] };
    const said = fold(call, last, DONE);
    expect(said.map(({ type }) => type)).toEqual(['tool-call-start', 'tool-call-arguments', 'alive', 'finish']);
    expect(said.at(-1)).toEqual({ type: 'finish', reason: 'length', rawFinish: 'tool_calls' });
  });

  it('waits for another where the answer goes on after it', () => {
    const call = (index: number, args: string): object => chunk({ tool_calls: [{ index, id: `c${index}`, function: { name: 'f', arguments: args } }] });
    const first = [call(0, '{}'), finished('tool_calls')];
    expect(fold(...first).at(-1)?.type).toBe('finish');
    expect(fold(...first, call(1, '{"x"')).map(({ type }) => type)).not.toContain('finish');
    expect(fold(...first, text('a')).at(-1)?.type).toBe('text');
    expect(fold(...first, call(1, '{}'), finished('tool_calls')).filter(({ type }) => type === 'tool-call-end')).toHaveLength(2);
  });

  it('ends the calls first, except where the answer was cut by its length', () => {
    const call = chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a":' } }] });
    const types = (reason: string): string[] => fold(call, finished(reason), DONE).map(({ type }) => type);
    expect(types('tool_calls')).toEqual(['tool-call-start', 'tool-call-arguments', 'tool-call-end', 'finish']);
    expect(types('length')).toEqual(['tool-call-start', 'tool-call-arguments', 'alive', 'finish']);
    expect(fold(call).map(({ type }) => type)).toEqual(['tool-call-start', 'tool-call-arguments']);
    expect(fold(call, DONE).map(({ type }) => type)).toEqual(['tool-call-start', 'tool-call-arguments', 'tool-call-end', 'finish']);
  });
});

describe('an error inside the stream', () => {
  it.each([
    ['a fault that passes', { error: { message: 'm', type: 'server_error' } }, '', 'server_error', true],
    ['one that does not', { error: { message: 'm', type: 'invalid_request_error' } }, '', 'invalid_request_error', false],
    ['an empty account', { error: { message: 'm', type: 'insufficient_quota' } }, '', 'insufficient_quota', false],
    ['a text', { error: 'overloaded' }, '', undefined, true],
    ['a list', [{ error: { type: 'overloaded' } }], '', 'overloaded', true],
    ['an event named so', { message: 'm', type: 'rate_limit' }, 'error', 'rate_limit', true],
    ['a detail alone', { detail: 'overloaded' }, '', undefined, true],
    ['the fields with no error around them', { code: 400, message: 'm', type: 'Bad Request' }, '', 'Bad Request', false],
    ['an object that says so', { object: 'error', message: 'm', type: 'server_error' }, '', 'server_error', true],
    ['a text in an event named so', 'the engine died', 'error', undefined, false],
    ['one beside choices', { ...finished('error'), error: { code: 400 } }, '', undefined, false],
  ])('ends it: %s', (_name, frame, event, type, retryable) => {
    const { deltas, error } = folded([frame, text('never')], event);
    expect(deltas).toEqual([]);
    expect(error).toMatchObject({ code: 'model-stream', type, retryable, detail: typeof frame === 'string' ? frame : JSON.stringify(frame) });
    expect(error?.message).toContain('sent an error inside its stream');
  });

  it('is read from a choice, and ends no call', () => {
    const call = { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] };
    const { deltas, error } = folded([{ choices: [{ index: 0, delta: call, error: { code: 502, message: 'm' }, finish_reason: 'error' }] }]);
    expect(deltas.map(({ type }) => type)).toEqual(['tool-call-start', 'tool-call-arguments']);
    expect(error).toMatchObject({ retryable: true, detail: '{"error":{"code":502,"message":"m"}}' });
  });

  it('comes after the text and the usage of its own frame', () => {
    const usage = { prompt_tokens: 43 };
    const { deltas, error } = folded([{ ...chunk({ content: 'a' }), usage, error: { code: 400, message: 'Token limit reached' } }]);
    expect(deltas.map(({ type }) => type)).toEqual(['text', 'usage']);
    expect(error).toMatchObject({ retryable: false });
  });

  it('comes after what was said', () => {
    const { deltas, error } = folded([text('a'), { error: { type: 'server_error' } }]);
    expect(deltas).toEqual([{ type: 'text', block: 'text-0', text: 'a' }]);
    expect(error?.retryable).toBe(true);
  });
});

describe('a frame that cannot be read', () => {
  it.each(['{"choices":', 'hello', '1', '"x"', 'null', '[1]', '[]', '[DONE'])('is reported, and the stream goes on: %s', (raw) => {
    expect(fold(raw, text('a'), finished('stop'), DONE)).toEqual([
      { type: 'unknown', raw },
      { type: 'text', block: 'text-0', text: 'a' },
      ALIVE,
      STOP,
    ]);
  });

  it('is an error the tenth time', () => {
    const nine = Array.from({ length: 9 }, () => '{');
    expect(folded([...nine, text('a'), DONE]).error).toBeUndefined();
    const { deltas, error } = folded([...nine, text('a'), '{"x', text('b')]);
    expect(deltas.filter(({ type }) => type === 'unknown')).toHaveLength(10);
    expect(error).toMatchObject({ code: 'model-stream', retryable: true, detail: '{"x' });
  });

  it('is recognised as the end marker only when it is that alone', () => {
    expect(fold(finished('stop'), ' [DONE] ').at(-1)).toEqual(STOP);
    expect(fold(text('[DONE]')).map(({ type }) => type)).toEqual(['text']);
  });
});
