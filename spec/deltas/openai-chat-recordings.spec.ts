import { describe, expect, it } from '@jest/globals';
import { from } from 'rxjs';
import { openaiChatFold } from '../../lib/deltas/openai-chat-fold.ts';
import type { Delta } from '../../lib/delta.ts';
import { cut } from '../../marbles/cut.ts';
import { checkCorpus, corpusNotice, cutPositions, cutSeed, fixtures, foldersOf, recordings } from '../support/corpus.ts';
import type { Expected, Recording } from '../support/corpus.ts';
import { deltasOf, joinedText, readDeltas } from '../support/read-deltas.ts';
import type { Read } from '../support/read-deltas.ts';

const read = (pieces: readonly Uint8Array[]): Read => readDeltas(pieces, (newId) => openaiChatFold(newId, { host: 'recorded', id: 'model' }));

/** An id that the adapter made is none on the wire. */
const wireId = (id: string): string | null => (id.startsWith('made-') ? null : id);

/** A call that was cut has a start and its pieces; one that was not has an end. Text that is no JSON is told as it is. */
function callsIn(deltas: readonly Delta[]): Expected['toolCalls'] {
  return deltasOf(deltas, 'tool-call-start').map(({ index, id, name }) => {
    const end = deltasOf(deltas, 'tool-call-end').find((delta) => delta.index === index);
    const chunks = deltasOf(deltas, 'tool-call-arguments').filter((delta) => delta.index === index);
    const text = chunks.map(({ chunk }) => chunk).join('');
    if (end !== undefined) expect(end.call.rawArguments).toBe(text);
    const isRead = end !== undefined && end.call.arguments !== end.call.rawArguments;
    const call = { id: wireId(id), name };
    return isRead ? { ...call, arguments: end.call.arguments } : { ...call, arguments: null, argumentsText: text };
  });
}

const NORMALIZED: Record<string, string> = {
  stop: 'end_turn',
  'tool-use': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'content_filter',
};

/** A failed answer has no finish, so that the wire's own word for it is not told. */
function stopOf({ deltas, error }: Read, { stop }: Expected): Expected['stop'] {
  const finish = deltasOf(deltas, 'finish').at(-1);
  if (error !== undefined) return { raw: stop.raw, normalized: 'error' };
  const reason = finish?.reason ?? 'none';
  const normalized = NORMALIZED[reason] ?? reason;
  const isOpen = stop.accept?.includes(normalized) === true;
  return { raw: finish?.rawFinish ?? null, normalized: isOpen ? stop.normalized : normalized };
}

/** The figures under the names that servers give them, as they came. */
function usageOf(deltas: readonly Delta[]): Expected['usage'] {
  const { reported = {} } = deltasOf(deltas, 'usage').at(-1) ?? {};
  const first = (...names: string[]): number | null => names.map((name) => reported[name]).find((count) => count !== undefined) ?? null;
  return {
    input: first('prompt_tokens'),
    output: first('completion_tokens'),
    cachedRead: first('prompt_tokens_details.cached_tokens', 'cached_tokens', 'prompt_cache_hit_tokens', 'cache_read_input_tokens'),
    cachedWrite: first('prompt_tokens_details.cache_write_tokens', 'cache_creation_input_tokens'),
    reasoning: first('completion_tokens_details.reasoning_tokens', 'reasoning_tokens'),
    total: first('total_tokens'),
  };
}

interface Frame {
  readonly choices?: readonly { index?: number; delta?: Record<string, unknown>; finish_reason?: string | null }[];
}

/** The byte counts at which a frame is whole, and whether the answer has said why it ended, and nothing more since. */
function endings(body: Uint8Array): (readonly [at: number, isStopped: boolean])[] {
  const text = Buffer.from(body).toString('latin1');
  let isStopped = false;
  return [...text.matchAll(/data: (\{.*)/g)].map((match) => {
    for (const { index, delta = {}, finish_reason } of (JSON.parse(match[1] ?? '') as Frame).choices ?? []) {
      if (index) continue;
      if (SAID.some((name) => (delta[name] as string | unknown[] | null | undefined)?.length)) isStopped = false;
      if (finish_reason) isStopped = true;
    }
    return [match.index + match[0].trimEnd().length, isStopped];
  });
}

const SAID = ['content', 'refusal', 'reasoning', 'reasoning_content', 'tool_calls'];

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

/** Whether two bodies say the same. Text is compared by hand: there is much of it. */
function isSame(a: Read, b: Read): boolean {
  return a.deltas.length === b.deltas.length && a.error?.message === b.error?.message && a.deltas.every((delta, at) => isEqual(delta, b.deltas[at]));
}

function isEqual(a: Delta, b: Delta | undefined): boolean {
  if (a.type === 'text' || a.type === 'reasoning') return b?.type === a.type && b.text === a.text && b.block === a.block && JSON.stringify(b.meta) === JSON.stringify(a.meta);
  if (a.type === 'tool-call-arguments') return b?.type === a.type && b.chunk === a.chunk && b.index === a.index;
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** Every position of the bodies of this repository, random ones of the others. */
function breaks({ id, body }: Recording): number[] {
  return id.startsWith('fixtures/') ? cutPositions(body.length) : cutPositions(Math.max(body.length, LONG)).filter((at) => at <= body.length);
}

const LONG = 8_193;

describe('recorded chat-completions streams', () => {
  it(corpusNotice(), () => {
    expect(checkCorpus).not.toThrow();
  });

  const bodies: Recording[] = [...fixtures('openai-chat'), ...recordings('openai-chat', foldersOf('openai-chat'))];

  it('are at least the twenty of this repository', () => {
    expect(bodies.length).toBeGreaterThanOrEqual(20);
  });

  describe.each(bodies)('$id', (recording) => {
    const { body, expected } = recording;
    const whole = read([body]);

    it('gives what it holds', () => {
      const { deltas, error } = whole;
      expect({
        text: joinedText(deltas, 'text'),
        reasoning: joinedText(deltas, 'reasoning'),
        refusal: joinedText(deltas, 'refusal') || null,
        toolCalls: callsIn(deltas),
        builtinTools: deltasOf(deltas, 'server-tool').map(({ name, id }) => ({ name, id: wireId(id) })),
        stop: stopOf(whole, expected),
        usage: usageOf(deltas),
        error: error?.type ?? null,
        citations: deltasOf(deltas, 'source').length,
        redactedReasoning: deltasOf(deltas, 'opaque').length,
        reasoningSigned: deltasOf(deltas, 'reasoning').some(({ meta }) => meta !== undefined),
      }).toEqual({
        text: expected.text,
        reasoning: expected.reasoning,
        refusal: expected.refusal,
        toolCalls: expected.toolCalls,
        builtinTools: expected.builtinTools ?? [],
        stop: { raw: expected.stop.raw, normalized: expected.stop.normalized },
        usage: expected.usage,
        error: expected.error?.type ?? null,
        citations: expected.citations ?? 0,
        redactedReasoning: expected.redactedReasoning ?? 0,
        reasoningSigned: expected.reasoningSigned ?? false,
      });
      expect(error?.detail ?? '').toContain(JSON.stringify(expected.error?.message ?? '').slice(1, -1).slice(0, 1_000));
    });

    it('counts input with what was cached, and output with reasoning', () => {
      const last = deltasOf(whole.deltas, 'usage').at(-1);
      const { input, output, reasoning, total } = expected.usage;
      const onTop = input !== null && output !== null && total !== input + output ? (reasoning ?? 0) : 0;
      expect(last?.usage ?? {}).toMatchObject({
        ...(input !== null && { inputTokens: input }),
        ...(output !== null && { outputTokens: output + onTop }),
      });
    });

    it('finishes once, last, and leaves nothing unread', () => {
      const finishes = deltasOf(whole.deltas, 'finish');
      expect(finishes).toHaveLength(expected.error === null ? 1 : 0);
      expect(whole.deltas.at(-1)).toEqual(finishes[0] ?? whole.deltas.at(-1));
      expect(deltasOf(whole.deltas, 'unknown')).toEqual([]);
    });

    it(`gives the same however its bytes are cut (seed ${cutSeed})`, () => {
      const different = cutPositions(body.length).filter((at) => !isSame(read(cut(body, at)), whole));
      expect(different).toEqual([]);
      const single = Array.from({ length: body.length - 1 }, (_, at) => at + 1);
      expect(isSame(read(cut(body, single)), whole)).toBe(true);
    });

    it(`neither finishes nor ends a call that was cut when its body breaks off (seed ${cutSeed})`, () => {
      const frames = endings(body);
      const ends = JSON.stringify(deltasOf(whole.deltas, 'tool-call-end')).slice(0, -1);
      const wrong = breaks(recording).filter((at) => {
        const { deltas, error } = read([body.subarray(0, at)]);
        const finished = deltasOf(deltas, 'finish').length > 0;
        const isStopped = frames.filter(([end]) => end <= at).at(-1)?.[1] === true;
        const mayFinish = error === undefined && isStopped && endsWhole(body.subarray(0, at));
        const ended = JSON.stringify(deltasOf(deltas, 'tool-call-end')).slice(0, -1);
        return finished !== mayFinish || !ends.startsWith(ended);
      });
      expect(wrong).toEqual([]);
    });
  });
});
