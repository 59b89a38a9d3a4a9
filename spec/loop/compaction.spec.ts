import { describe, expect, it } from '@jest/globals';
import { EMPTY, NEVER, of, throwError } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import { toolLoop } from '../../lib/index.ts';
import type { Done } from '../../lib/index.ts';
import { compacted } from '../../lib/loop/compaction.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import type { RunState } from '../../lib/loop/run-state.ts';
import { append } from '../../lib/loop/run-state.ts';
import { toolCall, userMessage } from '../../lib/message.ts';
import type { Message } from '../../lib/message.ts';
import { hear } from '../support/invoke-context.ts';
import { loopUnit } from '../support/loop-unit.ts';
import { play } from '../support/play.ts';

const go = userMessage('go');
const asked: Message = { role: 'assistant', content: [{ type: 'tool-call', call: toolCall('c', 'add', '{}') }] };
const results: Message = { role: 'tool', results: [{ callId: 'c', name: 'add', content: [], isError: false }] };
const summary = userMessage('What went before.');

function shortened(compact: (messages: readonly Message[], size: object) => unknown, options: Partial<ToolLoopOptions> = {}, change: Partial<RunState> = {}) {
  const { run, state } = loopUnit({ compact: compact as never, messages: [go], prompt: undefined as never, ...options }, change);
  const heard = hear(compacted(run, append(run, state, [asked, results])));
  return { heard, after: heard.values[0], error: heard.error };
}

describe('compacted', () => {
  it('asks with a copy of the transcript, and with how full the window is', () => {
    const seen: unknown[] = [];
    shortened((messages, size) => void seen.push([...messages], size, (messages as Message[]).pop()), { model: { ...scripted([]), contextWindow: 200 } }, { context: 0.25 });
    expect(seen.slice(0, 2)).toEqual([[go, asked, results], { used: 50, window: 200 }]);
    shortened((_messages, size) => void seen.push(size));
    expect(seen.at(-1)).toEqual({});
  });

  it.each([['nothing', () => undefined], ['null', () => null], ['an empty answer', () => EMPTY], ['the same messages', (all: unknown) => all]])('keeps the messages for %s', (_name, compact) => {
    const { after } = shortened(compact);
    expect([after?.event, after?.state.messages]).toEqual([undefined, [go, asked, results]]);
  });

  it('puts a shorter transcript in its place, and says what went', () => {
    const { after } = shortened(() => of([summary, asked, results]));
    expect(after?.event).toEqual({ type: 'compaction', runId: 'r', removed: 1, kept: 2, summary: [summary] });
    expect(after?.state).toMatchObject({ messages: [summary, asked, results], input: 1 });
  });

  it('counts the messages of the input that stay as input', () => {
    expect(shortened(() => [summary, go]).after?.state).toMatchObject({ messages: [summary, go], input: 2 });
    expect(shortened(() => [go]).after).toMatchObject({ event: { removed: 2, kept: 1, summary: [] }, state: { input: 1 } });
  });

  it('measures the shorter transcript', () => {
    const model = { ...scripted([]), contextWindow: 1_000 };
    const context = shortened(() => [go], { model }, { context: 0.9 }).after?.state.context;
    expect(context).toBeLessThan(0.1);
    expect(shortened(() => [go], {}, { context: 0.9 }).after?.state.context).toBe(0.9);
  });

  it.each([
    ['is no list', 'x', 'is no array of messages'],
    ['is empty', [], 'has no messages'],
    ['holds what is no message', [go, undefined], 'has no message at messages[1]'],
    ['holds a message without content', [{ role: 'user' }], 'has no message at messages[0]'],
    ['has a result without its call', [go, results], 'has a result without its call at messages[1] (call "c")'],
    ['has a call without its result', [asked, go], 'has a call without its result before messages[1] (call "c")'],
    ['ends with a call', [go, asked], 'ends with a call without its result (call "c")'],
    ['has a call twice', [asked, results, asked, results], 'has a call twice, again at messages[2] (call "c")'],
  ])('fails for a transcript that %s', (_name, said, why) => {
    expect(shortened(() => said).error).toMatchObject({ code: 'hook', message: `What compact answered ${why}.` });
  });

  it('does not count a message twice', () => {
    expect(shortened(() => [go, go]).after?.event).toMatchObject({ removed: 2, kept: 1 });
  });

  it('fails as the port does', () => {
    expect(shortened(() => { throw new Error('boom'); }).error).toMatchObject({ code: 'hook', message: 'compact failed: boom' });
    expect(shortened(() => throwError(() => new Error('boom'))).error).toMatchObject({ code: 'hook' });
  });

  it('leaves the port that is awaited', () => {
    expect(shortened(() => NEVER).heard).toMatchObject({ values: [], ended: false });
  });
});

describe('a run that is compacted', () => {
  it('goes on with the shorter transcript, and hands that out', () => {
    const model = scripted([{ text: 'ok' }]);
    const { events } = play(toolLoop({ model, messages: [userMessage('a'), userMessage('b')], compact: () => [summary] }));
    expect(events.map(({ type }) => type).slice(0, 3)).toEqual(['run-start', 'compaction', 'step-start']);
    expect(model.requests[0]?.messages).toEqual([summary]);
    expect((events.at(-1) as Done).outcome).toMatchObject({ messages: [summary], answer: { content: [{ text: 'ok' }] } });
  });
});
