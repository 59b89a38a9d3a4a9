import { describe, it } from '@jest/globals';
import { NEVER, of, throwError } from 'rxjs';
import { toolLoop, userMessage } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';

// prettier-ignore
describe('a title', () => {
  it('is made of the first exchange, and told right before the end', loopMarbles(({ turn, script, cold, expectEvents }) => {
    const turn1 = turn(' -t-(z|)     ');
    const port = cold('     ---(a|)  ', { a: 'Hello' });
    const events = '     -t-z--(L|)  ';
    const host = '       ------(a|)  ';

    expectEvents(toolLoop({ model: script(turn1), prompt, title: () => port })).toBe(events).having('L', { reason: 'answer' }).lane('host').toBe(host, { a: 'title "Hello"' });
  }));

  it('may be empty, and is asked only where the conversation had no answer before', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -t-(z|) ');
    const events = '     -t-(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, title: () => undefined })).toBe(events);
    const messages = [userMessage('before'), { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'yes' }] }];
    expectEvents(toolLoop({ model: script(turn(' -t-(z|) ')), messages, prompt, title: () => { throw new Error('asked'); } })).toBe(events);
  }));

  it('that fails is told, and changes nothing', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -t-(z|) ');
    const events = '     -t-(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, title: () => throwError(() => new Error('no')) })).toBe(events).having('L', { reason: 'answer' })
      .lane('host').toBe('---(a|)', { a: 'status "The title port failed: no"' });
  }));

  it('is not waited for once the run is told to stop', loopMarbles(({ turn, script, cold, expectEvents }) => {
    const turn1 = turn(' -t-(z|)  ');
    const abort$ = cold('-----x   ');
    const events = '     -t-z-(L|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, title: () => NEVER, abort$ })).toBe(events).having('L', { reason: 'answer' });
  }));

  it('is not made of a run that did not answer', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -t-(l|) ');
    const events = '     -t-(fL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, title: () => of('never') })).toBe(events, { f: '0 end length' }).having('L', { reason: 'length' }).lane('host').toBe('---|');
  }));
});
