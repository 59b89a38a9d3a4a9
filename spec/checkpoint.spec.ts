import { describe, expect, it } from '@jest/globals';
import { CHECKPOINT_VERSION } from '../lib/checkpoint.ts';
import { checkpointSchema } from '../lib/schema.ts';
import { checkpoint } from './support/examples.ts';

describe('CHECKPOINT_VERSION', () => {
  it('is that of the checkpoints that the schema takes', () => {
    expect(checkpointSchema.safeParse({ ...checkpoint, version: CHECKPOINT_VERSION }).success).toBe(true);
    expect(checkpointSchema.safeParse({ ...checkpoint, version: CHECKPOINT_VERSION + 1 }).success).toBe(false);
  });
});
