import { describe, expect, it } from '@jest/globals';
import { remembered } from '../lib/remembered.ts';

describe('remembered', () => {
  it('makes one result for one object, and another for its equal', () => {
    const asked: object[] = [];
    const copy = remembered((value: { n: number }) => {
      asked.push(value);
      return { ...value };
    });
    const one = { n: 1 };
    const made = copy(one);
    expect(copy(one)).toBe(made);
    expect(copy({ n: 1 })).not.toBe(made);
    expect(asked).toEqual([{ n: 1 }, { n: 1 }]);
  });

  it('keeps nothing of what has thrown', () => {
    let count = 0;
    const make = remembered((_: object) => {
      count += 1;
      if (count === 1) throw new Error('no');
      return count;
    });
    const one = {};
    expect(() => make(one)).toThrow('no');
    expect([make(one), make(one)]).toEqual([2, 2]);
  });
});
