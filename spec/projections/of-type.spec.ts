import { describe, it } from '@jest/globals';
import { ofType } from '../../lib/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const event = (type: string): LoopEvent => ({ type, runId: 'r', step: 0 }) as unknown as LoopEvent;
const events: Record<string, LoopEvent> = { t: event('delta'), c: event('tool-call'), y: event('step-end'), 1: event('tool-result'), T: event('delta'), Z: event('step-end'), L: event('done') };

// prettier-ignore
describe('ofType', () => {
  it('keeps the events of one type', loopMarbles(({ cold, expectValues }) => {
    const run = '     -t-c-y-1-T-(ZL|)';
    const expected = '-------1---|    ';

    expectValues(cold(run, events).pipe(ofType('tool-result'))).toBe(expected, events);
  }));

  it('keeps the events of several types', loopMarbles(({ cold, expectValues }) => {
    const run = '     -t-c-y-1-T-(ZL|)';
    const expected = '-----y-----(ZL|)';

    expectValues(cold(run, events).pipe(ofType('step-end', 'done'))).toBe(expected, events);
  }));

  it('keeps nothing for no type, and passes the ending on', loopMarbles(({ cold, expectValues }) => {
    expectValues(cold('-t-#', events).pipe(ofType())).toBe('---#');
    expectValues(cold('-t-|', events).pipe(ofType())).toBe('---|');
  }));

  it('leaves the run when the subscriber leaves', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const run = cold('-t-t-t-', events);
    expectValues(run.pipe(ofType('done')), '---!').toBe('----');
    expectSubscriptions(run).toBe('^--!');
  }));
});
