import { describe, expect, it } from '@jest/globals';
import type { Checkpoint } from '../lib/checkpoint.ts';
import { nest, nestingOf, usageAt } from '../lib/nesting.ts';
import type { Nesting } from '../lib/nesting.ts';
import type { ToolContext } from '../lib/tool.ts';
import { toolCall } from '../lib/message.ts';

describe('nest', () => {
  it('ties one context to the run around it, and no other', () => {
    const [context, other] = [{}, {}] as [ToolContext, ToolContext];
    const nesting = { checkpoint: undefined } as Nesting;
    nest(context, nesting);
    expect(nestingOf(context)).toBe(nesting);
    expect(nestingOf(other)).toBeUndefined();
  });
});

describe('usageAt', () => {
  const at = (inputTokens: number | undefined, ...inside: Checkpoint[]): Checkpoint => ({
    ...(inputTokens !== undefined && { usage: { inputTokens } }),
    batch: { calls: inside.map((nested) => ({ call: toolCall('c', 'ask', ''), nested })) },
  }) as unknown as Checkpoint;

  it('is what a run has used, with the runs that wait inside it', () => {
    expect(usageAt(at(1))).toEqual({ inputTokens: 1 });
    expect(usageAt(at(1, at(10, at(100)), at(1000)))).toEqual({ inputTokens: 1111 });
    expect(usageAt(at(undefined, at(10)))).toEqual({ inputTokens: 10 });
  });

  it('is unknown where nothing was reported', () => {
    expect(usageAt(at(undefined))).toBeUndefined();
    expect(usageAt({} as Checkpoint)).toBeUndefined();
  });
});
