import { describe, expect, it } from '@jest/globals';
import { openaiChatFold } from '../../lib/deltas/openai-chat-fold.ts';
import type { Delta } from '../../lib/delta.ts';
import type { ModelError } from '../../lib/errors.ts';

type Frame = object | string;

/** Deltas of these frames (`.` is a comment), and of the end of the body unless the end marker came. */
function fold(...frames: Frame[]): Delta[] {
  return folded(frames).deltas;
}

function folded(frames: readonly Frame[], event = ''): { deltas: Delta[]; error: ModelError | undefined } {
  const deltas: Delta[] = [];
  const emit = (delta: Delta): void => void deltas.push(delta);
  let made = 0;
  const subject = openaiChatFold(() => `made-${(made += 1)}`);
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
    const content = [{ type: 'image', url: 'x' }];
    expect(fold(chunk({ content }))).toEqual([{ type: 'unknown', raw: content }]);
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
    ['tool_calls', 'tool-use'],
    ['function_call', 'tool-use'],
    ['content_filter', 'content-filter'],
    ['error', 'error'],
    ['eos', 'other'],
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
    expect(fold(finished('tool_calls'), finished('stop'), DONE).at(-1)).toEqual(STOP);
  });

  it('is a refusal where the answer stopped with one', () => {
    expect(fold(chunk({ refusal: 'no' }), finished('stop'), DONE).at(-1)).toEqual({ ...STOP, reason: 'refusal' });
    expect(fold(chunk({ refusal: 'no' }), finished('length'), DONE).at(-1)).toMatchObject({ reason: 'length' });
  });

  it('stays what the wire said where calls were made', () => {
    const call = chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] });
    expect(fold(call, finished('stop'), DONE).at(-1)).toEqual(STOP);
    expect(fold(chunk({ refusal: 'no' }), call, finished('stop'), DONE).at(-1)).toEqual(STOP);
  });

  it('ends the calls first, except where the answer was cut by its length', () => {
    const call = chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a":' } }] });
    const types = (reason: string): string[] => fold(call, finished(reason), DONE).map(({ type }) => type);
    expect(types('tool_calls')).toEqual(['tool-call-start', 'tool-call-arguments', 'tool-call-end', 'alive', 'finish']);
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
    ['one beside choices', { ...finished('error'), error: { code: 400 } }, '', undefined, false],
  ])('ends it: %s', (_name, frame, event, type, retryable) => {
    const { deltas, error } = folded([frame, text('never')], event);
    expect(deltas).toEqual([]);
    expect(error).toMatchObject({ code: 'model-stream', type, retryable, detail: JSON.stringify(frame) });
    expect(error?.message).toContain('sent an error inside its stream');
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
