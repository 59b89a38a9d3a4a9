import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { evaluate } from '../../lib/serve/evaluate.ts';
import type { Rational } from '../../lib/serve/evaluate.ts';

const at = (top: number | bigint, over: number | bigint = 1): Rational => ({ top: BigInt(top), over: BigInt(over) });

describe('evaluate', () => {
  it.each<[string, Rational]>([
    ['0', at(0)],
    ['  7  ', at(7)],
    ['1.50', at(3, 2)],
    ['.5', at(1, 2)],
    ['5.', at(5)],
    ['0.1 + 0.2', at(3, 10)],
    ['1 - 2 - 3', at(-4)],
    ['2 + 3 * 4', at(14)],
    ['(2 + 3) * 4', at(20)],
    ['100 / 10 / 5', at(2)],
    ['1 / 3', at(1, 3)],
    ['6 / -4', at(-3, 2)],
    ['--5', at(5)],
    ['+5', at(5)],
    ['2 * -3', at(-6)],
    ['12.5% * 349', at(349, 8)],
    ['12.5% of 349', at(349, 8)],
    ['10%%', at(1, 1000)],
    ['200 + 10%', at(2001, 10)],
    ['2 ^ 10', at(1024)],
    ['2 ** 10', at(1024)],
    ['2 ^ 3 ^ 2', at(512)],
    ['-2 ^ 2', at(-4)],
    ['(-2) ^ 2', at(4)],
    ['(-2) ^ -3', at(-1, 8)],
    ['2 ^ -2', at(1, 4)],
    ['(2 / 3) ^ 0', at(1)],
    ['0 ^ 0', at(1)],
    ['50% ^ 2', at(1, 4)],
    ['6 × 7 ÷ 2 − 1', at(20)],
    ['12345678901234567890 * 98765432109876543210', at(12345678901234567890n * 98765432109876543210n)],
  ])('%s', (expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  it.each([
    ['', 'Expected a number or "(" at position 1, found the end'],
    ['2 +', 'Expected a number or "(" at position 4, found the end'],
    ['2 3', 'Expected an operator or the end at position 3, found "3"'],
    ['1,000', 'Expected an operator or the end at position 2, found ","'],
    ['(1 + 2', 'Expected ")" at position 7, found the end'],
    ['1 + 2)', 'Expected an operator or the end at position 6, found ")"'],
    ['2 * * 3', 'Expected a number or "(" at position 5, found "*"'],
    ['1.2.3', 'Expected an operator or the end at position 4, found "."'],
    ['process.exit(1)', 'Expected a number or "(" at position 1, found "p"'],
    ['1 + 😀', 'Expected a number or "(" at position 5, found "😀"'],
    ['1 / 0', 'Division by zero at position 3'],
    ['1 / (2 - 2)', 'Division by zero at position 3'],
    ['0 ^ -1', 'Division by zero at position 3'],
    ['2 ^ 0.5', 'The exponent at position 3 must be a whole number from -1000 to 1000'],
    ['2 ^ 1001', 'The exponent at position 3 must be a whole number from -1000 to 1000'],
    ['9 ^ 999 ^ 9', 'The exponent at position 3 must be a whole number'],
    ['((9 ^ 999) ^ 999) ^ 999', 'grows beyond 4000 digits'],
    ['9^999*9^999*9^999*9^999*9^999', 'grows beyond 4000 digits'],
    ['1'.repeat(1_001), 'has 1001 characters; at most 1000'],
  ])('refuses %s', (expression, reason) => {
    expect(() => evaluate(expression)).toThrow(reason);
    expect(() => evaluate(expression)).toThrow(expect.objectContaining({ code: 'tool', kind: 'invalid-input', retryable: false }));
  });

  it('reads the deepest nesting that fits', () => {
    expect(evaluate(`${'('.repeat(499)}7${')'.repeat(499)}`)).toEqual(at(7));
    expect(evaluate(`${'-'.repeat(998)}7`)).toEqual(at(7));
    expect(() => evaluate('('.repeat(1_000))).toThrow('position 1001');
  });

  it('agrees with fractions of bigints, whatever the expression', () => {
    fc.assert(
      fc.property(expressions.tree, ({ text, value }) => {
        if (text.length > 1_000) return;
        if (value === undefined) expect(() => evaluate(text)).toThrow('Division by zero');
        else {
          const found = evaluate(text);
          expect(found.top * value.over).toBe(value.top * found.over);
          expect(found.over > 0n).toBe(true);
          expect(gcd(found.top, found.over)).toBe(1n);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('answers or refuses with an invalid-input error, whatever the text', () => {
    const signs = fc.array(fc.constantFrom(...'0123456789.+-*/^%() of'), { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(signs, fc.string()), (text) => {
        try {
          expect(typeof evaluate(text).top).toBe('bigint');
        } catch (error) {
          expect(error).toMatchObject({ kind: 'invalid-input' });
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

/** An expression and its value, worked out without reducing; no value means that it divides by zero. */
interface Expression {
  readonly text: string;
  readonly value: Rational | undefined;
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b);
}

function both(left: Expression, right: Expression, sign: string, work: (a: Rational, b: Rational) => Rational | undefined): Expression {
  const value = left.value && right.value && work(left.value, right.value);
  return { text: `(${left.text}) ${sign} (${right.text})`, value };
}

const OPERATORS: readonly ((left: Expression, right: Expression) => Expression)[] = [
  (left, right) => both(left, right, '+', (a, b) => ({ top: a.top * b.over + b.top * a.over, over: a.over * b.over })),
  (left, right) => both(left, right, '-', (a, b) => ({ top: a.top * b.over - b.top * a.over, over: a.over * b.over })),
  (left, right) => both(left, right, '*', (a, b) => ({ top: a.top * b.top, over: a.over * b.over })),
  (left, right) =>
    both(left, right, '/', (a, b) => (b.top === 0n ? undefined : { top: a.top * b.over, over: a.over * b.top })),
];

const expressions = fc.letrec<{ number: Expression; tree: Expression }>((tie) => ({
  number: fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.integer({ min: 0, max: 6 })).map(([top, places]) => {
    const digits = String(top).padStart(places + 1, '0');
    const cut = digits.length - places;
    return { text: places === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`, value: { top, over: 10n ** BigInt(places) } };
  }),
  tree: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'tree' },
    tie('number'),
    fc.tuple(tie('tree'), tie('tree'), fc.constantFrom(...OPERATORS)).map(([left, right, operator]) => operator(left, right)),
    tie('tree').map(({ text, value }) => ({ text: `-(${text})`, value: value && { top: -value.top, over: value.over } })),
    tie('tree').map(({ text, value }) => ({ text: `(${text})%`, value: value && { top: value.top, over: value.over * 100n } })),
    tie('tree').map(({ text, value }) => ({
      text: `(${text}) ^ 3`,
      value: value && { top: value.top ** 3n, over: value.over ** 3n },
    })),
  ),
}));
