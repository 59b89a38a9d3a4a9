import { describe, it } from '@jest/globals';
import { completeToolLoop, toolLoop, toOutcome } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// prettier-ignore
describe('completeToolLoop', () => {
  it('is toolLoop piped to its outcome', loopMarbles(({ turn, tool, script, expectValues, expectSubscriptions, scheduler }) => {
    const turn1 = turn(' -t-c-(y|)      ');
    const add = tool('        --1|      ');
    const turn2 = turn('           -t-(z|)');
    const at = '         -----------(O|)';
    const run = () => ({ model: script(turn1, turn2), tools: [tool('--1|')], prompt: 'go', runId: 'r', scheduler });

    expectValues(completeToolLoop({ ...run(), tools: [add] })).toBe(at, { O: expectAnswer() });
    expectValues(toolLoop(run()).pipe(toOutcome())).toBe(at, { O: expectAnswer() });
    expectSubscriptions(add).toBe('-----^--!');
  }));

  it('leaves the run when the subscriber leaves', loopMarbles(({ turn, script, expectValues, expectSubscriptions }) => {
    const turn1 = turn('-t-t-t-');
    expectValues(completeToolLoop({ model: script(turn1), prompt: 'go' }), '---!').toBe('----');
    expectSubscriptions(turn1).toBe('^--!');
  }));
});

function expectAnswer(): unknown {
  return { asymmetricMatch: (value: { reason?: string; steps?: unknown[] }) => value.reason === 'answer' && value.steps?.length === 2 };
}
