import { describe, it } from '@jest/globals';
import { toolLoop, userMessage } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';
const asked = userMessage(prompt);
const words = { a: 'left', b: 'right' };
const [left, right] = [userMessage('left'), userMessage('right')];

// prettier-ignore
describe('wcode: soft cancel', () => {
  it('before a turn makes no request [137]', loopMarbles(({ turn, tool, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)      ');
    const add = tool('      --(1|)   ');
    const turn2 = turn('        (z|)  ');
    const abort$ = hot(' -----x       ');
    const events = '     -c-y-(1L|)   ';

    // In the frame of the result: the signal comes first, and the tool ends within its time of grace.
    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, abort$ })).toBe(events).having('1', { isError: false }).having('L', { reason: 'aborted', steps: [{ step: 0 }] });
    expectSubscriptions(turn2).toBe([]);
  }));

  it('before the first turn makes no request at all [137]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('(z|)');
    const all = '       (SL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, abort$: AbortSignal.abort() }), null, { lane: 'all' }).toBe(all).having('L', { reason: 'aborted', messages: [asked], steps: [] });
    expectSubscriptions(turn1).toBe([]);
  }));

  it('before the first delta leaves no empty turn, and a step that has an end [138]', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' ------t-(z|)');
    const abort$ = hot(' ----x       ');
    const all = '        (Ss)(zL|)   ';

    expectEvents(toolLoop({ model: script(turn1), prompt, abort$ }), null, { lane: 'all' }).toBe(all)
      .having('z', { finish: 'aborted', toolCalls: 0 }).having('L', { reason: 'aborted', messages: [asked], answer: undefined });
    expectSubscriptions(turn1).toBe('^---!');
  }));

  it('in the middle of a stream keeps what was said, as aborted [139]', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-t-----t-(z|)');
    const abort$ = hot(' -----x         ');
    const events = '     -t-t-(zL|)     ';

    expectEvents(toolLoop({ model: script(turn1), prompt, abort$ })).toBe(events)
      .having('L', { reason: 'aborted', completion: { text: 'hihi', finish: 'aborted' }, answer: { role: 'assistant', finish: 'aborted', content: [{ type: 'text', text: 'hihi' }] } });
    expectSubscriptions(turn1).toBe('^----!');
  }));

  it('during tools gives every open call one result, and none two [140]', loopMarbles(({ turn, tool, script, hot, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -c-d-(y|)           ');
    const add = tool('           --(1|)        ');
    const mul = tool('             -----------2', { name: 'mul' });
    const turn2 = turn('                   (z|) ');
    const abort$ = hot('    ----------x         ');
    const graceMs = time('            ---|      ');
    const events = '        -c-d-y-1-----(2L|)  ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt, abort$, timeouts: { graceMs } })).toBe(events)
      .having('1', { isError: false }).having('2', { isError: true, error: { kind: 'cancelled' } })
      .having('L', { reason: 'aborted', messages: [asked, { content: [{}, {}] }, { role: 'tool', results: [{ callId: 'c0', isError: false }, { callId: 'd0', isError: true }] }] });
    expectSubscriptions(mul).toBe('-------^-----!');
    expectSubscriptions(turn2).toBe([]);
  }));
});

// prettier-ignore
describe('wcode: steering and follow-ups', () => {
  it('are read at the start of a turn and at a boundary without tools; a follow-up starts another turn [144]', loopMarbles(({ turn, tool, script, hot, expectEvents }) => {
    const turn1 = turn('   -c-(y|)              ');
    const steering$ = hot('-a                   ', words);
    const followUp$ = hot('--b                  ', words);
    const add = tool('        --(1|)           ');
    const turn2 = turn('        -t-(z|)        ');
    const turn3 = turn('           ---t-(z|)   ');
    const story = '        -c-y-1T-Z--e-(nL|)   ';
    const host = '         -----l--x----|       ';

    expectEvents(toolLoop({ model: script(turn1, turn2, turn3), tools: [add], prompt, steering$, followUp$ })).toBe(story, { e: '2 text', n: '2 end stop' })
      .having('L', { reason: 'answer', messages: [asked, {}, { role: 'tool' }, left, { role: 'assistant' }, right], unread: undefined })
      .lane('host').toBe(host, { l: 'steering "left"', x: 'steering "right"' });
  }));

  it('that nobody has read are handed back [144]', loopMarbles(({ turn, script, hot, expectEvents }) => {
    const turn1 = turn('   -t-----(z|)');
    const steering$ = hot('-a         ', words);
    const followUp$ = hot('--b        ', words);
    const abort$ = hot('   ---x       ');
    const events = '       -t-(zL|)   ';

    expectEvents(toolLoop({ model: script(turn1), prompt, steering$, followUp$, abort$ })).toBe(events).having('L', { reason: 'aborted', unread: { steering: [left], followUp: [right] } });
  }));
});
