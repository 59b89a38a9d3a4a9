import { describe, it } from '@jest/globals';
import { toOutcome } from '../../lib/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const event = (type: string, more: object = {}): LoopEvent => ({ type, runId: 'r', step: 0, ...more }) as unknown as LoopEvent;
const outcome = { reason: 'answer' };
const events: Record<string, LoopEvent> = { t: event('delta'), c: event('tool-call'), y: event('step-end'), 1: event('tool-result'), T: event('delta'), Z: event('step-end'), L: event('done', { outcome }) };

// prettier-ignore
describe('toOutcome', () => {
  it('gives what the run came to, and nothing else', loopMarbles(({ cold, expectValues }) => {
    const run = '     -t-c-y-1-T-(ZL|)';
    const expected = '-----------(O|) ';

    expectValues(cold(run, events).pipe(toOutcome())).toBe(expected, { O: outcome });
  }));

  it('fails as the run does, and waits as long as it does', loopMarbles(({ cold, expectValues }) => {
    expectValues(cold('-t-#', events).pipe(toOutcome())).toBe('---#');
    expectValues(cold('-t--', events).pipe(toOutcome())).toBe('----');
  }));
});
