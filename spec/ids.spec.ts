import { describe, expect, it } from '@jest/globals';
import { randomIds } from '../lib/ids.ts';

describe('randomIds', () => {
  it('says what the id is for, and never the same twice', () => {
    const ids = (['run', 'call', 'block'] as const).flatMap((kind) => [randomIds(kind), randomIds(kind)]);
    expect(ids.map((id) => id.replace(/_[0-9a-f]{32}$/, ''))).toEqual(['run', 'run', 'call', 'call', 'block', 'block']);
    expect(new Set(ids).size).toBe(6);
  });

  it('fits into the 40 characters that some providers take', () => {
    expect(randomIds('block').length).toBeLessThanOrEqual(40);
  });
});
