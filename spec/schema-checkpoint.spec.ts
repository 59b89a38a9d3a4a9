import { describe, expect, it } from '@jest/globals';
import type { Checkpoint } from '../lib/checkpoint.ts';
import { CHECKPOINT_VERSION } from '../lib/checkpoint.ts';
import { checkpointSchema } from '../lib/schema-checkpoint.ts';
import { checkpoint } from './support/examples.ts';
import { changed, keepsTheLaws, sent } from './support/schema-laws.ts';

// Messages have laws of their own. The nested checkpoint has no batch, so its laws are those of the outer one.
const [call] = checkpoint.batch.calls;
const nested = { ...call?.nested, messages: [], steps: [], completion: { text: '', toolCalls: [] } };
const small = { ...checkpoint, messages: [], batch: { ...checkpoint.batch, turn: { role: 'assistant', content: [] }, calls: [{ ...call, nested }] } };
keepsTheLaws('the checkpoint', 'checkpoint', checkpointSchema, small);

const nestedAt = ['batch', 'calls', '0', 'nested'];
/** A checkpoint in a checkpoint in a checkpoint. */
const deep = (levels: number): Checkpoint =>
  (levels === 0 ? checkpoint : changed(checkpoint, nestedAt, () => deep(levels - 1))) as Checkpoint;

describe('checkpointSchema', () => {
  it('takes nested checkpoints of any depth', () => {
    expect(checkpointSchema.parse(sent(deep(8)))).toEqual(deep(8));
  });

  it('names a wrong field of a nested one', () => {
    const inner = changed(deep(1), [...nestedAt, ...nestedAt, 'counters', 'calls'], () => 'two');
    expect(checkpointSchema.safeParse(inner).error?.issues.map(({ path }) => path.join('.'))).toEqual(['batch.calls.0.nested.batch.calls.0.nested.counters.calls']);
  });

  it('refuses a version that could not be resumed', () => {
    expect(checkpointSchema.safeParse({ ...checkpoint, version: CHECKPOINT_VERSION }).success).toBe(true);
    expect(checkpointSchema.safeParse({ ...checkpoint, version: CHECKPOINT_VERSION + 1 }).error?.issues[0]?.path).toEqual(['version']);
  });
});
