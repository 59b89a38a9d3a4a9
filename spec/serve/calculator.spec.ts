import { describe, expect, it } from '@jest/globals';
import { calculator } from '../../lib/serve/calculator.ts';

const calculate = (expression: string): unknown => calculator.run({ expression } as never, {} as never);

describe('calculator', () => {
  it('answers exactly where a float would not', () => {
    expect(calculate('12.5% of 349')).toBe('43.625');
    expect(calculate('0.1 + 0.2')).toBe('0.3');
    expect(calculate('1 / 3')).toBe('1/3, about 0.33333333333333333333 (rounded to 20 digits)');
  });

  it('refuses what it cannot read, so that the model can write it anew', () => {
    expect(() => calculate('2 +')).toThrow(expect.objectContaining({ kind: 'invalid-input' }));
  });

  it('tells the model of its one argument', () => {
    expect(calculator.parameters).toMatchObject({ type: 'object', required: ['expression'] });
  });
});
