import { describe, expect, it } from '@jest/globals';
import { deltaSchema } from '../lib/schema-delta.ts';
import { deltas } from './support/examples.ts';
import { keepsTheLaws } from './support/schema-laws.ts';

for (const delta of Object.values(deltas)) keepsTheLaws(`the delta ${delta.type}`, 'delta', deltaSchema, delta);

describe('deltaSchema', () => {
  it('lets a delta of an unknown type pass, and wants a type', () => {
    expect(deltaSchema.parse({ type: 'tomorrow', block: 7 })).toEqual({ type: 'tomorrow', block: 7 });
    expect(deltaSchema.safeParse({ block: 'b', text: 'x' }).error?.issues[0]?.path).toEqual(['type']);
  });
});
