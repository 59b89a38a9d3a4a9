import { describe, expect, it } from '@jest/globals';
import { anthropicFold } from '../../lib/deltas/anthropic-fold.ts';
import type { Delta } from '../../lib/delta.ts';
import { isLoopError } from '../../lib/errors.ts';
import type { ModelError } from '../../lib/errors.ts';

interface Told {
  readonly deltas: Delta[];
  readonly error: ModelError | undefined;
  readonly isOver: boolean;
}

/** Each frame is an object, or text as it stands; a pair names the event. */
function told(...frames: readonly unknown[]): Told {
  const deltas: Delta[] = [];
  const fold = anthropicFold(() => 'made');
  try {
    for (const frame of frames) {
      const [event, data] = Array.isArray(frame) ? (frame as [string, string]) : ['', typeof frame === 'string' ? frame : JSON.stringify(frame)];
      fold.frame(data, event, (delta) => deltas.push(delta));
    }
    if (!fold.isOver()) fold.end((delta) => deltas.push(delta));
    return { deltas, error: undefined, isOver: fold.isOver() };
  } catch (error) {
    if (!isLoopError(error)) throw error;
    return { deltas, error: error as ModelError, isOver: fold.isOver() };
  }
}

const said = (...frames: readonly unknown[]): Delta[] => told(...frames).deltas.filter(({ type }) => type !== 'alive');

const begin = { type: 'message_start', message: { id: 'msg_1', model: 'm-1', usage: { input_tokens: 3, output_tokens: 1 } } };
const text = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const piece = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } };
const close = { type: 'content_block_stop', index: 0 };
const reason = (stop_reason: unknown): object => ({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 5 } });
const over = { type: 'message_stop' };
const alive: Delta = { type: 'alive' };

describe('anthropicFold', () => {
  it('tells a whole answer, under the id of the answer', () => {
    const usage = { inputTokens: 3, outputTokens: 1, partial: true };
    expect(told(begin, { type: 'ping' }, text, piece, close, reason('end_turn'), over)).toEqual({
      deltas: [
        { type: 'usage', usage, reported: { input_tokens: 3, output_tokens: 1 } },
        alive,
        alive,
        { type: 'text', block: 'msg_1-0', text: 'a' },
        alive,
        { type: 'usage', usage: { inputTokens: 3, outputTokens: 5 }, reported: { input_tokens: 3, output_tokens: 5 } },
        { type: 'finish', reason: 'stop', rawFinish: 'end_turn', model: 'm-1', ids: { response: 'msg_1' } },
      ],
      error: undefined,
      isOver: true,
    });
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool-use'],
    ['pause_turn', 'pause'],
    ['refusal', 'refusal'],
    ['something_new', 'other'],
  ])('reads the stop reason %s as %s', (raw, wanted) => {
    expect(said(reason(raw), over).at(-1)).toEqual({ type: 'finish', reason: wanted, rawFinish: raw });
  });

  it.each([[null], [''], [7], [undefined]])('finishes with "other" where the stop reason is %j', (raw) => {
    expect(said(reason(raw), over).at(-1)).toEqual({ type: 'finish', reason: 'other' });
  });

  it('ends an open call at the stop reason, or where none came at the end of the message', () => {
    const call = { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: '', name: 'f', input: {} } };
    const types = (...frames: readonly object[]): string[] => said(call, close, ...frames).map(({ type }) => type);
    expect(types(reason('tool_use'))).toEqual(['tool-call-start', 'tool-call-end', 'usage']);
    expect(types(reason('max_tokens'), over)).toEqual(['tool-call-start', 'usage', 'finish']);
    expect(types(over)).toEqual(['tool-call-start', 'tool-call-end', 'finish']);
    expect(types()).toEqual(['tool-call-start']);
    expect(said(call)[0]).toMatchObject({ id: 'made' });
  });

  it('has no finish without the end of the message', () => {
    expect(told(begin, text, piece, close, reason('end_turn'))).toMatchObject({ isOver: false, error: undefined });
    expect(said(begin, text, piece, close, reason('end_turn')).map(({ type }) => type)).toEqual(['usage', 'text', 'usage']);
  });

  it('takes an answer in one piece apart', () => {
    const content = [{ type: 'text', text: 'a' }, 'odd', { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } }];
    const message = { type: 'message', id: 'msg_1', model: 'm-1', content, stop_reason: 'tool_use', usage: { output_tokens: 5 } };
    expect(told(message).isOver).toBe(true);
    expect(said(message)).toEqual([
      { type: 'text', block: 'msg_1-0', text: 'a' },
      { type: 'unknown', raw: 'odd' },
      { type: 'tool-call-start', index: 0, id: 'c', name: 'f' },
      { type: 'tool-call-arguments', index: 0, chunk: '{"a":1}' },
      { type: 'tool-call-end', index: 0, call: { id: 'c', name: 'f', arguments: { a: 1 }, rawArguments: '{"a":1}' } },
      { type: 'usage', usage: { outputTokens: 5 }, reported: { output_tokens: 5 } },
      { type: 'finish', reason: 'tool-use', rawFinish: 'tool_use', model: 'm-1', ids: { response: 'msg_1' } },
    ]);
    expect(said({ type: 'message', content: null })).toEqual([{ type: 'finish', reason: 'other' }]);
  });

  it('goes by the name of the event where the frame has no type', () => {
    expect(said(['content_block_start', '{"index":0,"content_block":{"type":"text","text":"a"}}'], ['message_stop', '{}'])).toEqual([
      { type: 'text', block: 'block-0', text: 'a' },
      { type: 'finish', reason: 'other' },
    ]);
  });

  it.each<[name: string, frame: object]>([
    ['an event of another type', { type: 'message_thought', deep: true }],
    ['one of no type', { hello: 1 }],
    ['one whose type is no text', { type: 7 }],
  ])('reports %s and goes on', (_name, frame) => {
    expect(said(frame, over)).toEqual([{ type: 'unknown', raw: frame }, { type: 'finish', reason: 'other' }]);
  });

  it.each<[name: string, frame: object]>([
    ['a start of no message', { type: 'message_start' }],
    ['a message of wrong types', { type: 'message_start', message: { id: 7, model: null, usage: 'x' } }],
    ['an ending of wrong types', { type: 'message_delta', delta: 'x', usage: null }],
  ])('minds nothing of %s', (_name, frame) => {
    expect(told(frame).deltas.every(({ type }) => type === 'alive')).toBe(true);
    expect(said(frame, over)).toEqual([{ type: 'finish', reason: 'other' }]);
  });

  it.each(['', '  ', '[DONE]'])('takes %j for a sign of life', (data) => {
    expect(told(data).deltas).toEqual([alive]);
  });

  it('takes a comment for a sign of life', () => {
    const deltas: Delta[] = [];
    anthropicFold(() => 'made').comment((delta) => deltas.push(delta));
    expect(deltas).toEqual([alive]);
  });

  it.each([
    ['overloaded_error', true],
    ['api_error', true],
    ['rate_limit_error', true],
    ['timeout_error', true],
    ['invalid_request_error', false],
    ['authentication_error', false],
    ['permission_error', false],
    ['not_found_error', false],
    ['billing_error', false],
    ['request_too_large', false],
  ])('fails with an error event: %s (transient: %s)', (type, retryable) => {
    const frame = JSON.stringify({ type: 'error', error: { type, message: 'Why.' } });
    const { deltas, error } = told(text, piece, ['error', frame]);
    expect(error).toMatchObject({ code: 'model-stream', type, retryable, detail: frame });
    expect(error?.message).toContain(type);
    expect(deltas.at(-1)).toEqual({ type: 'text', block: 'block-0', text: 'a' });
  });

  it.each<[name: string, frame: object | string | readonly [string, string]]>([
    ['under another type', { type: 'exception', error: { message: 'No.' } }],
    ['without a type', { error: 'No.' }],
    ['in a list', '[{"error":{"message":"No."}}]'],
    ['that is no JSON', ['error', 'upstream failed']],
  ])('fails with an error %s', (_name, frame) => {
    expect(told(frame).error).toMatchObject({ code: 'model-stream' });
  });

  it('bears nine frames that are no JSON, and fails with the tenth, for now', () => {
    const nine = Array<string>(9).fill('{"type":');
    expect(said(...nine, over)).toEqual([...nine.map((raw) => ({ type: 'unknown', raw })), { type: 'finish', reason: 'other' }]);
    expect(told(...nine, '7').error).toMatchObject({ code: 'model-stream', retryable: true, detail: '7' });
  });

  it('parses each frame once', () => {
    const { parse } = JSON;
    let parses = 0;
    JSON.parse = (...given: Parameters<typeof parse>) => ((parses += 1), parse(...given) as unknown);
    try {
      told(begin, text, ...Array<object>(100).fill(piece), close, reason('end_turn'), over);
    } finally {
      JSON.parse = parse;
    }
    expect(parses).toBe(105);
  });
});
