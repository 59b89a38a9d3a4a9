import { describe, expect, it } from '@jest/globals';
import { call, deltaLetters, finish, reasoning, refusal, text, usage } from '../../marbles/index.ts';
import type { DeltaLetters } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

/** What turns of these diagrams say, each with its frame, drawn in one body. */
function said(...turns: readonly (readonly [string, DeltaLetters?])[]): [number, unknown][][] {
  const heard: [number, unknown][][] = [];
  loopMarbles(({ turn, scheduler }) => {
    for (const [diagram, letters] of turns) {
      const deltas: [number, unknown][] = [];
      heard.push(deltas);
      turn(diagram, letters).subscribe({
        next: (delta) => deltas.push([scheduler.now(), delta]),
        error: (error) => deltas.push([scheduler.now(), error]),
      });
    }
  })();
  return heard;
}

const callIds = (deltas: [number, unknown][] = []): unknown[] =>
  deltas.flatMap(([, delta]) => {
    const { type, index, id } = delta as { type: string; index: number; id: string };
    return type === 'tool-call-start' ? [[index, id]] : [];
  });

// prettier-ignore
describe('the values', () => {
  it('are whole deltas', () => {
    expect(text('hi')).toEqual({ type: 'text', block: 'text', text: 'hi' });
    expect(reasoning('hm', 'r1')).toEqual({ type: 'reasoning', block: 'r1', text: 'hm' });
    expect(refusal('no')).toEqual({ type: 'refusal', block: 'refusal', text: 'no' });
    expect(usage({ inputTokens: 1 })).toEqual({ type: 'usage', usage: { inputTokens: 1 } });
    expect(finish('length')).toEqual({ type: 'finish', reason: 'length' });
  });

  it('make a call of its start, its argument text and its end', () => {
    expect(call('add', { a: 1 })).toEqual([
      { type: 'tool-call-start', index: 0, id: 'add', name: 'add' },
      { type: 'tool-call-arguments', index: 0, chunk: '{"a":1}' },
      { type: 'tool-call-end', index: 0, call: { id: 'add', name: 'add', arguments: { a: 1 }, rawArguments: '{"a":1}' } },
    ]);
  });

  it('make a call without arguments one for which nothing was written', () => {
    expect(call('now')).toMatchObject([{ type: 'tool-call-start' }, { type: 'tool-call-end', call: { arguments: {}, rawArguments: '' } }]);
  });

  it('take argument text as it is, broken too', () => {
    expect(call('add', '{"a":')).toMatchObject([{}, { chunk: '{"a":' }, { call: { arguments: '{"a":', rawArguments: '{"a":' } }]);
  });
});

describe('the letters of a turn', () => {
  it('come at their frames, a call in one', () => {
    const [deltas] = said(['-t-c-(uy|)']);

    expect(deltas).toMatchObject([
      [1, { type: 'text', text: 'hi' }],
      [3, { type: 'tool-call-start' }],
      [3, { type: 'tool-call-arguments' }],
      [3, { type: 'tool-call-end' }],
      [5, { type: 'usage' }],
      [5, { type: 'finish', reason: 'tool-use' }],
    ]);
  });

  it('are known without being told', () => {
    const [deltas = []] = said(['(tkrcdyzlpfnoeua|)']);
    const types = deltas.map(([, delta]) => (delta as { type: string }).type);

    expect([...new Set(types)]).toEqual([
      'text', 'reasoning', 'refusal', 'tool-call-start', 'tool-call-arguments', 'tool-call-end', 'finish', 'usage', 'alive',
    ]);
    expect(Object.keys(deltaLetters)).toEqual([...'tkrcdyzlpfnoeua']);
  });

  it('name every way in which a turn ends', () => {
    const [deltas = []] = said(['(yzlpfnoe)']);

    expect(deltas.map(([, delta]) => (delta as { reason: string }).reason)).toEqual([
      'tool-use', 'stop', 'length', 'pause', 'content-filter', 'refusal', 'other', 'error',
    ]);
  });

  it('share no block and no call id between two turns', () => {
    const [first, second] = said(['(tk)(cd)'], ['(tkcd)']);

    expect(first).toMatchObject([[0, { block: 'text0' }], [0, { block: 'reasoning0' }], {}, {}, {}, {}, {}, {}]);
    expect(second).toMatchObject([[0, { block: 'text1' }], [0, { block: 'reasoning1' }], {}, {}, {}, {}, {}, {}]);
    expect([callIds(first), callIds(second)]).toEqual([[[0, 'c0'], [1, 'd0']], [[0, 'c1'], [1, 'd1']]]);
  });

  it('count the calls of the turn, whichever letters draw them', () => {
    const [deltas] = said(['-d-c-c-(x|)', { x: [...call('now'), ...call('add')] }]);

    expect(callIds(deltas)).toEqual([[0, 'd0'], [1, 'c0'], [2, 'c0.2'], [3, 'x0'], [4, 'x0-2']]);
  });

  it('keep an index and an id that the spec gave', () => {
    const [deltas] = said(['-c-x-e-c', { x: call('add', {}, { index: 5, id: '' }), e: call('add', {}, { id: 'mine' }) }]);

    expect(callIds(deltas)).toEqual([[0, 'c0'], [5, ''], [6, 'mine'], [7, 'c0.2']]);
  });

  it('keep deltas that the spec wrote out', () => {
    const start = { type: 'tool-call-start', index: 0, id: 'c9', name: 'add' } as const;

    expect(said(['-s', { s: start }])).toEqual([[[1, start]]]);
  });

  it('break the stream at # in a way that may be tried again', () => {
    expect(said(['-t-#'])[0]?.[1]).toMatchObject([3, { code: 'model-transport', retryable: true, message: 'The stream broke.' }]);
  });

  it('say which letters there are when one stands for nothing', () => {
    expect(() => said(['-q-', { x: text('yes') }])).toThrow(
      `turn(): the letter "q" stands for no delta. Known: t k r c d y z l p f n o e u a x. Give it: turn(diagram, { q: text('hi') }).`,
    );
  });
});
