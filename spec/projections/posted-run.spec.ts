import { describe, expect, it } from '@jest/globals';
import { startOf } from '../../lib/projections/posted-run.ts';

describe('what an answer begins with', () => {
  it('is the start of the run that goes on, under its own id', () => {
    expect(startOf({ runId: 'run_1', answers: {} })).toEqual([{ type: 'run-start', runId: 'run_1', resumed: true }]);
  });

  it('is nothing for a new run, whose log has its start', () => {
    expect(startOf(undefined)).toEqual([]);
  });
});
