import { describe, expect, it } from '@jest/globals';
import { ignoreElements } from 'rxjs';
import { ModelError, toolLoop } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';
const busy = (retryAfterMs?: number) => new ModelError('model-http', 'Busy.', { status: 429, retryable: true, ...(retryAfterMs !== undefined && { retryAfterMs }) });
const policy = { streamFailure: 'fail' } as const;
const retries = { w: '0 retry 1/3', x: '0 retry 2/3', b: '0 retry 3/3' };

// Rows 6 and 7 as far as time goes: how long a retry waits, and how long a model may be silent.

// prettier-ignore
describe('row 6: the wait before a retry', () => {
  it('doubles from half a second, three times', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const failing = [turn('#', {}, busy()), turn('#', {}, busy()), turn('#', {}, busy())];
    const turn1 = turn('                     -t-(z|)');
    const events = ' w 499ms x 999ms b 1999ms -t-(zL|)';

    expectEvents(toolLoop({ model: script(...failing, turn1), prompt, random: () => 0 })).toBe(events, retries)
      .having('w', { count: 1, delayMs: 500, retryAfter: undefined })
      .having('x', { count: 2, delayMs: 1000 })
      .having('b', { count: 3, delayMs: 2000 });
    expectSubscriptions(turn1).toBe('3500ms ^--!');
  }));

  it('is shortened by up to a quarter, as chance has it', loopMarbles(({ turn, script, expectEvents }) => {
    const chances = [0.5, 0.999];
    const model = script(turn('#', {}, busy()), turn('#', {}, busy()), turn('-t-(z|)'));
    const events = ' w 437ms x 749ms -t-(zL|)';

    expectEvents(toolLoop({ model, prompt, random: () => chances.shift() ?? 0 })).toBe(events, retries)
      .having('w', { delayMs: 438 })
      .having('x', { delayMs: 750 });
  }));

  it('grows no further than `maxDelayMs`', loopMarbles(({ turn, script, expectEvents }) => {
    const model = script(turn('#', {}, busy()), turn('#', {}, busy()), turn('#', {}, busy()), turn('-t-(z|)'));
    const events = ' w 499ms x 599ms b 599ms -t-(zL|)';

    expectEvents(toolLoop({ model, prompt, random: () => 0, retry: { maxDelayMs: 600 } })).toBe(events, retries);
  }));

  it('is not made when the waits together would pass `maxTotalMs`', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn3 = turn('(z|)');
    const model = script(turn('#', {}, busy()), turn('#', {}, busy()), turn3);
    const events = ' w 499ms #';

    expectEvents(toolLoop({ model, prompt, policy, random: () => 0, retry: { maxTotalMs: 1_499 } })).toBe(events, retries, { code: 'model-http' });
    expectSubscriptions(turn3).toBe([]);
  }));

  it('is as long as the provider asks, whatever chance has', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const failing = turn('-#            ', {}, busy(12_000));
    const turn1 = turn('             -t-(z|)');
    const events = '-w 11999ms -t-(zL|)';

    expectEvents(toolLoop({ model: script(failing, turn1), prompt, random: () => 0.5 })).toBe(events, retries).having('w', { delayMs: 12_000, retryAfter: true });
    expectSubscriptions(failing).toBe('^!');
    expectSubscriptions(turn1).toBe('- 12000ms ^--!');
  }));

  it('begins anew for each step', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const model = script(turn('#', {}, busy()), turn('-c-(y|)'), turn('#', {}, busy()), turn('-t-(z|)'));
    const add = tool('-(1|)');
    const events = ' w 499ms -c-y(1W) 496ms -T-(ZL|)';

    expectEvents(toolLoop({ model, tools: [add], prompt, random: () => 0, retry: { count: 1 } })).toBe(events).having('W', { step: 1, count: 1, delayMs: 500 });
  }));
});

// prettier-ignore
describe('row 7: a wait that is longer than what is left', () => {
  it('is not made: the retries are spent at once, and the error keeps what was asked', loopMarbles(({ turn, script, expectEvents, expectSubscriptions, expectValues }) => {
    const failing1 = turn('-#                     ', {}, busy(10_000));
    const failing2 = turn('            -#         ', {}, busy(5_001));
    const turn3 = turn('                (z|)      ');
    const events = '    -w 9999ms -#';

    expectEvents(toolLoop({ model: script(failing1, failing2, turn3), prompt, policy })).toBe(events, retries, { code: 'model-http', message: 'Busy.' });
    expectSubscriptions(failing2).toBe('- 10000ms ^!');
    expectSubscriptions(turn3).toBe([]);
    expectValues(toolLoop({ model: script(failing1), prompt, policy, retry: { maxTotalMs: 9_999 } }).pipe(ignoreElements()))
      .toBe('-#', {}, expect.objectContaining({ code: 'model-http', cause: expect.objectContaining({ retryAfterMs: 10_000 }) }) as unknown);
  }));
});

// prettier-ignore
describe('rows 6 and 7: a model that is silent for too long', () => {
  it('fails without a sign of life within `firstDeltaMs`', loopMarbles(({ turn, script, expectEvents, expectSubscriptions, time }) => {
    const firstDeltaMs = time('-----|   ');
    const turn1 = turn('       -------t-(z|)');
    const events = '           -----#   ';

    expectEvents(toolLoop({ model: script(turn1), prompt, preset: 'strict', timeouts: { firstDeltaMs } }))
      .toBe(events, {}, { code: 'model-timeout', message: 'marbles script sent nothing within 5 ms (timeouts.firstDeltaMs).' });
    expectSubscriptions(turn1).toBe('   ^----!');
  }));

  it('is called again when nothing was shown and retries are left', loopMarbles(({ turn, script, expectEvents, expectSubscriptions, time }) => {
    const firstDeltaMs = time('  -----|             ');
    const silent = turn('        --------        ');
    const initialDelayMs = time('     --|           ');
    const turn2 = turn('                -t-(z|) ');
    const events = '             -----w--t-(zL|)';

    expectEvents(toolLoop({ model: script(silent, turn2), prompt, timeouts: { firstDeltaMs }, retry: { initialDelayMs, jitter: 0 } })).toBe(events);
    expectSubscriptions(silent).toBe('     ^----!');
    expectSubscriptions(turn2).toBe('      -------^--!');
  }));

  it('takes a ping for a sign of life: `firstDeltaMs` no longer holds', loopMarbles(({ turn, script, expectEvents, time }) => {
    const firstDeltaMs = time('-----|        ');
    const turn1 = turn('      ---a------t-(z|)');
    const events = '          ----------t-(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, preset: 'strict', timeouts: { firstDeltaMs } })).toBe(events);
  }));

  it('fails without a sign of life for `idleMs`, pings counted', loopMarbles(({ turn, script, expectEvents, expectSubscriptions, time }) => {
    const idleMs = time('         ----|    ');
    const turn1 = turn('-t--a---a-------t');
    const events = '    -t----------#    ';

    expectEvents(toolLoop({ model: script(turn1), prompt, preset: 'strict', timeouts: { idleMs } }))
      .toBe(events, {}, { code: 'model-timeout', message: 'marbles script was silent for 4 ms (timeouts.idleMs).' });
    expectSubscriptions(turn1).toBe('^-----------!');
  }));

  it('fails with nothing to show for `stallMs`, whatever pings come', loopMarbles(({ turn, script, expectEvents, expectSubscriptions, time }) => {
    const stallMs = time('   -------|     ');
    const turn1 = turn(' -t-a-a-u-a-t-z|');
    const events = '     -t------#      ';

    expectEvents(toolLoop({ model: script(turn1), prompt, preset: 'strict', timeouts: { stallMs } }))
      .toBe(events, {}, { code: 'model-timeout', message: 'marbles script had nothing to show for 7 ms (timeouts.stallMs).' });
    expectSubscriptions(turn1).toBe('^-------!');
  }));

  it('has no limit on its tools', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c(y|)               ');
    const add = tool('     ---------(1|)    ');
    const turn2 = turn('              -t(z|) ');
    const events = '     -cy--------1T(ZL|)';
    const timeouts = { firstDeltaMs: 3, idleMs: 3, stallMs: 3 };

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, timeouts })).toBe(events);
  }));
});
