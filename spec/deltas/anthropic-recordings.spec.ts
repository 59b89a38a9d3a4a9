import { describe, expect, it } from '@jest/globals';
import { from, VirtualTimeScheduler } from 'rxjs';
import { anthropic } from '../../lib/deltas/anthropic.ts';
import { anthropicFold } from '../../lib/deltas/anthropic-fold.ts';
import type { Delta } from '../../lib/delta.ts';
import type { ModelError } from '../../lib/errors.ts';
import { cut } from '../../marbles/cut.ts';
import { checkCorpus, corpusNotice, cutPositions, cutSeed, fixtures, foldersOf, recordings } from '../support/corpus.ts';
import type { Expected, Recording } from '../support/corpus.ts';
import { deltasOf, joinedText, readDeltas } from '../support/read-deltas.ts';
import type { Read } from '../support/read-deltas.ts';

const read = (pieces: readonly Uint8Array[]): Read => readDeltas(pieces, anthropicFold);

/** A call that was cut has a start and its pieces; one that was not has an end. */
function callsIn(deltas: readonly Delta[]): Expected['toolCalls'] {
  return deltasOf(deltas, 'tool-call-start').map(({ index, id, name }) => {
    const end = deltasOf(deltas, 'tool-call-end').find((delta) => delta.index === index);
    if (end !== undefined) return { id, name, arguments: end.call.arguments };
    const chunks = deltasOf(deltas, 'tool-call-arguments').filter((delta) => delta.index === index);
    return { id, name, arguments: null, argumentsText: chunks.map(({ chunk }) => chunk).join('') };
  });
}

const NORMALIZED: Record<string, string> = { stop: 'end_turn', 'tool-use': 'tool_use', length: 'max_tokens' };

function stopOf({ deltas, error }: Read): Expected['stop'] {
  const finish = deltasOf(deltas, 'finish').at(-1);
  const reason = finish?.reason ?? 'other';
  return { raw: finish?.rawFinish ?? null, normalized: error !== undefined ? 'error' : (NORMALIZED[reason] ?? reason) };
}

function usageOf(deltas: readonly Delta[]): Expected['usage'] {
  const reported = deltasOf(deltas, 'usage').at(-1)?.reported ?? {};
  return {
    input: reported['input_tokens'] ?? null,
    output: reported['output_tokens'] ?? null,
    cachedRead: reported['cache_read_input_tokens'] ?? null,
    cachedWrite: reported['cache_creation_input_tokens'] ?? null,
    reasoning: reported['output_tokens_details.thinking_tokens'] ?? null,
    total: null,
  };
}

function found(whole: Read): Partial<Expected> {
  const { deltas } = whole;
  const ofProvider = deltasOf(deltas, 'server-tool').filter(({ phase }) => phase === 'call');
  return {
    text: joinedText(deltas, 'text'),
    reasoning: joinedText(deltas, 'reasoning'),
    refusal: joinedText(deltas, 'refusal') || null,
    toolCalls: callsIn(deltas),
    builtinTools: ofProvider.map(({ name, id }) => ({ name, id })),
    stop: stopOf(whole),
    usage: usageOf(deltas),
    citations: deltasOf(deltas, 'source').length,
    redactedReasoning: deltasOf(deltas, 'opaque').filter(({ data }) => (data as { type: string }).type === 'redacted_thinking').length,
    reasoningSigned: deltasOf(deltas, 'reasoning').some(({ meta }) => typeof meta?.['signature'] === 'string'),
  };
}

/** How many bytes an ending needs: all of the frame that ends the message, or all of an answer in one piece. */
function finishAt(body: Uint8Array): number {
  const text = Buffer.from(body).toString('latin1');
  const last = /data: \{[^\n]*"message_stop"[^\n]*?\}(?=\s*(\n|\r|$))/.exec(text);
  if (last !== null) return last.index + last[0].trimEnd().length;
  return text.startsWith('{') && !text.includes('"type": "error"') ? text.trimEnd().length : body.length + 1;
}

describe('recorded Messages streams', () => {
  it(corpusNotice(), () => {
    expect(checkCorpus).not.toThrow();
  });

  const bodies = [...fixtures('anthropic'), ...recordings('anthropic-messages', foldersOf('anthropic-messages'))];

  it('are at least the fifteen of this repository', () => {
    expect(bodies.length).toBeGreaterThanOrEqual(15);
  });

  describe.each(bodies)('$id', ({ body, expected }) => {
    const whole = read([body]);

    it('gives what it holds', () => {
      const { error, ...rest } = expected;
      const { terminated: _, choices: __, ...read } = rest as typeof rest & { terminated?: boolean; choices?: number };
      expect(found(whole)).toEqual(read);
      expect(whole.error?.type ?? null).toBe(error?.type ?? null);
      if (error?.message) expect(whole.error?.detail).toContain(error.message);
    });

    it('finishes once, last, and leaves nothing unread', () => {
      const finishes = deltasOf(whole.deltas, 'finish');
      expect(finishes).toHaveLength(expected.error === null ? 1 : 0);
      expect(whole.deltas.at(-1)).toEqual(finishes[0] ?? whole.deltas.at(-1));
      expect(deltasOf(whole.deltas, 'unknown')).toEqual([]);
    });

    it(`gives the same however its bytes are cut (seed ${cutSeed})`, () => {
      const said = JSON.stringify(whole.deltas);
      const different = cutPositions(body.length).filter((at) => JSON.stringify(read(cut(body, at)).deltas) !== said);
      expect(different).toEqual([]);
      const single = Array.from({ length: body.length - 1 }, (_, at) => at + 1);
      expect(read(cut(body, single))).toEqual(whole);
    });

    it(`neither finishes nor ends a call that was cut when its body breaks off (seed ${cutSeed})`, () => {
      const last = finishAt(body);
      const ends = JSON.stringify(deltasOf(whole.deltas, 'tool-call-end')).slice(0, -1);
      const wrong = cutPositions(body.length).filter((at) => {
        const { deltas } = read([body.subarray(0, at)]);
        const ended = JSON.stringify(deltasOf(deltas, 'tool-call-end')).slice(0, -1);
        return deltasOf(deltas, 'finish').length !== (at >= last ? 1 : 0) || !ends.startsWith(ended);
      });
      expect(wrong).toEqual([]);
    });
  });
});

const OWN_FAILURE: Recording = {
  id: 'fixtures/http-529',
  dialect: 'http-error',
  httpStatus: 529,
  contentType: 'application/json',
  body: new TextEncoder().encode('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_example"}'),
  expected: {
    text: '', reasoning: '', refusal: null, toolCalls: [], stop: { raw: null, normalized: 'error' },
    usage: { input: null, output: null, cachedRead: null, cachedWrite: null, reasoning: null, total: null },
    error: { type: 'overloaded_error', code: null, message: 'Overloaded' },
  },
};

describe('recorded failures', () => {
  const failures = [OWN_FAILURE, ...recordings('http-error', foldersOf('anthropic-messages'))];

  it.each(failures)('$id is an error with its status, type and text, and no delta', async ({ body, expected, httpStatus = 0, contentType }) => {
    const headers = contentType === undefined ? {} : { 'content-type': contentType };
    const fetch = (() => Promise.resolve(new Response(body as BodyInit, { status: httpStatus, headers }))) as typeof globalThis.fetch;
    const deltas: Delta[] = [];
    const error = await new Promise<ModelError>((resolve, reject) => {
      anthropic({ model: 'm', fetch })
        .stream({ system: undefined, messages: [], tools: [], toolChoice: 'auto', options: {}, demand: undefined, scheduler: new VirtualTimeScheduler(), ids: () => 'made' })
        .subscribe({ next: (delta) => deltas.push(delta), error: resolve, complete: () => reject(new Error('it completed')) });
    });
    expect(deltas).toEqual([]);
    expect(error).toMatchObject({ code: 'model-http', status: httpStatus, type: expected.error?.type, retryable: httpStatus >= 500 });
    expect(error.detail).toContain(expected.error?.message);
  });
});
