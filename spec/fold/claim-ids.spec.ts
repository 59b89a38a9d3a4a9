import { describe, expect, it } from '@jest/globals';
import { claimIds } from '../../lib/fold/claim-ids.ts';
import type { Ids } from '../../lib/ids.ts';

function counted(): Ids {
  let count = 0;
  return (kind) => `${kind}${++count}`;
}

describe('claimIds', () => {
  it("keeps a provider's id that is new", () => {
    expect(claimIds(counted()).call('abc')).toBe('abc');
  });

  it('replaces an empty id', () => {
    expect(claimIds(counted()).call('')).toBe('call1');
  });

  it('replaces an id that was used before, also one that it made itself', () => {
    const claims = claimIds(counted());
    expect([claims.call('a'), claims.call('a'), claims.call('call1')]).toEqual(['a', 'call1', 'call2']);
  });

  it('knows the ids of the input messages', () => {
    expect(claimIds(counted(), ['a', 'b']).call('b')).toBe('call1');
  });

  it('counts calls and blocks apart', () => {
    const claims = claimIds(counted());
    expect([claims.call('x'), claims.block('x'), claims.block('x')]).toEqual(['x', 'x', 'block1']);
  });

  it('tells ids apart by a number when the port repeats itself, instead of hanging', () => {
    const claims = claimIds(() => 'same');
    expect([claims.call(''), claims.call(''), claims.call('')]).toEqual(['same', 'same-2', 'same-3']);
  });

  it('makes an id even when the port gives an empty one', () => {
    const claims = claimIds(() => '');
    expect(claims.call('')).toBe('-2');
    expect(claims.call('')).toBe('-3');
  });
});

describe('the ids of a resumed run', () => {
  it('begin with those that the run before it has used', () => {
    const first = claimIds(counted());
    first.call('a');
    first.block('x');
    first.block('');
    const { calls, blocks } = first.taken();
    expect([calls, blocks]).toEqual([['a'], ['x', expect.any(String)]]);
    const next = claimIds(() => 'new', calls, blocks);
    expect([next.call('a'), next.block('x'), next.call('b')]).toEqual(['new', 'new', 'b']);
    expect(first.taken()).toEqual({ calls, blocks });
  });
});
