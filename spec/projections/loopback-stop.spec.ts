import { describe, expect, it } from '@jest/globals';
import type { Reason } from '../../lib/index.ts';
import { loopbackStop } from '../../lib/projections/loopback-stop.ts';

describe('loopbackStop', () => {
  it.each<[string, Reason[], string | undefined]>([
    ['nothing of a normal end', ['answer', 'output', 'stopped', 'suspended'], undefined],
    ['max-tokens of too many tokens', ['length', 'max-tokens', 'context-full'], 'max-tokens'],
    ['max-turn-requests of every other limit', ['max-steps', 'max-cost', 'max-duration', 'repetition'], 'max-turn-requests'],
    ['refusal of an answer that is withheld', ['refusal', 'content-filter'], 'refusal'],
    ['cancelled of a stop from outside', ['aborted'], 'cancelled'],
    ['error of a failure', ['error'], 'error'],
    ['nothing of a reason of tomorrow', ['moon-phase' as Reason], undefined],
  ])('says %s', (_name, reasons, hint) => {
    expect(reasons.map(loopbackStop)).toEqual(reasons.map(() => hint));
  });
});
