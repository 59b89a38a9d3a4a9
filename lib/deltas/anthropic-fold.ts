import { frameFault } from '../bytes/frame-fault.ts';
import type { FrameFold } from '../bytes/sse.ts';
import { json } from '../bytes/json.ts';
import { malformedFrames } from '../bytes/malformed-frames.ts';
import type { Delta } from '../delta.ts';
import type { ModelError } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import type { FinishReason } from '../message.ts';
import { anthropicBlocks } from './anthropic-blocks.ts';
import { anthropicUsage } from './anthropic-usage.ts';

type Fields = Readonly<Record<string, unknown>>;

const ALIVE: Delta = { type: 'alive' };

const REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-use'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
]);

/**
 * One answer of the Messages wire: frames in, deltas out. Pure, apart from its own state. An answer that comes in one
 * piece (`stream: false`) is taken apart into the same deltas.
 *
 * `finish` comes with `message_stop`, and only then: a body that ends before has failed. Events and blocks of unknown
 * types become `unknown` and the stream goes on, and so does a frame that is no JSON; the tenth of those is a
 * {@link ModelError} `model-stream`, as is an error that the provider sent in place of a frame. Both are thrown.
 *
 * @param newId - makes the id of a call to which the wire gave none
 * @internal
 */
export function anthropicFold(newId: () => string): FrameFold<Delta> {
  let emit: (delta: Delta) => void;
  let response: string | undefined;
  let model: string | undefined;
  let rawFinish: string | undefined;
  let over = false;
  const malformed = malformedFrames();
  const figures = anthropicUsage();
  const blocks = anthropicBlocks(newId, (delta) => emit(delta), () => response ?? 'block');

  const begin = (message: Fields): void => {
    if (isSaid(message['id'])) response = message['id'];
    if (isSaid(message['model'])) model = message['model'];
  };

  const stop = (reason: unknown): void => {
    if (!isSaid(reason)) return;
    rawFinish = reason;
    blocks.end(REASONS.get(reason) === 'length');
  };

  const finish = (): void => {
    over = true;
    // No reason came, but neither was the answer cut.
    if (rawFinish === undefined) blocks.end(false);
    emit({
      type: 'finish',
      reason: REASONS.get(rawFinish) ?? 'other',
      ...(rawFinish !== undefined && { rawFinish }),
      ...(model !== undefined && { model }),
      ...(response !== undefined && { ids: { response } }),
    });
  };

  const whole = (message: Fields): void => {
    begin(message);
    const { content, usage, stop_reason: reason } = message;
    for (const [place, block] of Array.isArray(content) ? content.entries() : []) {
      blocks.start(place, block, block);
      if (isRecord(block)) blocks.stop(place, block);
    }
    stop(reason);
    emit(figures(usage, false) ?? ALIVE);
    finish();
  };

  const other = (data: string): void => {
    const text = data.trim();
    // Gateways that speak several wires end all of them alike; here it says nothing that `message_stop` has not.
    if (text === '' || text === '[DONE]') return emit(ALIVE);
    malformed(data, emit);
  };

  return {
    isOver: () => over,
    comment: (to) => to(ALIVE),
    /** The end of the body proves nothing: only `message_stop` does. */
    end: () => undefined,
    frame(data, event, to) {
      emit = to;
      const value = json(data);
      // A list stands in place of a frame only where a gateway wraps its error in one.
      const frame: unknown = Array.isArray(value) ? value[0] : value;
      if (event === 'error') throw frameFault(data);
      if (!isRecord(frame)) return other(data);
      const { index, message, delta } = frame;
      const type = isSaid(frame['type']) ? frame['type'] : event;
      switch (type) {
        case 'content_block_delta':
          return blocks.delta(index, delta, frame);
        case 'content_block_start':
          return blocks.start(index, frame['content_block'], frame);
        case 'content_block_stop':
          return blocks.stop(index, frame);
        case 'ping':
          return emit(ALIVE);
        case 'message_start':
          if (isRecord(message)) begin(message);
          return emit((isRecord(message) && figures(message['usage'], true)) || ALIVE);
        case 'message_delta':
          if (isRecord(delta)) stop(delta['stop_reason']);
          return emit(figures(frame['usage'], false) ?? ALIVE);
        case 'message_stop':
          return finish();
        case 'message':
          return whole(frame);
        default:
          if (type === 'error' || frame['error']) throw frameFault(data);
          emit({ type: 'unknown', raw: frame });
      }
    },
  };
}

function isSaid(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
