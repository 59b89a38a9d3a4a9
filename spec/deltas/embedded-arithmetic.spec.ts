import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { arithmetic } from '../../lib/deltas/embedded-arithmetic.ts';
import { isLoopError } from '../../lib/errors.ts';
import { evaluate } from '../../lib/serve/evaluate.ts';

describe('arithmetic', () => {
  it.each([
    ['What is 17 * 23?', '17 * 23'],
    ['2 plus 3 times 4', '2 + 3 * 4'],
    ['10 divided by 4 minus 1', '10 / 4 - 1'],
    ['6 multiplied by 7', '6 * 7'],
    ['6 x 7', '6 * 7'],
    ['6×7÷2−1', '6 * 7 / 2 - 1'],
    ['7 over 2', '7 / 2'],
    ['is (2+3)*4 even', '(2 + 3) * 4'],
    ['2**10', '2 ^ 10'],
    ['2 to the power of 10', '2 ^ 10'],
    ['2 raised to the power of 10', '2 ^ 10'],
    ['5 squared plus 2 cubed', '5 ^ 2 + 2 ^ 3'],
    ['-5 plus 3', '-5 + 3'],
    ['2 * -3', '2 * -3'],
    ['2 - -3', '2 - -3'],
    ['1,000 + 2,500.5', '1000 + 2500.5'],
    ['$5 * 3', '5 * 3'],
  ])('reads %j', (text, expression) => expect(arithmetic(text)).toBe(expression));

  it.each([
    ['12.5% of 349', '349 * 12.5 / 100'],
    ['12.5 percent of 349', '349 * 12.5 / 100'],
    ['10 - 12.5% of 40', '10 - 40 * 12.5 / 100'],
    ['-50% of 8', '-8 * 50 / 100'],
    ['2 / 50% of 8', '2 / (8 * 50 / 100)'],
    ['2 / -50% of 8', '2 / -(8 * 50 / 100)'],
    ['50% of 20% of 80', '(50 / 100) * (20 / 100) * 80'],
    ['10% of (3 + 4)', '(10 / 100) * (3 + 4)'],
    ['10% of 2^3', '(10 / 100) * 2 ^ 3'],
    ['200 + 10%', '200 + (10 / 100)'],
  ])('takes a share: %j', (text, expression) => expect(arithmetic(text)).toBe(expression));

  it.each([
    ['add 2 and 3', '2 + 3'],
    ['the sum of 1, 2 and -3', '1 + 2 + (-3)'],
    ['Multiply 6 by 7', '6 * 7'],
    ['the product of 2, 3 and 4', '2 * 3 * 4'],
    ['divide 10 by 4', '10 / 4'],
    ['the difference between 10 and 3', '10 - 3'],
    ['subtract 3 from 10', '10 - 3'],
  ])('joins the numbers behind a verb: %j', (text, expression) => expect(arithmetic(text)).toBe(expression));

  it.each([
    ['2+2 4', '2 + 2'],
    ['2 3 + 4', '3 + 4'],
    ['3 + 4 and 5 + 6', '3 + 4'],
    ['2 + 3 -', '2 + 3'],
    ['((2+3) * 4', '(2 + 3) * 4'],
    ['(see 2 + 3)', '2 + 3'],
    ['covid-19 costs 3 * 4', '3 * 4'],
    ['- - 3 + 4', '-3 + 4'],
  ])('takes the first that is whole: %j', (text, expression) => expect(arithmetic(text)).toBe(expression));

  it.each([
    '', 'hello', '42', '-5', '12.5%', 'raise by 10%', '2 +', '+ 3', '()', '(((', '2 * (3 + 4', '(2+3)%', '10 % 3', '2 / 50% of (8)', 'covid-19',
    'on 2024-05-01 at 10:30', 'v1.2.3 - 4', '192.168.0.1', 'how many times', 'add 2', 'divide 1, 2 and 3', '2x + 3y', '3 + (((4', '50% of', '%', 'of',
  ])('finds none in %j', (text) => expect(arithmetic(text)).toBeUndefined());

  it('keeps the value of an expression that is written out', () => {
    const number = fc.integer({ min: 0, max: 99 }).map(String);
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 4 },
        number,
        fc.tuple(tie('expression'), fc.constantFrom('+', '-', '*'), tie('expression')).map((parts) => parts.join('')),
        tie('expression').map((inner) => `(${inner})`),
        tie('expression').map((inner) => `(-${inner})`),
      ),
    }));
    const written = fc.tuple(expression, number).map(([left, right]) => `${left} + ${right}`);
    fc.assert(fc.property(written, (text) => expect(evaluate(arithmetic(text) ?? '')).toEqual(evaluate(text))));
  });

  it('says nothing that the calculator of the command cannot read, whatever stands in the text', () => {
    const token = fc.constantFrom('1', '2.5', '-', '+', '*', '/', '^', '(', ')', '%', 'of', 'and', 'add', 'squared', 'from', ',', '1,000', 'x');
    fc.assert(
      fc.property(fc.array(token, { maxLength: 14 }), fc.constantFrom('', ' '), (tokens, glue) => {
        const expression = arithmetic(tokens.join(glue));
        if (expression === undefined) return;
        try {
          evaluate(expression);
        } catch (error) {
          // Values may be refused, such as a division by zero; the form may not.
          expect(isLoopError(error)).toBe(true);
          expect((error as Error).message).not.toMatch(/^Expected/);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
