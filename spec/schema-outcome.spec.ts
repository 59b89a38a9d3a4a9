import { describe, expect, it } from '@jest/globals';
import { outcomeSchema } from '../lib/schema-outcome.ts';
import { checkpoint, outcome } from './support/examples.ts';
import { keepsTheLaws } from './support/schema-laws.ts';

const { batch, ...plain } = checkpoint;
// The checkpoint has laws of its own: here it has no batch, and no transcript.
keepsTheLaws('the outcome', 'outcome', outcomeSchema, { ...outcome, checkpoint: { ...plain, messages: [] } });

describe('outcomeSchema', () => {
  it.each(['answer', 'output', 'stopped', 'suspended', 'max-duration', 'repetition'])('knows the reason %s', (reason) => {
    expect(outcomeSchema.safeParse({ ...outcome, reason }).success).toBe(true);
  });

  it('refuses a reason that it does not know', () => {
    expect(outcomeSchema.safeParse({ ...outcome, reason: 'bored' }).error?.issues[0]?.path).toEqual(['reason']);
  });

  it('looks into its checkpoint', () => {
    const bad = { ...outcome, checkpoint: { ...plain, batch: { ...batch, announced: 'yes' } } };
    expect(outcomeSchema.safeParse(bad).error?.issues[0]?.path).toEqual(['checkpoint', 'batch', 'announced']);
  });
});
