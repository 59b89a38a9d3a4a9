import { describe, expect, it } from '@jest/globals';
import { foldState, initialState, userMessage } from '../../lib/index.ts';
import type { Delta, JsonPatchOperation, LoopEvent, LoopState } from '../../lib/index.ts';
import { statePatch } from '../../lib/projections/state-patch.ts';
import { delta, end, result, retract, retry, start, step, tool } from '../support/events.ts';

const runId = 'run1';
const before = (...events: LoopEvent[]): LoopState => events.reduce<LoopState>(foldState, initialState([userMessage('go')]));
const patchOf = (state: LoopState, event: LoopEvent): JsonPatchOperation[] => statePatch(state, foldState(state, event), event);
const text = (words: string, meta?: object): LoopEvent => delta(0, { type: 'text', block: 'b', text: words, ...(meta && { meta }) } as Delta);
const begun = delta(0, { type: 'tool-call-start', index: 0, id: 'c', name: 'add' });
const written = (chunk: string): LoopEvent => delta(0, { type: 'tool-call-arguments', index: 0, chunk });
const completed = (given: unknown, rawArguments: string): LoopEvent => delta(0, { type: 'tool-call-end', index: 0, call: { id: 'c', name: 'add', arguments: given, rawArguments } });
const open = before(start(), step(0), text('Hello'));

describe('statePatch', () => {
  it('adds a piece of text at its place, and nothing else', () => {
    expect(patchOf(open, text(' you'))).toEqual([{ op: 'add', path: '/blocks/1/text/-', value: ' you' }]);
  });

  it('adds what belongs to a piece without a text', () => {
    expect(patchOf(open, text('', { signature: 's' }))).toEqual([{ op: 'add', path: '/blocks/1/meta', value: { signature: 's' } }]);
    expect(patchOf(open, text(''))).toEqual([]);
  });

  it('adds a block with its first piece', () => {
    expect(patchOf(open, delta(0, { type: 'text', block: 'c', text: 'x' }))).toEqual([
      { op: 'add', path: '/messages/1/blocks', value: 2 },
      { op: 'add', path: '/blocks/2', value: { type: 'text', block: 'c', text: ['x'] } },
    ]);
  });

  it('adds a block that comes whole each time that it comes, also where an adapter gives one object twice', () => {
    const sealed = delta(0, { type: 'opaque', block: 'o', data: 'sealed' });
    const once = foldState(open, sealed);
    const twice = foldState(once, sealed);
    expect(patchOf(once, sealed)).toContainEqual({ op: 'add', path: '/blocks/3', value: { type: 'opaque', block: 'o', data: 'sealed' } });
    expect(patchOf(twice, text(' you'))).toEqual([{ op: 'add', path: '/blocks/1/text/-', value: ' you' }]);
    expect(patchOf(twice, retract(0, 1, ['b', 'o'])).filter(({ path }) => path.startsWith('/blocks'))).toHaveLength(3);
  });

  it('sends arguments once, as they are written', () => {
    const writing = before(start(), step(0), begun, written('{"a"'));
    expect(patchOf(writing, written(':1}'))).toEqual([{ op: 'add', path: '/calls/0/argumentsText/-', value: ':1}' }]);
    const whole = foldState(writing, written(':1}'));
    expect(patchOf(whole, completed({ a: 1 }, '{"a":1}'))).toEqual([{ op: 'add', path: '/calls/0/state', value: 'asked' }]);
    expect(patchOf(whole, completed({ a: 2 }, '{"a":1}'))).toContainEqual({ op: 'add', path: '/calls/0/arguments', value: { a: 2 } });
  });

  it('sends a text that came with the call alone', () => {
    expect(patchOf(before(start(), step(0), begun), completed({}, '{}'))).toEqual([
      { op: 'add', path: '/calls/0/argumentsText', value: ['{}'] },
      { op: 'add', path: '/calls/0/arguments', value: {} },
      { op: 'add', path: '/calls/0/state', value: 'asked' },
    ]);
  });

  it('takes a withdrawn attempt out, with its blocks and calls', () => {
    const state = before(start(), step(0), text('x'), begun);
    expect(patchOf(state, retract(0, 1))).toEqual([
      { op: 'add', path: '/usage', value: {} },
      { op: 'remove', path: '/messages/1' },
      { op: 'remove', path: '/blocks/2' },
      { op: 'remove', path: '/blocks/1' },
      { op: 'remove', path: '/calls/0' },
    ]);
  });

  it('takes reasoning that is replaced out of the middle', () => {
    const state = before(start(), step(0), delta(0, { type: 'reasoning', block: 'r', text: 'a' }), text('b'));
    expect(patchOf(state, delta(0, { type: 'reasoning-replace', text: 'c' }))).toEqual([
      { op: 'remove', path: '/blocks/1' },
      { op: 'add', path: '/blocks/2', value: { type: 'reasoning', text: ['c'] } },
    ]);
  });

  it('sends and removes fields', () => {
    const waiting = retry(0, 1);
    expect(patchOf(open, waiting)).toEqual([{ op: 'add', path: '/retry', value: waiting }]);
    expect(patchOf(foldState(open, waiting), text('x'))[0]).toEqual({ op: 'remove', path: '/retry' });
  });

  it('sends a display with its result alone', () => {
    const state = before(start(), step(0), begun, completed({}, '{}'), end(0), tool('tool-call', 0, 'c'));
    const shown = result(0, 'c') as Extract<LoopEvent, { type: 'tool-result' }>;
    const paths = patchOf(state, { ...shown, result: { ...shown.result, display: { text: 'x' } } }).map(({ path }) => path);
    expect(paths).toEqual(['/calls/0/state', '/calls/0/result', '/calls/0/elapsedMs']);
  });

  it('sends the patch of the application at its place, and a whole new state as one', () => {
    const patch: JsonPatchOperation[] = [{ op: 'add', path: '/a', value: 1 }, { op: 'copy', from: '/a', path: '/b' }];
    expect(patchOf(open, { type: 'state', runId, patch })).toEqual([{ op: 'add', path: '/shared/a', value: 1 }, { op: 'copy', from: '/shared/a', path: '/shared/b' }]);
    expect(patchOf(open, { type: 'state', runId, patch: [...patch, { op: 'move', from: '/b', path: '' }] })).toEqual([{ op: 'add', path: '/shared', value: 1 }]);
  });

  it('patches a nested run at its place, whatever its name', () => {
    const nest = (event: LoopEvent): LoopEvent => ({ ...event, runId: 'a/b~c', parent: { runId, callId: 'c' } });
    const state = [start(), step(0), text('in')].map(nest).reduce<LoopState>(foldState, before(start()));
    expect(patchOf(state, nest(text('more')))).toEqual([{ op: 'add', path: '/nested/a~1b~0c/blocks/0/text/-', value: 'more' }]);
    expect(patchOf(before(start()), nest(start()))[0]).toMatchObject({ op: 'add', path: '/nested/a~1b~0c', value: { runId: 'a/b~c', blocks: [] } });
    expect(patchOf(state, { type: 'run-start', runId: 'run2' })).toContainEqual({ op: 'remove', path: '/nested/a~1b~0c' });
  });

  it('is empty for states that are the same', () => {
    expect(statePatch(open, open, text('x'))).toEqual([]);
  });
});
