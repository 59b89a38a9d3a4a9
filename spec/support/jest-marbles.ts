import { expect } from '@jest/globals';
import { loopMarbles as kit } from '../../marbles/index.ts';
import type { LoopMarbles } from '../../marbles/index.ts';

/** The marble kit with jest's equality. */
export const loopMarbles = (body: (marbles: LoopMarbles) => void): (() => void) =>
  kit(body, { assertDeepEqual: (actual, expected) => expect(actual).toEqual(expected) });
