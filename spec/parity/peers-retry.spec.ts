import { describe, expect, it } from '@jest/globals';
import { map } from 'rxjs';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import { ModelError, ofType, toolLoop } from '../../lib/index.ts';
import type { Model, RunError } from '../../lib/index.ts';
import { text, usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// Trying again. The numbers are those of docs/peers.md.

const prompt = 'go';
const status = (code: number) => new ModelError('model-http', `Status ${code}.`, { status: code, retryable: code >= 500 });

// prettier-ignore
describe('a repeated request', () => {
  it('is announced before each wait, with its number, its reason and the wait [#55]', loopMarbles(({ turn, script, time, expectEvents, expectSubscriptions }) => {
    const failing1 = turn('     -#             ', {}, status(503));
    const initialDelayMs = time('--|            ');
    const failing2 = turn('        -#          ', {}, status(503));
    const turn3 = turn('                -t-(z|)');
    const events = '            -w--e----t-(zL|)';

    expectEvents(toolLoop({ model: script(failing1, failing2, turn3), prompt, retry: { initialDelayMs, jitter: 0 } })).toBe(events, { w: '0 retry 1/3', e: '0 retry 2/3' })
      .having('w', { reason: 'Status 503.', delayMs: 2, by: 'loop' }).having('e', { reason: 'Status 503.', delayMs: 4 })
      .having('L', { reason: 'answer', steps: [{ attempts: 1 }] });
    expectSubscriptions(turn3).toBe('--------^--!');
  }));

  it('is made for a stream that fails at its first pull [#58]', loopMarbles(({ turn, script, time, expectEvents }) => {
    const turn1 = turn('         #          ', {}, status(500));
    const initialDelayMs = time('---|       ');
    const turn2 = turn('            -t-(z|) ');
    const events = '             w---t-(zL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, retry: { initialDelayMs, jitter: 0 } })).toBe(events).having('L', { completion: { text: 'hi' } });
  }));

  it('after figures and before the first word loses nothing and says nothing twice [#59]', loopMarbles(({ turn, script, time, expectEvents }) => {
    const u = usage({ inputTokens: 4, outputTokens: 0 });
    const turn1 = turn('      -u-#          ', { u }, status(503));
    const initialDelayMs = time('--|        ');
    const turn2 = turn('           -t-t-(z|)');
    const events = '          ---w--t-t-(zL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, retry: { initialDelayMs, jitter: 0 } })).toBe(events)
      .having('L', { completion: { text: 'hihi' }, usage: { inputTokens: 4, partial: true } });
  }));

  it('is a matter of policy: how often, how long, how much by chance, and for what [#64]', loopMarbles(({ turn, script, expectEvents }) => {
    const failing = () => turn('-#', {}, status(500));
    const turn2 = turn('           -t-(z|)');
    const byHalf = '   -w------t-(zL|)';
    const byAll = '    -w----t-(zL|)';
    const retry = { count: 1, initialDelayMs: 8, jitter: 0.5 };

    expectEvents(toolLoop({ model: script(failing(), turn2), prompt, retry, random: () => 0.5 })).toBe(byHalf).having('w', { delayMs: 6, max: 1 });
    expectEvents(toolLoop({ model: script(failing(), turn2), prompt, retry, random: () => 1 })).toBe(byAll).having('w', { delayMs: 4 });
    expectEvents(toolLoop({ model: script(failing(), turn2), prompt, retry: { ...retry, classify: () => 'fatal' } })).toBe('-#', {}, { code: 'model-http' });
    expectEvents(toolLoop({ model: script(failing(), turn2), prompt, retry: { count: 0 }, policy: { streamFailure: 'fail' } })).toBe('-#', {}, { code: 'model-http' });
  }));
});

// prettier-ignore
describe('an attempt that was seen', () => {
  it('is withdrawn by name before the next one says something else [#61]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn('-x-#          ', { x: text('Hello wor') });
    const turn2 = turn('   ----x-(z|) ', { x: text('Good day') });
    const events = '    -a-e---b-(zL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, policy: { streamFailure: { retract: 1 } }, retry: { count: 0 } })).toBe(events, { a: '0 text "Hello wor"', b: '0 text "Good day"' })
      .having('e', { attempt: 1, blocks: ['text0'] })
      .having('L', { completion: { text: 'Good day' }, answer: { content: [{ text: 'Good day' }] }, messages: [{ role: 'user' }] });
  }));

  it('is followed by the next model of the list [#62]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-t-#           ');
    const turn2 = turn('   -----t-(z|) ');
    const events = '    -t-(eb)-t-(zL|)';
    const first: Model = { ...script(turn1), id: 'first' };
    const second: Model = { ...script(turn2), id: 'second' };

    expectEvents(toolLoop({ model: [first, second], prompt, policy: { streamFailure: { retract: 1 } } })).toBe(events)
      .having('b', { from: 'first', to: 'second', reason: 'The stream broke.' })
      .having('L', { completion: { text: 'hi' }, steps: [{ attempts: 2, model: 'second' }] });
    expectSubscriptions(turn2).toBe('---^------!');
  }));
});

describe('an empty account', () => {
  it('that the stream tells of in the middle is fatal: it is asked once [#56]', async () => {
    let requests = 0;
    const body = 'data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}\n\ndata: {"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}\n\n';
    const fetch = async (): Promise<Response> => (requests++, new Response(body));
    const errors: unknown[] = [];
    const retries: number[] = [];
    await new Promise<void>((resolve) => {
      toolLoop({ model: openaiChat({ model: 'm', fetch }), prompt }).pipe(ofType('retry', 'correction'), map(({ count }) => count)).subscribe({
        next: (count) => retries.push(count),
        complete: resolve,
        error: (error: RunError) => (errors.push(error), resolve()),
      });
    });
    expect([requests, retries]).toEqual([1, []]);
    expect(errors).toMatchObject([{ retryable: false, message: expect.stringContaining('quota') }]);
  });
});
