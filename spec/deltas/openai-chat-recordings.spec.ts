import { describe, expect, it } from '@jest/globals';
import { from } from 'rxjs';
import { openaiChatFold } from '../../lib/deltas/openai-chat-fold.ts';
import { sse } from '../../lib/bytes/sse.ts';
import type { Delta } from '../../lib/delta.ts';
import type { ModelError } from '../../lib/errors.ts';
import { cut } from '../../marbles/cut.ts';
import { checkCorpus, corpusNotice, fixtures, recordings } from '../support/corpus.ts';
import type { Expected } from '../support/corpus.ts';

const FOLDERS = ['openai', 'deepseek', 'zai'];
const WHOLE_CUT_BYTES = 8_192;
const RANDOM_CUTS = 200;
const seed = Number(process.env['CUT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

interface Read {
  readonly deltas: Delta[];
  readonly error: ModelError | undefined;
}

function read(pieces: readonly Uint8Array[]): Read {
  const deltas: Delta[] = [];
  let error: ModelError | undefined;
  let made = 0;
  from(pieces)
    .pipe(sse(() => openaiChatFold(() => `made-${(made += 1)}`)))
    .subscribe({ next: (delta) => deltas.push(delta), error: (caught: ModelError) => (error = caught) });
  return { deltas, error };
}

function joined(deltas: readonly Delta[], type: 'text' | 'reasoning' | 'refusal'): string {
  return deltas.map((delta) => (delta.type === type ? delta.text : '')).join('');
}

function deltasOf<Type extends Delta['type']>(deltas: readonly Delta[], type: Type): Extract<Delta, { type: Type }>[] {
  return deltas.filter((delta): delta is Extract<Delta, { type: Type }> => delta.type === type);
}

/** A call that was cut has a start and its pieces; one that was not has an end. */
function callsIn(deltas: readonly Delta[]): Expected['toolCalls'] {
  return deltasOf(deltas, 'tool-call-start').map(({ index, id, name }) => {
    const end = deltasOf(deltas, 'tool-call-end').find((delta) => delta.index === index);
    if (end !== undefined) return { id, name, arguments: end.call.arguments };
    const chunks = deltasOf(deltas, 'tool-call-arguments').filter((delta) => delta.index === index);
    return { id, name, arguments: null, argumentsText: chunks.map(({ chunk }) => chunk).join('') };
  });
}

const NORMALIZED: Record<string, string> = {
  stop: 'end_turn',
  'tool-use': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'content_filter',
};

function stopOf({ deltas, error }: Read): Expected['stop'] {
  const finish = deltasOf(deltas, 'finish').at(-1);
  const reason = finish?.reason ?? 'other';
  // The loop runs the calls of a turn that merely stopped.
  const runs = reason === 'stop' && deltasOf(deltas, 'tool-call-end').length > 0;
  const normalized = error !== undefined ? 'error' : runs ? 'tool_use' : (NORMALIZED[reason] ?? reason);
  return { raw: finish?.rawFinish ?? null, normalized };
}

function usageOf(deltas: readonly Delta[]): Expected['usage'] {
  const usage = deltasOf(deltas, 'usage').at(-1)?.usage ?? {};
  return {
    input: usage.inputTokens ?? null,
    output: usage.outputTokens ?? null,
    cachedRead: usage.cachedInputTokens ?? null,
    cachedWrite: usage.cacheWriteTokens ?? null,
    reasoning: usage.reasoningTokens ?? null,
    total: usage.totalTokens ?? null,
  };
}

/** Positions for bodies too long for all: mulberry32, so that a printed seed repeats them. */
function* randomPositions(length: number): Generator<number> {
  let state = seed;
  for (let n = 0; n < RANDOM_CUTS; n += 1) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    yield ((mixed ^ (mixed >>> 14)) >>> 0) % (length + 1);
  }
}

function positions(length: number): Iterable<number> {
  return length <= WHOLE_CUT_BYTES ? Array.from({ length: length + 1 }, (_, at) => at) : randomPositions(length);
}

/** Where the frame with the finish reason is complete: the first byte count from which an ending is possible. */
function finishAt(body: Uint8Array): number {
  const text = Buffer.from(body).toString('latin1');
  const frames = [...text.matchAll(/data: (\{.*)/g)];
  const isLast = (json: string): boolean => {
    const { choices } = JSON.parse(json) as { choices?: { index: number; finish_reason?: string | null }[] };
    return choices?.some((choice) => choice.index === 0 && Boolean(choice.finish_reason)) ?? false;
  };
  const frame = frames.find((match) => isLast(match[1] ?? ''));
  return frame === undefined ? body.length + 1 : frame.index + frame[0].trimEnd().length;
}

describe('recorded chat-completions streams', () => {
  it(corpusNotice(), () => {
    expect(checkCorpus).not.toThrow();
  });

  const bodies = [...fixtures('openai-chat'), ...recordings('openai-chat', FOLDERS)];

  it('are at least the ten of this repository', () => {
    expect(bodies.length).toBeGreaterThanOrEqual(10);
  });

  describe.each(bodies)('$id', ({ body, expected }) => {
    const whole = read([body]);

    it('gives what it holds', () => {
      expect({
        text: joined(whole.deltas, 'text'),
        reasoning: joined(whole.deltas, 'reasoning'),
        refusal: joined(whole.deltas, 'refusal') || null,
        toolCalls: callsIn(whole.deltas),
        stop: stopOf(whole),
        usage: usageOf(whole.deltas),
        error: whole.error?.type ?? null,
      }).toEqual({
        text: expected.text,
        reasoning: expected.reasoning,
        refusal: expected.refusal,
        toolCalls: expected.toolCalls,
        stop: { raw: expected.stop.raw, normalized: expected.stop.normalized },
        usage: expected.usage,
        error: expected.error?.type ?? null,
      });
    });

    it('finishes once, last, and leaves nothing unread', () => {
      const finishes = deltasOf(whole.deltas, 'finish');
      expect(finishes).toHaveLength(expected.error === null ? 1 : 0);
      expect(whole.deltas.at(-1)).toEqual(finishes[0] ?? whole.deltas.at(-1));
      expect(deltasOf(whole.deltas, 'unknown')).toEqual([]);
    });

    it(`gives the same however its bytes are cut (seed ${seed})`, () => {
      const said = JSON.stringify(whole.deltas);
      const different = [...positions(body.length)].filter((at) => JSON.stringify(read(cut(body, at)).deltas) !== said);
      expect(different).toEqual([]);
      const single = Array.from({ length: body.length - 1 }, (_, at) => at + 1);
      expect(read(cut(body, single))).toEqual(whole);
    });

    it(`neither finishes nor ends a call that was cut when its body breaks off (seed ${seed})`, () => {
      const last = finishAt(body);
      const ends = JSON.stringify(deltasOf(whole.deltas, 'tool-call-end')).slice(0, -1);
      const wrong = [...positions(body.length)].filter((at) => {
        const { deltas } = read([body.subarray(0, at)]);
        const finished = deltasOf(deltas, 'finish').length > 0;
        const mayFinish = at >= last && endsWhole(body.subarray(0, at));
        const ended = JSON.stringify(deltasOf(deltas, 'tool-call-end')).slice(0, -1);
        return finished !== mayFinish || !ends.startsWith(ended);
      });
      expect(wrong).toEqual([]);
    });
  });
});

/** Whether the last line that is not blank is a whole frame. */
function endsWhole(body: Uint8Array): boolean {
  const line = Buffer.from(body).toString('latin1').trimEnd().split(/[\r\n]+/).at(-1) ?? '';
  if (line.startsWith(':') || line === 'data: [DONE]') return true;
  try {
    return line.startsWith('data: ') && typeof JSON.parse(line.slice(6)) === 'object';
  } catch {
    return false;
  }
}
