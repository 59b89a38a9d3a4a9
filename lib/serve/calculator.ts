import * as z from 'zod';
import { defineTool } from '../index.ts';
import { decimal } from './decimal.ts';
import { evaluate } from './evaluate.ts';

/** Exact arithmetic over fractions: no floating point, nothing evaluated as code. */
export const calculator = defineTool({
  name: 'calculator',
  description: 'Calculates an arithmetic expression exactly: + - * / ^, parentheses, decimals and percent.',
  input: z.object({
    expression: z.string().describe('Such as "12.5% * 349" or "(2 + 3) ^ 4 / 7". 10% is 0.1.'),
  }),
  run: ({ expression }) => decimal(evaluate(expression)),
});
