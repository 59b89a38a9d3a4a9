import { describe, it } from '@jest/globals';
import { toText } from '../../lib/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const said = (step: number, delta: object): LoopEvent => ({ type: 'delta', runId: 'r', step, delta } as LoopEvent);
const event = (type: string): LoopEvent => ({ type, runId: 'r', step: 0 }) as unknown as LoopEvent;
const events: Record<string, LoopEvent> = {
  t: said(0, { type: 'text', block: 'b', text: 't' }),
  T: said(1, { type: 'text', block: 'c', text: 'T' }),
  k: said(0, { type: 'reasoning', block: 'r', text: 'k' }),
  r: said(0, { type: 'refusal', block: 'r', text: 'r' }),
  c: said(0, { type: 'tool-call-start', index: 0, id: 'c', name: 'add' }),
  y: event('step-end'),
  Z: event('step-end'),
  1: event('tool-result'),
  L: event('done'),
  X: event('an-event-of-tomorrow'),
};

describe('toText', () => {
  it.each([
    ['says only the words', '     -k-t-c-y-1-T-(ZL|)', '---t-------T-|'],
    ['leaves refusals out', '     -r-t-(ZL|)', '        ---t-|'],
    ['is empty when nothing was said', '-c-y-1-(ZL|)', '-------|'],
    ['passes errors on', '        -t-c-#', '            -t---#'],
    ['never ends if the run does not', '-t--', '              -t--'],
    ['ignores events that it does not know', '-X-t-(L|)', '   ---t-|'],
  ])('%s', (_name, run, words) =>
    loopMarbles(({ cold, expectValues }) => {
      expectValues(cold(run, events).pipe(toText())).toBe(words);
    })());

  it('leaves the run when the subscriber leaves', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const run = cold('-t-t-t-', events);
    expectValues(run.pipe(toText()), '----!').toBe('-t-t-');
    expectSubscriptions(run).toBe('^---!');
  }));
});
