import { describe, expect, it } from '@jest/globals';
import type { UiMessageChunk } from '../../lib/projections/ui-messages-chunk.ts';
import { UiStepLog } from '../../lib/projections/ui-messages-step-log.ts';

function logOf(...chunks: readonly UiMessageChunk[]): UiStepLog {
  const log = new UiStepLog();
  for (const chunk of chunks) log.add(chunk);
  return log;
}

const plan: UiMessageChunk = { type: 'data-plan', id: 'plan', data: {} };

describe('the log of a step', () => {
  it('joins the pieces of one part, and leaves the chunks themselves alone', () => {
    const first: UiMessageChunk = { type: 'text-delta', id: 'a', delta: 'x' };
    const log = logOf({ type: 'text-start', id: 'a' }, first, { type: 'text-delta', id: 'a', delta: 'y' }, { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{' }, {
      type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '}',
    });
    expect(log.take()).toEqual([{ type: 'text-start', id: 'a' }, { type: 'text-delta', id: 'a', delta: 'xy' }, { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{}' }]);
    expect(first).toEqual({ type: 'text-delta', id: 'a', delta: 'x' });
  });

  it('keeps two parts apart', () => {
    expect(logOf({ type: 'text-delta', id: 'a', delta: 'x' }, { type: 'text-delta', id: 'b', delta: 'y' }).take()).toHaveLength(2);
  });

  it('has no reasoning but a block that is not shown', () => {
    const sealed: UiMessageChunk[] = [{ type: 'reasoning-start', id: 'opaque-0-2' }, { type: 'reasoning-end', id: 'opaque-0-2' }];
    expect(logOf({ type: 'reasoning-start', id: 'r' }, { type: 'reasoning-delta', id: 'r', delta: 'x' }, { type: 'reasoning-end', id: 'r' }, ...sealed).take()).toEqual(sealed);
  });

  it('has nothing that makes no part, and nothing that passed by', () => {
    expect(logOf({ type: 'start' }, { type: 'start-step' }, { type: 'reset-step' }, { type: 'data-status', data: 1, transient: true }).take()).toEqual([]);
  });

  it('gives its data alone, where the rest is withdrawn', () => {
    expect(logOf({ type: 'text-start', id: 'a' }, plan).takeData()).toEqual([plan]);
  });

  it('is empty once it was taken or cleared', () => {
    const log = logOf(plan);
    log.clear();
    expect(log.take()).toEqual([]);
    log.add(plan);
    expect([log.take(), log.take()]).toEqual([[plan], []]);
  });
});
