import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { settle, TABLE } from '../../lib/loop/settle.ts';
import type { CallEnd } from '../../lib/loop/settle.ts';
import { presets } from '../../lib/policy.ts';
import type { Policy } from '../../lib/policy.ts';

const { policy } = presets.strict;
const rest = { stopped: false, fallbackLeft: false, heldOff: false, callLeft: true, failures: 0, calls: 0, overBudget: false } as const;
const stop: CallEnd = { ...rest, finish: 'stop', shown: true, said: true, retryLeft: false };
const broke: CallEnd = { ...rest, failed: 'transient', shown: false, said: false, retryLeft: true };
const feedback = { streamFailure: { feedback: 3 } };
const retract = { streamFailure: { retract: 3 } };

describe('settle', () => {
  it.each<[string, Partial<CallEnd> & object, Partial<Policy>, object]>([
    ['1: stop without a call is the answer', stop, {}, { row: 1, stepEnd: 'reported', calls: 'none', then: 'answer' }],
    ['1: other without a call is the answer', { ...stop, finish: 'other' }, {}, { row: 1, then: 'answer' }],
    ['1: an empty stop is an answer too', { ...stop, said: false }, { emptyTruncated: 'error' }, { row: 1, then: 'answer' }],
    ['2: tool-use runs the calls', { ...stop, finish: 'tool-use', calls: 1 }, {}, { row: 2, stepEnd: 'tool-use', calls: 'run', then: 'batch' }],
    ['2: stop with calls runs them', { ...stop, calls: 2 }, {}, { row: 2, stepEnd: 'tool-use', calls: 'run', then: 'batch' }],
    ['2: other with calls runs them', { ...stop, finish: 'other', calls: 1 }, {}, { row: 2, then: 'batch' }],
    ['2: over the token budget, as an error', { ...stop, calls: 1, overBudget: true }, { budgetEnd: 'error' }, { row: 2, stepEnd: 'tool-use', calls: 'none', then: 'spent' }],
    ['2: over the token budget, as a stop', { ...stop, calls: 1, overBudget: true }, { budgetEnd: 'stop' }, { row: 2, stepEnd: 'tool-use', calls: 'closed', then: 'spent' }],
    ['1: an answer over the token budget is returned', { ...stop, overBudget: true }, {}, { row: 1, then: 'answer' }],
    ['3: pause goes on', { ...stop, finish: 'pause' }, {}, { row: 3, stepEnd: 'reported', then: 'step' }],
    ['4: length ends', { ...stop, finish: 'length' }, {}, { row: 4, stepEnd: 'reported', calls: 'closed', then: 'cut' }],
    ['4: length closes its calls', { ...stop, finish: 'length', calls: 1 }, {}, { row: 4, calls: 'closed', then: 'cut' }],
    ['4: content-filter ends', { ...stop, finish: 'content-filter' }, {}, { row: 4, then: 'cut' }],
    ['4: refusal ends', { ...stop, finish: 'refusal' }, {}, { row: 4, then: 'cut' }],
    ['4: nothing said, accepted', { ...stop, finish: 'length', said: false }, { emptyTruncated: 'accept' }, { row: 4, then: 'cut' }],
    ['4: nothing said, an error', { ...stop, finish: 'length', said: false }, { emptyTruncated: 'error' }, { row: 4, stepEnd: 'reported', then: 'empty' }],
    ['10: a hook withdraws it', { ...stop, verdict: 'retract' }, {}, { row: 10, stepEnd: 'none', calls: 'none', then: 'withdraw' }],
    ['11: a hook corrects it', { ...stop, calls: 1, verdict: 'correct' }, {}, { row: 11, stepEnd: 'reported', calls: 'closed', then: 'amend' }],
    ['11: over a budget nothing is corrected', { ...stop, calls: 1, verdict: 'correct', overBudget: true }, {}, { row: 2, then: 'spent' }],
    ['11: a cut step is corrected too', { ...stop, finish: 'length', verdict: 'correct' }, {}, { row: 11, then: 'amend' }],
    ['12: a hook stops the run', { ...stop, calls: 1, verdict: 'stop' }, {}, { row: 12, stepEnd: 'reported', calls: 'closed', then: 'halted' }],
    ['12: also over a budget', { ...stop, calls: 1, verdict: 'stop', overBudget: true }, {}, { row: 12, then: 'halted' }],
    ['1: the output ends the run, its siblings are dropped', { ...stop, finish: 'tool-use', calls: 2, output: 'good' }, {}, { row: 1, stepEnd: 'reported', calls: 'none', then: 'output' }],
    ['1: also over a budget', { ...stop, calls: 1, overBudget: true, output: 'good' }, { budgetEnd: 'error' }, { then: 'output' }],
    ['11: a wrong output is repaired', { ...stop, output: 'repair' }, {}, { row: 11, stepEnd: 'reported', calls: 'closed', then: 'repair' }],
    ['2: over a budget it is not', { ...stop, calls: 1, overBudget: true, output: 'repair' }, {}, { row: 2, then: 'spent' }],
    ['1: a wrong output fails when the repairs are spent', { ...stop, output: 'spent' }, { outputFailure: 'error' }, { row: 1, then: 'unmet' }],
    ['1: or is accepted as an answer', { ...stop, output: 'spent' }, { outputFailure: 'accept' }, { row: 1, calls: 'none', then: 'accept' }],
    ['13: a stop goes before what anybody says', { ...stop, finish: undefined as never, stopped: true, verdict: 'retract', output: 'good' }, {}, { row: 13, then: 'stopped' }],
    ['5: fatal fails', { ...broke, failed: 'fatal' }, {}, { row: 5, stepEnd: 'none', then: 'fail' }],
    ['6: transient, nothing shown, is repeated', broke, {}, { row: 6, stepEnd: 'none', then: 'retry' }],
    ['7: transient, something shown, fails', { ...broke, shown: true }, {}, { row: 7, stepEnd: 'none', then: 'fail' }],
    ['7: transient, retries spent, fails', { ...broke, retryLeft: false }, {}, { row: 7, then: 'fail' }],
    ['5: fatal goes to the next model', { ...broke, failed: 'fatal', fallbackLeft: true }, {}, { row: 5, stepEnd: 'none', calls: 'none', then: 'fallback' }],
    ['5: transient, retries spent, goes to the next model', { ...broke, retryLeft: false, fallbackLeft: true }, retract, { then: 'fallback' }],
    ['6: transient with a next model is repeated first', { ...broke, fallbackLeft: true }, {}, { row: 6, then: 'retry' }],
    ['5: fatal, something shown, has no next model', { ...broke, failed: 'fatal', shown: true, fallbackLeft: true }, feedback, { row: 5, then: 'fail' }],
    ['7: transient, something shown, has no next model', { ...broke, shown: true, fallbackLeft: true }, {}, { row: 7, then: 'fail' }],
    ['8: transient, something shown, is withdrawn', { ...broke, shown: true }, retract, { row: 8, stepEnd: 'none', calls: 'none', then: 'retract' }],
    ['8: transient, retries spent, is withdrawn', { ...broke, retryLeft: false }, retract, { row: 8, then: 'retract' }],
    ['8: withdrawn twice already', { ...broke, shown: true, failures: 2 }, retract, { row: 8, then: 'retract' }],
    ['7: withdrawn as often as allowed, fails', { ...broke, shown: true, failures: 3 }, retract, { row: 7, then: 'fail' }],
    ['7: no call left to withdraw for, fails', { ...broke, shown: true, callLeft: false }, retract, { row: 7, then: 'fail' }],
    ['7: asked to be left alone, is not withdrawn', { ...broke, shown: true, heldOff: true }, retract, { row: 7, then: 'fail' }],
    ['7: asked to be left alone, is not corrected', { ...broke, retryLeft: false, heldOff: true }, feedback, { row: 7, then: 'fail' }],
    ['6: a wait that can be kept is kept', { ...broke, heldOff: true }, feedback, { row: 6, then: 'retry' }],
    ['5: asked to be left alone, goes to the next model', { ...broke, retryLeft: false, heldOff: true, fallbackLeft: true }, {}, { then: 'fallback' }],
    ['5: fatal is never withdrawn', { ...broke, failed: 'fatal', shown: true }, retract, { row: 5, then: 'fail' }],
    ['9: transient, something shown, is corrected', { ...broke, shown: true, calls: 1 }, feedback, { row: 9, stepEnd: 'error', calls: 'closed', then: 'correct' }],
    ['9: transient, retries spent, is corrected', { ...broke, retryLeft: false }, feedback, { row: 9, then: 'correct' }],
    ['6: nothing shown is repeated before it is corrected', broke, feedback, { row: 6, then: 'retry' }],
    ['7: corrected as often as allowed, fails', { ...broke, shown: true, failures: 3 }, feedback, { row: 7, then: 'fail' }],
    ['7: no call left to correct, fails', { ...broke, shown: true, callLeft: false }, feedback, { row: 7, then: 'fail' }],
    ['7: a limit of none fails', { ...broke, shown: true }, { streamFailure: { feedback: 0 } }, { row: 7, then: 'fail' }],
    ['13: stopped while it spoke', { ...rest, shown: true, said: true, retryLeft: false, stopped: true, calls: 1 }, {}, { row: 13, stepEnd: 'aborted', calls: 'closed', then: 'stopped' }],
    ['13: stopped before anything came', { ...broke, stopped: true }, feedback, { row: 13, then: 'stopped' }],
    ['13: stopped, whatever else holds', { ...stop, finish: 'length', stopped: true, overBudget: true, calls: 2 }, {}, { row: 13, then: 'stopped' }],
  ])('row %s', (_name, end, change, row) => {
    expect(settle(end as CallEnd, { ...policy, ...change })).toMatchObject(row);
  });

  const policies = fc.constantFrom<Policy['streamFailure']>('fail', { feedback: 2 }, { retract: 2 });

  it('has a row for every ending there can be', () => {
    const end = fc.record({
      finish: fc.option(fc.constantFrom('stop', 'length', 'tool-use', 'content-filter', 'refusal', 'pause', 'other'), { nil: undefined }),
      failed: fc.option(fc.constantFrom('fatal', 'transient'), { nil: undefined }),
      stopped: fc.boolean(),
      fallbackLeft: fc.boolean(),
      heldOff: fc.boolean(),
      callLeft: fc.boolean(),
      failures: fc.nat({ max: 3 }),
      shown: fc.boolean(),
      calls: fc.nat({ max: 3 }),
      said: fc.boolean(),
      retryLeft: fc.boolean(),
      overBudget: fc.boolean(),
    });
    fc.assert(fc.property(end, policies, (one, streamFailure) => expect(TABLE).toContain(settle(one as CallEnd, { ...policy, streamFailure }))));
  });

  it('has a use for each of its rows', () => {
    expect(new Set(TABLE.map(({ row }) => row))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]));
  });
});
