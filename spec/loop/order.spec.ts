import { describe, it } from '@jest/globals';
import { toolLoop } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';

// prettier-ignore
describe('the order of a run', () => {
  it('streams an answer as it comes, then ends', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -k-t-t-(z|)');
    const events = '     -k-t-t-(zL|)';

    const events$ = toolLoop({ model: script(turn1), prompt });

    expectEvents(events$).toBe(events).having('L', { reason: 'answer', completion: { text: 'hihi', reasoning: 'hm' } });
    expectSubscriptions(turn1).toBe('^------!');
  }));

  it('runs the tool, then asks the model again', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-c-(y|)      ');
    const add = tool('        --(1|)   ');
    const turn2 = turn('        --t-(z|)');
    const events = '     -t-c-y-1-T-(ZL|)';

    const events$ = toolLoop({ model: script(turn1, turn2), tools: [add], prompt });

    expectEvents(events$).toBe(events).having('1', { isError: false, output: '1' });
    expectSubscriptions(turn1).toBe('^----!');
    expectSubscriptions(add).toBe('  -----^-!');
    expectSubscriptions(turn2).toBe('-------^---!');
  }));

  it('answers a call when its tool completes, not when it speaks', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-c-(y|)       ');
    const add = tool('        --1|      ');
    const turn2 = turn('           -t-(z|)');
    const events = '     -t-c-y--1T-(ZL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt })).toBe(events);
    expectSubscriptions(add).toBe('  -----^--!');
  }));

  it('runs two calls of a step one after the other', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-d-(y|)                ');
    const add = tool('        -----(1|)           ');
    const mul = tool('             -----(1|)      ', { name: 'mul' });
    const turn2 = turn('                 ---t-(z|)');
    const events = '     -c-d-y----1----2--T-(ZL|)';
    const batch = '      -----(ghi)(m1j)(n2)-|';

    const events$ = toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt });

    expectEvents(events$).toBe(events).lane('tools').toBe(batch).having('h', { callId: 'd0' }).having('2', { callId: 'd0' });
    expectSubscriptions(add).toBe('  -----^----!');
    expectSubscriptions(mul).toBe('  ----------^----!');
    expectSubscriptions(turn2).toBe('---------------^----!');
  }));

  it('opens and closes each step in the frame in which its model call begins and ends', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' ---c-(y|)        ');
    const add = tool('          --(1|)   ');
    const turn2 = turn('          ---t-(z|)');
    const frame = '      (Ss)-y-s----(ZL|)';

    const events$ = toolLoop({ model: script(turn1, turn2), tools: [add], prompt });

    expectEvents(events$, null, { lane: 'frame' }).toBe(frame);
  }));

  it('emits every event of a run without tools in order', loopMarbles(({ turn, expectEvents, script }) => {
    const turn1 = turn(' ----t-u-(z|)');
    const all = '        (Ss)t-u-(fzL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt }), null, { lane: 'all' }).toBe(all).having('f', { delta: { reason: 'stop' } });
  }));

  it('opens nothing until subscribed, and runs again for a second subscriber', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('       -t-(z|)      ');
    const events$ = toolLoop({ model: script(turn1, turn1), prompt });

    expectEvents(events$, '    ^----------').toBe('-t-(zL|)');
    expectEvents(events$, '    -----^-----').toBe('------t-(zL|)');
    expectSubscriptions(turn1).toBe(['     ^--!', '-----^--!']);
  }));

  it('stops the running tool when the subscriber leaves', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-c-(y|)  ');
    const add = tool('        -----1|');
    const leave = '      -------!   ';
    const events = '     -t-c-y-    ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt }), leave).toBe(events);
    expectSubscriptions(add).toBe('-----^-!');
  }));
});
