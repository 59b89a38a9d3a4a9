import { describe, expect, it } from '@jest/globals';
import type { Delta, LoopEvent } from '../../lib/index.ts';
import type { LoopbackEvent } from '../../lib/projections/loopback-event.ts';
import { LoopbackTurn } from '../../lib/projections/loopback-turn.ts';
import { correction, delta, done, dropped, end, progress, result, retract, retry, step, tool } from '../support/events.ts';

const turn = (): LoopbackTurn => new LoopbackTurn('run1', ({ message }) => message);
const told = (...events: readonly LoopEvent[]): LoopbackEvent[] => {
  const one = turn();
  return events.flatMap((event) => one.next(event));
};
const text = (said: string): LoopEvent => delta(0, { type: 'text', block: 'b', text: said });
const reasoning = (said: string): LoopEvent => delta(0, { type: 'reasoning', block: 'r', text: said });
const nested = (event: LoopEvent, runId = 'run2', parent = { runId: 'run1', callId: 'c0' }): LoopEvent => ({ ...event, runId, parent });
const host = (event: object): LoopEvent => ({ runId: 'run1', ...event }) as LoopEvent;
const FLUSH = { type: 'flush' };

describe('LoopbackTurn', () => {
  it.each<[string, Delta, object[]]>([
    ['text as a chunk', { type: 'text', block: 'b', text: 'hi' }, [{ type: 'chunk', text: 'hi' }]],
    ['a refusal as a chunk', { type: 'refusal', block: 'b', text: 'no' }, [{ type: 'chunk', text: 'no' }]],
    ['reasoning as a thinking chunk', { type: 'reasoning', block: 'b', text: 'hm' }, [{ type: 'thinking-chunk', text: 'hm' }]],
    ['nothing of an empty piece', { type: 'reasoning', block: 'b', text: '' }, []],
    ['nothing of a call that is being written', { type: 'tool-call-start', index: 0, id: 'c', name: 'add' }, []],
    ['nothing of a source', { type: 'source', url: 'https://example.com' }, []],
    ['nothing of what is not shown', { type: 'usage', usage: {} }, []],
  ])('tells %s', (_name, said, expected) => {
    expect(told(step(0), delta(0, said))).toEqual(expected);
  });

  it.each<[string, LoopEvent, object[]]>([
    ['a status', host({ type: 'status', text: 'Reading' }), [{ type: 'status', text: 'Reading' }]],
    ['an empty status, which clears', host({ type: 'status', text: '' }), [{ type: 'status', text: '' }]],
    ['a plan', host({ type: 'plan', entries: [{ content: 'a', status: 'pending' }] }), [{ type: 'plan', entries: [{ content: 'a', status: 'pending' }] }]],
    ['a title', host({ type: 'title', title: 'T' }), [{ type: 'session-title', title: 'T' }]],
    ['no state', host({ type: 'state', patch: [] }), []],
    ['no progress', progress(0, 'c0'), []],
    ['no late outcome', dropped(0, 'c0'), []],
  ])('tells %s', (_name, event, expected) => {
    expect(told(event)).toEqual(expected);
  });

  it('tells the usage of a model call with its window and the cost so far, and only what is known', () => {
    const usage = { inputTokens: 9, outputTokens: 0, cachedInputTokens: 4, reasoningTokens: 1, totalTokens: 9 };
    expect(told(end(0, { usage, context: { used: 9, window: 100 }, costUsd: 0.5 }))).toEqual([
      { type: 'usage', inputTokens: 9, outputTokens: 0, cachedInputTokens: 4, contextWindow: 100, costUsd: 0.5 },
    ]);
    expect(told(end(0, { usage: { inputTokens: 9 } }))).toEqual([{ type: 'usage', inputTokens: 9 }]);
    expect(told(end(0))).toEqual([]);
  });

  it('clears its own status line with the next sign of life, and leaves that of the run alone', () => {
    const line = { type: 'status', text: 'The model does not answer. Trying again in 5 ms (1 of 3).' };
    expect(told(step(0), retry(0, 1), text('a'), text('b'))).toEqual([line, { type: 'status', text: '' }, { type: 'chunk', text: 'a' }, { type: 'chunk', text: 'b' }]);
    expect(told(step(0), retry(0, 1), delta(0, { type: 'usage', usage: {} }), end(0))).toEqual([line, { type: 'status', text: '' }]);
    const own = host({ type: 'status', text: 'mine' });
    expect(told(step(0), retry(0, 1), own, text('a'))).toEqual([line, { type: 'status', text: 'mine' }, { type: 'chunk', text: 'a' }]);
    expect(told(correction(0), done())).toEqual([{ type: 'status', text: 'The answer broke off. Asking again.' }, { type: 'status', text: '' }, FLUSH]);
  });

  it('keeps a question on screen until it is answered, also when the run is suspended over it', () => {
    const request = host({ type: 'approval-request', step: 0, callId: 'c0', id: 'q', kind: 'approval', call: { id: 'c0', name: 'add', arguments: {} } });
    const answer = host({ type: 'approval-answer', step: 0, callId: 'c0', id: 'q', kind: 'approval', answer: { type: 'approve' } });
    const line = { type: 'status', text: '"add" waits for approval.' };
    expect(told(request, answer)).toEqual([line, { type: 'status', text: '' }]);
    expect(told(request, done(0, '', { reason: 'suspended' }))).toEqual([line, FLUSH]);
    expect(told(nested(request), nested(answer))).toEqual([line, { type: 'status', text: '' }]);
  });

  it('takes a withdrawn attempt back: its text, its reasoning, its tools', () => {
    const notice = { type: 'status', text: 'The answer is withdrawn, and begun anew.' };
    const withdrawn = { ...retract(0, 1, ['b', 'r'], ['c0', 'c1']), usage: { outputTokens: 3 } } as LoopEvent;
    expect(told(step(0), reasoning('hm'), text('a'), text('b'), tool('tool-start', 0, 'c0'), withdrawn, step(0, 2), text('c')).slice(4)).toEqual([
      { type: 'retract', text: 'ab', thinking: 'hm', toolCallIds: ['c0'] }, { type: 'usage', outputTokens: 3 }, notice, { type: 'status', text: '' }, { type: 'chunk', text: 'c' },
    ]);
    expect(told(step(0), retract(0, 1), done())).toEqual([notice, { type: 'status', text: '' }, FLUSH]);
    // What stood before the attempt stays.
    expect(told(step(0), text('a'), end(0), step(1), retract(1, 1))).toEqual([{ type: 'chunk', text: 'a' }, notice]);
  });

  it('takes reasoning back that is replaced as a whole', () => {
    const replace = (said: string): LoopEvent => delta(0, { type: 'reasoning-replace', text: said });
    expect(told(step(0), reasoning('a'), reasoning('b'), replace('c'), retract(0, 1)).slice(2, 5)).toEqual([
      { type: 'retract', text: '', thinking: 'ab', toolCallIds: [] }, { type: 'thinking-chunk', text: 'c' }, { type: 'retract', text: '', thinking: 'c', toolCallIds: [] },
    ]);
    expect(told(step(0), replace('c'))).toEqual([{ type: 'thinking-chunk', text: 'c' }]);
  });

  it('takes a tool back whose outcome is dropped', () => {
    const restarted = { ...dropped(0, 'c0'), reason: 'restarted' } as LoopEvent;
    const start = tool('tool-start', 0, 'c0');
    expect(told(start, restarted, start, result(0, 'c0'), dropped(0, 'c0')).map(({ type }) => type)).toEqual(['tool-start', 'retract', 'tool-start', 'tool-output']);
  });

  it.each<[string, LoopEvent[], object[]]>([
    ['words', [step(0), end(0), done(1, 'hi')], [{ type: 'full-message', text: 'hi' }]],
    ['a refusal', [step(0), end(0), done(1, '', { completion: { text: '', refusal: 'no', toolCalls: [] } })], [{ type: 'full-message', text: 'no' }]],
    ['an output', [step(0), end(0), done(1, '', { reason: 'output', completion: { text: '', json: { a: 1 }, toolCalls: [] } })], [{ type: 'full-message', text: '{"a":1}' }]],
    ['no words', [step(0), end(0), done(1)], []],
    ['words that were said in chunks', [step(0), text('hi'), end(0), done(1, 'hi')], [{ type: 'chunk', text: 'hi' }]],
    ['words of a turn before this one', [done(1, 'hi')], []],
  ])('ends with %s of the last step as a full message, if no chunk said them', (_name, events, said) => {
    expect(told(...events)).toEqual([...said, FLUSH]);
  });

  it('shows of a sub-agent its tools and its status', () => {
    const plan = host({ type: 'plan', entries: [] });
    const events = [step(0), text('a'), plan, tool('tool-start', 0, 'n'), host({ type: 'status', text: 's' }), result(0, 'n'), end(0, { usage: { inputTokens: 1 } }), done(1, 'a')];
    expect(told(...events.map((event) => nested(event)))).toMatchObject([
      { type: 'tool-start', toolCallId: 'n', parentToolUseId: 'c0' }, { type: 'status', text: 's' }, { type: 'tool-output', toolCallId: 'n', parentToolUseId: 'c0' },
    ]);
    expect(told(nested(step(0)), nested(tool('tool-start', 0, 'm'), 'run3', { runId: 'run2', callId: 'n' }))).toMatchObject([{ toolCallId: 'm', parentToolUseId: 'n' }]);
    expect(told(nested(tool('tool-start', 0, 'n')), nested(retract(0, 1, [], ['n'])))).toMatchObject([{ type: 'tool-start' }, { type: 'retract', text: '', toolCallIds: ['n'] }]);
  });

  it('does not hear another run, nor what is nested in one', () => {
    const other = { ...text('a'), runId: 'run9' };
    expect(told(other, nested(tool('tool-start', 0, 'n'), 'run2', { runId: 'run9', callId: 'c' }), { ...done(), runId: 'run9' })).toEqual([]);
  });

  it('ends open tools when it ends, but not when it is suspended', () => {
    const start = tool('tool-start', 0, 'c0');
    const output = expect.objectContaining({ type: 'tool-output', toolCallId: 'c0', isError: true });
    const [left, broken] = [turn(), turn()];
    left.next(start);
    broken.next(start);
    expect(left.cut()).toEqual([output, { type: 'stop', hint: 'cancelled' }, FLUSH]);
    expect(broken.fail({ code: 'other', message: 'no', retryable: false })).toEqual([output, { type: 'status', text: 'no' }, { type: 'stop', hint: 'error' }, FLUSH]);
    expect(told(start, done(0, '', { reason: 'suspended' })).slice(1)).toEqual([FLUSH]);
    expect([left.isOver, broken.isOver, turn().isOver]).toEqual([true, true, false]);
  });

  it('says the error of a done that stands for one', () => {
    const error = { code: 'model-http', message: 'busy', retryable: true };
    expect(told(done(0, '', { reason: 'error', error }))).toEqual([{ type: 'status', text: 'busy' }, { type: 'stop', hint: 'error' }, FLUSH]);
  });
});
