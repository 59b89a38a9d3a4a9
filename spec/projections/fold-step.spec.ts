import { describe, expect, it } from '@jest/globals';
import { foldState, initialState, userMessage } from '../../lib/index.ts';
import type { Compaction, Delta, LoopEvent, LoopState, Message, StepRetract } from '../../lib/index.ts';
import { addMessages, closeMessage, compact, endStep, retractStep, withoutMessages } from '../../lib/projections/fold-step.ts';
import { delta, end, result, retract, start, step, tool } from '../support/events.ts';

const after = (...events: LoopEvent[]): LoopState => events.reduce<LoopState>(foldState, initialState());
const text = (words: string, block = 'b'): Delta => ({ type: 'text', block, text: words });
const begin = (id: string, index = 0): Delta => ({ type: 'tool-call-start', index, id, name: 'add' });
const whole = (id: string, index = 0): Delta => ({ type: 'tool-call-end', index, call: { id, name: 'add', arguments: {} } });
const open = after(start(), step(0), delta(0, text('hi')), delta(0, begin('c')), delta(0, whole('c')), delta(0, begin('d', 1)));

describe('endStep', () => {
  it.each([['stop', 'committed'], ['length', 'committed'], ['error', 'broken'], ['aborted', 'broken']] as const)('makes a message that ends with %s %s', (finish, state) => {
    expect(foldState(open, end(0, { finish })).messages).toMatchObject([{ state, finish, step: 0, attempt: 1 }]);
  });

  it('leaves no trace of a call that was not complete', () => {
    const { messages, calls } = foldState(open, end(0));
    expect(calls.map(({ callId }) => callId)).toEqual(['c']);
    expect(messages[0]?.blocks.slice(1)).toEqual([{ type: 'tool-call', callId: 'c' }]);
  });

  it('leaves no turn that said nothing, and no block that is empty', () => {
    expect(after(start(), step(0), end(0)).messages).toEqual([]);
    expect(after(start(), step(0), delta(0, text('')), end(0)).messages).toEqual([]);
    expect(after(start(), step(0), delta(0, text('')), delta(0, text('x', 'c')), end(0)).messages[0]?.blocks).toHaveLength(1);
  });

  it('adds usage up', () => {
    const state = after(start(), step(0), end(0, { usage: { inputTokens: 1 } }), step(1), end(1, { usage: { inputTokens: 2 } }));
    expect(state.usage).toEqual({ inputTokens: 3 });
    expect(endStep(state, end(2, { usage: {} }) as never).usage).toEqual({ inputTokens: 3, partial: true });
  });

  it('leaves a message of another step alone', () => {
    expect(closeMessage(open, { state: 'committed' }, 1)).toBe(open);
  });
});

describe('retractStep', () => {
  const gone = (state: LoopState): LoopState => retractStep(state, { ...(retract(0, 1, ['b'], ['c', 'd']) as StepRetract), usage: { outputTokens: 4 } });

  it('takes back the message and its calls, and counts the usage', () => {
    expect(gone(open)).toMatchObject({ messages: [], calls: [], usage: { outputTokens: 4 } });
  });

  it('keeps what was committed', () => {
    const state = after(start(), step(0), delta(0, text('one')), end(0), step(1), delta(1, text('two', 'c')), retract(1, 1));
    expect(state.messages.map(({ blocks }) => blocks)).toEqual([[{ type: 'text', block: 'b', text: 'one' }]]);
  });

  it('takes back what its calls asked and ran', () => {
    const ask: LoopEvent = { type: 'approval-request', runId: 'run1', step: 0, callId: 'c', id: 'q', kind: 'input', call: { id: 'c', name: 'add', arguments: {} } };
    const nested: LoopEvent[] = [{ type: 'run-start', runId: 'inner', parent: { runId: 'run1', callId: 'c' } }, { ...ask, id: 'p', runId: 'inner', parent: { runId: 'run1', callId: 'c' } }];
    const asked = [ask, ...nested].reduce<LoopState>(foldState, open);
    expect(asked.requests).toHaveLength(2);
    expect(gone(asked)).toMatchObject({ requests: [], nested: {} });
  });
});

describe('compact', () => {
  const answered = after(
    ...[start(), step(0), delta(0, text('one')), delta(0, begin('c')), delta(0, whole('c')), end(0, { finish: 'tool-use' }), tool('tool-call', 0, 'c'), result(0, 'c')],
    ...[step(1), delta(1, text('two', 'd')), end(1)],
  );
  const summary: Message[] = [userMessage('What was said.')];
  const shortened = (kept: number, state = answered): LoopState => compact(state, { type: 'compaction', runId: 'run1', removed: 9, kept, summary } as Compaction);

  it.each([
    [0, ['run1.user.0'], []],
    [1, ['run1.user.1', 'run1.1.1'], []],
    // A turn with its results is two messages of the transcript.
    [3, ['run1.user.2', 'run1.0.1', 'run1.1.1'], ['c']],
  ])('keeps the last %d messages of the transcript behind the summary', (kept, ids, calls) => {
    expect(shortened(kept).messages.map(({ id }) => id)).toEqual(ids);
    expect(shortened(kept).calls.map(({ callId }) => callId)).toEqual(calls);
  });

  it('does not count reasoning that broke off, which is shown and not stored', () => {
    const broken = [step(2), delta(2, { type: 'reasoning', block: 'r', text: 'hm' }), end(2, { finish: 'aborted' })].reduce<LoopState>(foldState, answered);
    expect(shortened(1, broken).messages.map(({ id }) => id)).toEqual(['run1.user.2', 'run1.1.1', 'run1.2.1']);
  });
});

describe('addMessages', () => {
  it('gives ids that no message has', () => {
    const one = addMessages(initialState(), 'r', [userMessage('a'), userMessage('b')]);
    const [first, second] = one.messages;
    const two = addMessages(withoutMessages(one, first === undefined ? [] : [first]), 'r', [userMessage('c')], 3);
    expect(two.messages.map(({ id, step: at }) => [id, at])).toEqual([[second?.id, undefined], ['r.user.2', 3]]);
  });
});
