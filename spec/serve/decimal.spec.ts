import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decimal } from '../../lib/serve/decimal.ts';
import { evaluate } from '../../lib/serve/evaluate.ts';

describe('decimal', () => {
  it.each([
    ['349 / 8', '43.625'],
    ['0', '0'],
    ['-1 / 2', '-0.5'],
    ['1000', '1000'],
    ['1 / 1000', '0.001'],
    ['2 ^ -20', '0.00000095367431640625'],
    ['1 / 3', '1/3, about 0.33333333333333333333 (rounded to 20 digits)'],
    ['2 / 3', '2/3, about 0.66666666666666666667 (rounded to 20 digits)'],
    ['-2 / 3', '-2/3, about -0.66666666666666666667 (rounded to 20 digits)'],
    ['100 / 3', '100/3, about 33.333333333333333333 (rounded to 20 digits)'],
    ['1 / 300', '1/300, about 0.0033333333333333333333 (rounded to 20 digits)'],
    ['10 ^ 20 / 3', '100000000000000000000/3, about 33333333333333333333 (rounded to 20 digits)'],
    ['1 / 7', '1/7, about 0.14285714285714285714 (rounded to 20 digits)'],
  ])('%s is %s', (expression, text) => {
    expect(decimal(evaluate(expression))).toBe(text);
  });

  it('says that a long value is rounded instead of writing all of it', () => {
    expect(decimal(evaluate('1.0041667 ^ 360'))).toMatch(/^about 4\.467\d{16} \(rounded to 20 digits\)$/);
    expect(decimal(evaluate('(2 / 3) ^ 900'))).toMatch(/^about 0\.0+\d{20} \(rounded to 20 digits\)$/);
  });

  it('writes every decimal that it writes exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 0, max: 40 }), (top, places) => {
        const value = evaluate(`(${top}) / 10 ^ ${places}`);
        const text = decimal(value);
        expect(text).toMatch(/^-?\d+(\.\d*[1-9])?$/);
        expect(evaluate(text)).toEqual(value);
      }),
    );
  });

  it('rounds to the nearest 20 digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.bigInt({ min: 1n, max: 10n ** 12n }), (top, over) => {
        const about = /about ([\d.]+) /.exec(decimal(evaluate(`${top} / ${over}`)))?.[1];
        if (about === undefined) return;
        const rounded = evaluate(about);
        const [off, scale] = [top * rounded.over - rounded.top * over, over * rounded.over];
        const places = about.split('.')[1]?.length ?? 0;
        expect(2n * (off < 0n ? -off : off) * 10n ** BigInt(places) <= scale).toBe(true);
        expect(about.replace('.', '').replace(/^0+/, '')).toHaveLength(20);
      }),
    );
  });
});
