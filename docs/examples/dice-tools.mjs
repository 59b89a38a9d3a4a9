// Tools for the command, one an export:
//
//   rx-tool-loop run "Roll 3 dice with 20 sides" --tools docs/examples/dice-tools.mjs

import { defineTool } from 'rx-tool-loop';
import * as z from 'zod';

export const rollDice = defineTool({
  name: 'roll_dice',
  description: 'Rolls dice and adds them up.',
  input: z.object({
    count: z.int().min(1).max(100).describe('How many dice.'),
    sides: z.int().min(2).max(1_000).describe('Sides of each die.'),
  }),
  run: ({ count, sides }) => {
    const rolls = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides));
    return { rolls, total: rolls.reduce((sum, roll) => sum + roll, 0) };
  },
});
