import { describe, expect, it } from '@jest/globals';
import type { Delta, LoopEvent } from '../../lib/index.ts';
import type { UiMessageChunk } from '../../lib/projections/ui-messages.ts';
import { delta, done, end, start, step } from '../support/events.ts';
import { chunksOf, heldBy6 } from '../support/ui-client.ts';
import { listed } from '../support/ui-runs.ts';

// What the engines of the seeds do at their hosts, on the wire of the AI SDK's UI. The numbers are those of the merged list.

const run = (...said: readonly Delta[]): LoopEvent[] => [start(), step(0), ...said.map((one) => delta(0, one)), end(0), done(1)];
const text = (block: string, words: string): Delta => ({ type: 'text', block, text: words });
const thought = (block: string, words: string): Delta => ({ type: 'reasoning', block, text: words });
const types = (chunks: readonly UiMessageChunk[]): string[] => chunks.map(({ type }) => type);
const call = { id: 'c1', name: 'add', arguments: { a: 1 }, rawArguments: '{"a":1}' };

describe('host mapping', () => {
  it('never interleaves text and reasoning, and counts their ids [146]', async () => {
    const events = run(text('a', 'x'), thought('r', 'y'), text('a', 'z'));
    const chunks = await chunksOf(events);
    const open: string[] = [];
    for (const chunk of chunks) {
      if (/^(text|reasoning)-start$/.test(chunk.type)) open.push(chunk.type);
      if (/^(text|reasoning)-end$/.test(chunk.type)) open.pop();
      expect(open.length).toBeLessThanOrEqual(1);
    }
    expect(chunks.flatMap((chunk) => (chunk.type.endsWith('-start') && 'id' in chunk ? [chunk.id] : []))).toEqual(['text-0-1', 'reasoning-0-2', 'text-0-3']);
    expect(await chunksOf(events)).toEqual(chunks);
  });

  it('gives a finished call without a start one, and drops a dangling fragment [147]', async () => {
    const chunks = await chunksOf(run({ type: 'tool-call-arguments', index: 4, chunk: '{' }, { type: 'tool-call-end', index: 0, call }));
    expect(types(chunks).filter((type) => type.startsWith('tool-input'))).toEqual(['tool-input-start', 'tool-input-delta', 'tool-input-error']);
    expect(chunks.find(({ type }) => type === 'tool-input-delta')).toMatchObject({ toolCallId: 'c1', inputTextDelta: '{"a":1}' });
  });

  it.each<[string, LoopEvent[], unknown, string]>([
    ['an answer', [...run(text('a', 'x')), ...run(text('b', 'late'))], undefined, 'finish'],
    ['a failure', run(text('a', 'x')).slice(0, 3), new Error('cut'), 'error'],
    ['a cut', run(text('a', 'x')).slice(0, 3), undefined, 'abort'],
    ['nothing', [], undefined, 'abort'],
  ])('says nothing after the end, which comes on every path: %s [148]', async (_name, events, error, last) => {
    const said = types(await chunksOf(events, {}, error));
    expect(said.filter((type) => /^(finish|error|abort)$/.test(type))).toEqual([last]);
    expect(said.at(-1)).toBe(last);
  });

  it('says why it stopped before the end, and that it was stopped above all [149]', async () => {
    const ended = async (reason: 'length' | 'aborted'): Promise<unknown> => (await chunksOf([start(), step(0), end(0, { finish: 'length' }), done(1, '', { reason })])).slice(-2);
    expect(await ended('length')).toMatchObject([{ type: 'finish-step' }, { type: 'finish', finishReason: 'length', messageMetadata: { reason: 'length' } }]);
    expect(await ended('aborted')).toMatchObject([{ type: 'message-metadata', messageMetadata: { reason: 'aborted' } }, { type: 'abort' }]);
  });

  it('maps status, thinking, plan, title and usage, the plan always whole, an empty status clearing [150]', async () => {
    const chunks = await chunksOf([...listed.host.slice(0, -1), done(0, '', { usage: { inputTokens: 5 } })]);
    const data = (type: string): unknown[] => chunks.flatMap((chunk) => (chunk.type === type && 'data' in chunk ? [chunk.data] : []));
    expect(data('data-status')).toEqual([{ text: 'Looking.' }, { text: '' }]);
    expect(data('data-plan')).toEqual(['pending', 'completed'].map((status) => ({ entries: [{ content: 'Look', status }] })));
    expect(data('data-title')).toEqual([{ title: 'Rx' }]);
    expect(chunks.at(-1)).toMatchObject({ messageMetadata: { usage: { inputTokens: 5 } } });
    expect(types(await chunksOf(run(thought('r', 'hm'))))).toContain('reasoning-delta');
  });

  it('says of each tool its name and, for a run below, who asked [151]', async () => {
    const { message, error } = await heldBy6(await chunksOf(listed.nested, { version: 6 }));
    expect(error).toBeUndefined();
    expect(message?.parts.find(({ type }) => type === 'dynamic-tool')).toMatchObject({ toolName: 'ask', toolCallId: 'c1' });
    expect(message?.parts.find(({ type }) => type === 'data-nested')).toMatchObject({ data: { name: 'ask', parent: { runId: 'run1', callId: 'c1' } } });
  });

  it('masks the text of an error, unless a mapper is given [152]', async () => {
    const last = async (options: object): Promise<unknown> => (await chunksOf([start()], options, new Error('Key sk-1.'))).at(-1);
    expect(await last({})).toEqual({ type: 'error', errorText: 'The run failed.' });
    expect(await last({ mask: () => 'Try later.' })).toEqual({ type: 'error', errorText: 'Try later.' });
  });
});
