import { describe, it } from '@jest/globals';
import { concat, defer, ignoreElements, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { ModelError, toolLoop, userMessage } from '../../lib/index.ts';
import type { LoopEvent, Model } from '../../lib/index.ts';
import { usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';
const asked = userMessage(prompt);
const u = usage({ inputTokens: 7, outputTokens: 3 });
const busy = (more: object = {}) => new ModelError('model-http', 'Busy.', { status: 503, retryable: true, ...more });
const fatal = () => new ModelError('model-http', 'No.', { status: 401 });
const named = <M extends Model>(id: string, model: M): M => ({ ...model, id });

/** What `read` finds once the run is over. */
const after = <T>(run$: Observable<LoopEvent>, read: () => T): Observable<T> => concat(run$.pipe(ignoreElements()), defer(() => of(read())));

// The two further rows that no retry is part of: a list of models, and row 13.

// prettier-ignore
describe('a list of models', () => {
  it('goes on with the next one, in the same attempt, when one fails for good with nothing shown', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -----#        ', {}, fatal());
    const turn2 = turn('      -t-(z|)  ');
    const story = '      -----bt-(zL|)  ';
    const all = '        (Ss)-bt-(fzL|) ';

    expectEvents(toolLoop({ model: [named('a', script(turn1)), named('b', script(turn2))], prompt, retry: { count: 3 } })).toBe(story)
      .having('b', { step: 0, from: 'a', to: 'b', reason: 'No.' })
      .having('z', { attempt: 1 })
      .having('L', { reason: 'answer', steps: [{ attempts: 1, model: 'b' }] })
      .lane('all').toBe(all).having('s', { model: 'a' });
    expectSubscriptions(turn1).toBe('^----!');
    expectSubscriptions(turn2).toBe('-----^--!');
  }));

  it('spends the retries of the one before first; the next has its own', loopMarbles(({ turn, script, expectEvents, time }) => {
    const failing1 = turn('    -#               ', {}, busy());
    const initialDelayMs = time('--|            ');
    const failing2 = turn('       -#            ', {}, busy());
    const failing3 = turn('        -#           ', {}, busy());
    const turn4 = turn('              -t-(z|)   ');
    const events = '            -w--bw--t-(zL|)';
    const models = [named('a', script(failing1, failing2)), named('b', script(failing3, turn4))];

    expectEvents(toolLoop({ model: models, prompt, retry: { count: 1, initialDelayMs, jitter: 0 } })).toBe(events).having('w', { count: 1, max: 1, attempt: 1 });
  }));

  it('is not gone through once something was shown', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-#   ', {}, fatal());
    const turn2 = turn('    (z|)');
    const events = '     -t-#   ';

    expectEvents(toolLoop({ model: [script(turn1), script(turn2)], prompt })).toBe(events, {}, { code: 'model-http' });
    expectSubscriptions(turn2).toBe([]);
  }));

  it('fails with the error of its last one', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -#        ', {}, fatal());
    const turn2 = turn('  -#       ', {}, new ModelError('model-http', 'Not here either.', { status: 404 }));
    const events = '     -b#       ';

    expectEvents(toolLoop({ model: [script(turn1), script(turn2)], prompt })).toBe(events, {}, { code: 'model-http', message: 'Not here either.' });
  }));

  it('leaves out those that cannot serve the run', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -#         ', {}, fatal());
    const turn2 = turn('  (z|)      ');
    const turn3 = turn('  -t-(z|)   ');
    const events = '     -bt-(zL|)  ';
    const models = [named('a', script(turn1)), { ...named('b', script(turn2)), capabilities: [] }, named('c', script(turn3))];

    expectEvents(toolLoop({ model: models, tools: [tool('(1|)')], prompt })).toBe(events).having('b', { from: 'a', to: 'c' });
    expectSubscriptions(turn2).toBe([]);
  }));

  it('stays with the model that it came to', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -#                ', {}, fatal());
    const turn2 = turn('  -c-(y|)          ');
    const add = tool('       --(1|)       ');
    const turn3 = turn('         -t-(z|)   ');
    const events = '     -bc-y-1T-(ZL|)    ';

    expectEvents(toolLoop({ model: [named('a', script(turn1)), named('b', script(turn2, turn3))], tools: [add], prompt })).toBe(events)
      .having('L', { steps: [{ model: 'b' }, { model: 'b' }] });
  }));

  it('counts no further call, and counts what the one before it used', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -u#         ', { u }, fatal());
    const turn2 = turn('   -t-u-(z|)', { u });
    const events = '     --bt---(zL|)';

    expectEvents(toolLoop({ model: [script(turn1), script(turn2)], prompt, budget: { maxSteps: 1 } })).toBe(events)
      .having('z', { usage: { inputTokens: 14, outputTokens: 6, partial: true } })
      .having('L', { usage: { inputTokens: 14, outputTokens: 6, partial: true }, steps: [{ attempts: 1 }] });
  }));

  it('asks the next one the same', loopMarbles(({ turn, script, expectValues }) => {
    const [first, second] = [script(turn('-#', {}, fatal())), script(turn('-t-(z|)'))];
    const over = ' ----(m|)';

    expectValues(after(toolLoop({ model: [first, second], prompt, system: 'Be kind.' }), () => [first, second].map(({ requests: [one] }) => [one?.system, one?.messages])))
      .toBe(over, { m: [['Be kind.', [asked]], ['Be kind.', [asked]]] });
  }));

  it('row 8: gives a withdrawn attempt the next one, at once', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' ----t-#              ');
    const turn2 = turn('       ------t-(z|)   ');
    const story = '      ----t-(eb)--t-(zL|)  ';
    const all = '        (Ss)t-(esb)-t-(fzL|) ';

    const events$ = toolLoop({ model: [named('a', script(turn1)), named('b', script(turn2))], prompt, retry: { count: 3 }, policy: { streamFailure: { retract: 1 } } });

    expectEvents(events$).toBe(story).having('b', { step: 0, from: 'a', to: 'b', reason: 'The stream broke.' }).having('z', { attempt: 2 })
      .lane('all').toBe(all).having('s', { model: 'a' });
    expectSubscriptions(turn2).toBe('------^-------!');
  }));
});

// prettier-ignore
describe('row 13: a call that the run ended itself, because it was told to stop', () => {
  it('before anything came, closes its step without a turn', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('------t-(z|)');
    const abort$ = hot('---x        ');
    const story = '     ---(zL|)    ';

    expectEvents(toolLoop({ model: script(turn1), prompt, abort$ })).toBe(story)
      .having('z', { finish: 'aborted', toolCalls: 0, usage: {} })
      .having('L', { reason: 'aborted', messages: [asked], answer: undefined, steps: [{ finish: 'aborted' }], completion: { text: '', finish: 'aborted' } });
    expectSubscriptions(turn1).toBe('^--!');
  }));

  it('in its body, keeps what was said, answers its calls with errors, and leaves no half of anything', loopMarbles(({ turn, tool, script, hot, expectEvents, expectSubscriptions }) => {
    const o = { type: 'tool-call-start', index: 1, id: 'half', name: 'add' } as const;
    const turn1 = turn(' -t-c-o-k------(y|)', { o });
    const add = tool('(1|)               ');
    const abort$ = hot(' ----------x       ');
    const story = '      -t-c---k--(z1L|)   ';
    const tools = '      ----------(g1|)    ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, abort$ })).toBe(story)
      .having('z', { finish: 'aborted', toolCalls: 1, usage: { partial: true } })
      .having('1', { isError: true, elapsedMs: 0, error: { kind: 'cancelled', message: 'Not executed: the run was stopped.' } })
      .having('L', {
        reason: 'aborted', answer: undefined,
        messages: [
          asked,
          { role: 'assistant', finish: 'aborted', content: [{ type: 'text', text: 'hi' }, { type: 'tool-call', call: { id: 'c0' } }] },
          { role: 'tool', results: [{ callId: 'c0', isError: true }] },
        ],
      })
      .lane('tools').toBe(tools);
    expectSubscriptions(turn1).toBe('^---------!');
    expectSubscriptions(add).toBe([]);
  }));

  it('in the wait before a retry, ends the wait', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions, time }) => {
    const failing = turn('     -u-#             ', { u }, busy());
    const initialDelayMs = time('   -----|         ');
    const turn2 = turn('               (z|)   ');
    const abort$ = hot('       -----x           ');
    const events = '           ---w-(zL|)       ';

    expectEvents(toolLoop({ model: script(failing, turn2), prompt, abort$, retry: { initialDelayMs, jitter: 0 } })).toBe(events)
      .having('z', { finish: 'aborted', attempt: 1, usage: { inputTokens: 7, outputTokens: 3, partial: true } })
      .having('L', { reason: 'aborted', usage: { inputTokens: 7, partial: true } });
    expectSubscriptions(turn2).toBe([]);
  }));

  it('in the wait that follows a withdrawn attempt, closes the new one', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions, time }) => {
    const turn1 = turn('      ----t-#             ');
    const initialDelayMs = time('    ------|         ');
    const turn2 = turn('                  (z|)   ');
    const abort$ = hot('      ----------x           ');
    const events = '          ----t-(ew)(zL|)       ';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, abort$, retry: { initialDelayMs, jitter: 0 }, policy: { streamFailure: { retract: 3 } } })).toBe(events)
      .having('z', { finish: 'aborted', attempt: 2 })
      .having('L', { reason: 'aborted', messages: [asked], answer: undefined, steps: [{ attempts: 2, finish: 'aborted' }] });
    expectSubscriptions(turn2).toBe([]);
  }));

  it('counts for more than a failure of the same tick that comes after it', loopMarbles(({ turn, script, hot, expectEvents }) => {
    const turn1 = turn(' -t-#     ');
    const abort$ = hot(' ---x     ');
    const events = '     -t-(zL|) ';

    expectEvents(toolLoop({ model: script(turn1), prompt, abort$ })).toBe(events).having('z', { finish: 'aborted' });
  }));
});
