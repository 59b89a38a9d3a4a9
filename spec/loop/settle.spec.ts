import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { settle, TABLE } from '../../lib/loop/settle.ts';
import type { CallEnd } from '../../lib/loop/settle.ts';
import { presets } from '../../lib/policy.ts';
import type { Policy } from '../../lib/policy.ts';

const { policy } = presets.strict;
const stop: CallEnd = { finish: 'stop', shown: true, calls: 0, said: true, retryLeft: false, overBudget: false };
const broke: CallEnd = { failed: 'transient', shown: false, calls: 0, said: false, retryLeft: true, overBudget: false };

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
    ['5: fatal fails', { ...broke, failed: 'fatal' }, {}, { row: 5, stepEnd: 'none', then: 'fail' }],
    ['6: transient, nothing shown, is repeated', broke, {}, { row: 6, stepEnd: 'none', then: 'retry' }],
    ['7: transient, something shown, fails', { ...broke, shown: true }, {}, { row: 7, stepEnd: 'none', then: 'fail' }],
    ['7: transient, retries spent, fails', { ...broke, retryLeft: false }, {}, { row: 7, then: 'fail' }],
  ])('row %s', (_name, end, change, row) => {
    expect(settle(end as CallEnd, { ...policy, ...change })).toMatchObject(row);
  });

  it('has a row for every ending there can be', () => {
    const end = fc.record({
      finish: fc.option(fc.constantFrom('stop', 'length', 'tool-use', 'content-filter', 'refusal', 'pause', 'other'), { nil: undefined }),
      failed: fc.option(fc.constantFrom('fatal', 'transient'), { nil: undefined }),
      shown: fc.boolean(),
      calls: fc.nat({ max: 3 }),
      said: fc.boolean(),
      retryLeft: fc.boolean(),
      overBudget: fc.boolean(),
    });
    fc.assert(fc.property(end, (one) => expect(TABLE).toContain(settle(one as CallEnd, policy))));
  });

  it('has a use for each of its rows', () => {
    expect(new Set(TABLE.map(({ row }) => row))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7]));
  });
});
