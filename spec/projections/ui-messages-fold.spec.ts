import { describe, expect, it } from '@jest/globals';
import type { Delta, LoopEvent } from '../../lib/index.ts';
import type { UiMessageChunk, UiMessageOptions } from '../../lib/projections/ui-messages.ts';
import { delta, done, end, progress, result, retract, start, step, tool } from '../support/events.ts';
import { chunksOf } from '../support/ui-client.ts';

const text = (words: string, number = 0): LoopEvent => delta(number, { type: 'text', block: 'a', text: words });
const begun = (id: string, index = 0): LoopEvent[] => [
  delta(0, { type: 'tool-call-start', index, id, name: 'add' }), delta(0, { type: 'tool-call-end', index, call: { id, name: 'add', arguments: {} } }),
];
const types = async (events: readonly LoopEvent[], options?: UiMessageOptions): Promise<string[]> => (await chunksOf(events, options)).map(({ type }) => type);
const one = async (said: Delta, options?: UiMessageOptions): Promise<UiMessageChunk[]> => (await chunksOf([start(), step(0), delta(0, said), end(0), done(1)], options)).slice(2, -2);

describe('a step of a message', () => {
  it('is open until its outputs are there, and no longer', async () => {
    const calls = [...begun('c1'), ...begun('c2', 1), end(0, { finish: 'tool-use', toolCalls: 2 }), tool('tool-call', 0, 'c1'), tool('tool-call', 0, 'c2')];
    const ran = [tool('tool-start', 0, 'c1'), result(0, 'c1'), tool('tool-start', 0, 'c2'), result(0, 'c2')];
    const said = await types([start(), step(0), ...calls, ...ran, step(1), text('x', 1), end(1), done(2)]);
    expect(said.indexOf('finish-step')).toBe(said.lastIndexOf('tool-output-available') + 1);
    expect(said.filter((type) => type === 'start-step')).toHaveLength(2);
    expect(said.filter((type) => type === 'finish-step')).toHaveLength(2);
  });

  it('ends by itself where it has no calls', async () => {
    expect(await types([start(), step(0), text('x'), end(0)])).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'message-metadata', 'abort']);
  });

  it('keeps a client from sending its results again when the run is over', async () => {
    const ran = [...begun('c1'), end(0, { finish: 'tool-use', toolCalls: 1 }), tool('tool-call', 0, 'c1'), tool('tool-start', 0, 'c1'), result(0, 'c1')];
    expect((await types([start(), step(0), ...ran, done(1, '', { reason: 'max-steps' })])).slice(-4)).toEqual(['finish-step', 'start-step', 'finish-step', 'finish']);
  });
});

describe('what is withdrawn', () => {
  const run = [start(), step(0), text('wrong'), ...begun('c1'), { type: 'plan', runId: 'run1', entries: [] } as LoopEvent, retract(0, 1, ['a'], ['c1']), step(0, 2), text('right'), end(0), done(1)];

  it('is taken back in version 7, but for what no attempt has said', async () => {
    const said = await types(run);
    const at = said.indexOf('reset-step');
    expect(said.slice(at)).toEqual(['reset-step', 'data-plan', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish']);
    expect(said.filter((type) => type === 'start-step')).toHaveLength(1);
  });

  it('is marked in version 6, which would fail of anything else', async () => {
    expect((await types(run, { version: 6 })).slice(2)).toEqual([
      'text-start', 'text-delta', 'text-end', 'tool-input-start', 'tool-input-delta', 'data-plan', 'tool-input-error', 'data-retract', 'finish-step',
      'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish',
    ]);
  });

  it('is taken back by the run that is resumed after a crash', async () => {
    const again: LoopEvent = { type: 'run-start', runId: 'run1', resumed: true };
    expect(await types([again, retract(0, 1), step(0, 2), text('x'), end(0), done(1)])).toEqual(['start', 'reset-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish']);
  });

  it('has no progress of an eager tool any more', async () => {
    const eager = [...begun('c1'), tool('tool-start', 0, 'c1'), progress(0, 'c1'), retract(0, 1, [], ['c1']), progress(0, 'c1')];
    const said = await types([start(), step(0), ...eager]);
    expect(said.filter((type) => type === 'tool-output-available')).toHaveLength(1);
  });
});

describe('reasoning that is replaced', () => {
  const run = [start(), step(0), text('So:'), delta(0, { type: 'reasoning', block: 'r', text: 'secret' }), ...begun('c1'), delta(0, { type: 'reasoning-replace', text: 'summary' }), text('.')];

  it('is gone in version 7, and the rest is said again in one piece', async () => {
    const chunks = await chunksOf(run);
    const after = chunks.slice(chunks.findIndex(({ type }) => type === 'reset-step') + 1);
    expect(after.map(({ type }) => type).slice(0, 8)).toEqual(['text-start', 'text-delta', 'text-end', 'tool-input-start', 'tool-input-delta', 'reasoning-start', 'reasoning-delta', 'reasoning-end']);
    expect(JSON.stringify(after)).not.toContain('secret');
  });

  it('is followed in version 6 by a part that says so', async () => {
    const chunks = await chunksOf(run, { version: 6 });
    expect(chunks.filter(({ type }) => type === 'reasoning-end').at(-1)).toMatchObject({ providerMetadata: { 'rx-tool-loop': { replaces: true } } });
  });
});

describe('what comes whole', () => {
  it('is a source, with or without an address', async () => {
    expect(await one({ type: 'source', url: 'https://example.test/a', title: 'A', data: 1 })).toEqual([
      { type: 'source-url', sourceId: 'source-0-1', url: 'https://example.test/a', title: 'A', providerMetadata: { 'rx-tool-loop': { data: 1 } } },
    ]);
    expect(await one({ type: 'source', title: 'A' })).toEqual([{ type: 'source-document', sourceId: 'source-0-1', mediaType: 'text/plain', title: 'A' }]);
  });

  it('is a file, by its data or its address', async () => {
    expect(await one({ type: 'file', block: 'f', mediaType: 'text/plain', data: 'aGk=' })).toEqual([{ type: 'file', mediaType: 'text/plain', url: 'data:text/plain;base64,aGk=' }]);
    expect(await one({ type: 'file', block: 'f', mediaType: 'text/plain', url: 'https://example.test/a' })).toMatchObject([{ url: 'https://example.test/a' }]);
  });

  it('is a block that is not shown, as reasoning without words', async () => {
    expect(await one({ type: 'opaque', block: 'o', data: 'sealed' })).toEqual([
      { type: 'reasoning-start', id: 'opaque-0-1' }, { type: 'reasoning-end', id: 'opaque-0-1', providerMetadata: { 'rx-tool-loop': { kind: 'opaque', data: 'sealed' } } },
    ]);
  });

  it('is a tool of the provider, also where its result comes alone', async () => {
    const ran = { toolCallId: 's', dynamic: true, providerExecuted: true };
    expect(await one({ type: 'server-tool', block: 'b', id: 's', name: 'web', phase: 'call', data: { q: 1 } })).toEqual([{ type: 'tool-input-available', toolName: 'web', input: { q: 1 }, ...ran }]);
    expect(await one({ type: 'server-tool', block: 'b', id: 's', name: 'web', phase: 'result', data: [1] })).toEqual([
      { type: 'tool-input-available', toolName: 'web', input: {}, ...ran }, { type: 'tool-output-available', output: [1], ...ran },
    ]);
  });

  it.each<Delta>([{ type: 'usage', usage: {} }, { type: 'finish', reason: 'stop' }, { type: 'unknown', raw: 1 }, { type: 'alive' }])('is nothing of %j', async (said) => {
    expect(await one(said)).toEqual([]);
  });
});

describe('a run that is suspended', () => {
  it('says the results that wait behind an open call, so that a client has them', async () => {
    const calls = [...begun('c1'), ...begun('c2', 1), end(0, { finish: 'tool-use', toolCalls: 2 }), tool('tool-call', 0, 'c1'), tool('tool-call', 0, 'c2'), tool('tool-start', 0, 'c2')];
    const settled = (result(0, 'c2') as Extract<LoopEvent, { type: 'tool-result' }>).result;
    const batch = { calls: [{ call: { id: 'c1', name: 'add', arguments: {} } }, { call: { id: 'c2', name: 'add', arguments: {} }, settled: { result: settled, elapsedMs: 1, ran: true } }] };
    const chunks = await chunksOf([start(), step(0), ...calls, done(1, '', { reason: 'suspended', checkpoint: { batch } as never })]);
    expect(chunks.slice(-3)).toMatchObject([{ type: 'tool-output-available', toolCallId: 'c2' }, { type: 'finish-step' }, { type: 'finish', finishReason: 'tool-calls' }]);
  });
});
