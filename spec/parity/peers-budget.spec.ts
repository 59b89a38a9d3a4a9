import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { toolLoop, userMessage } from '../../lib/index.ts';
import type { EventOf, Outcome } from '../../lib/index.ts';
import { call, finish, script, text, usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { play } from '../support/play.ts';

// Usage, steps and budgets. The numbers are those of docs/peers.md.

const prompt = 'go';
const u = usage({ inputTokens: 10, outputTokens: 5 });

// prettier-ignore
describe('usage', () => {
  it('of a run that was stopped in its second step is that of the first and what the second had reported [#65]', loopMarbles(({ turn, tool, script, cold, expectEvents }) => {
    const turn1 = turn(' -c-u-(y|)               ', { u });
    const add = tool('        -(1|)              ');
    const turn2 = turn('       -u-t-----(z|)   ', { u: usage({ inputTokens: 20 }) });
    const abort$ = cold('------------x           ');
    const events = '     -c---y1--T--(ZL|)       ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, abort$ })).toBe(events)
      .having('L', { reason: 'aborted', usage: { inputTokens: 30, outputTokens: 5, partial: true }, steps: [{ usage: { inputTokens: 10, partial: undefined } }, { usage: { inputTokens: 20, partial: true } }] });
  }));

  it('is estimated, and said to be, where a budget needs it and a stopped model has reported nothing [#65]', loopMarbles(({ turn, script, cold, expectEvents }) => {
    const turn1 = turn(' -x-----(z|)', { x: text('x'.repeat(40)) });
    const abort$ = cold('---x       ');
    const events = '     -x-(zL|)   ';

    expectEvents(toolLoop({ model: script(turn1), prompt, abort$, budget: { maxTotalTokens: 1_000 } })).toBe(events, { x: '0 text' })
      .having('L', { usage: { inputTokens: 1, outputTokens: 10, partial: true } });
  }));

  it('is told of when a stream is stopped in the middle [#67]', loopMarbles(({ turn, script, cold, expectEvents }) => {
    const turn1 = turn(' -u-t---t-(z|)', { u });
    const abort$ = cold('-----x       ');
    const events = '     ---t-(zL|)   ';

    expectEvents(toolLoop({ model: script(turn1), prompt, abort$ })).toBe(events)
      .having('z', { usage: { inputTokens: 10, outputTokens: 5, partial: true } })
      .having('L', { usage: { inputTokens: 10, outputTokens: 5, partial: true } });
  }));

  it('that a provider leaves out stays out, and is no number that is none [#68]', () => {
    const outcomeOf = (...figures: (ReturnType<typeof usage> | undefined)[]): Outcome => {
      const turns = figures.map((one, n) => of(...(one === undefined ? [] : [one]), ...(n < figures.length - 1 ? [...call('add', {}, { id: `c${n}`, index: 0 }), finish('tool-use')] : [text('hi', 'b'), finish('stop')])));
      return (play(toolLoop({ model: script(...turns), prompt })).events.at(-1) as EventOf<'done'>).outcome;
    };
    expect(outcomeOf(undefined).usage).toEqual({});
    expect(outcomeOf(usage({ outputTokens: 3 })).usage).toEqual({ outputTokens: 3 });
    expect(outcomeOf(usage({ inputTokens: 1, outputTokens: 2 }), usage({ outputTokens: 3 })).usage).toEqual({ inputTokens: 1, outputTokens: 5, partial: true });
    expect(JSON.stringify(outcomeOf(usage({}), u))).not.toMatch(/null|NaN/);
  });
});

// prettier-ignore
describe('the last step that a run may make', () => {
  it('is reserved for an answer: no tool may be called in it, and the model is told so [#70]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn('-c-(y|)        ');
    const add = tool('     -(1|)      ');
    const turn2 = turn('    --t-(z|) ');
    const events = '    -c-y1-T-(ZL|)';
    const model = script(turn1, turn2);
    const run$ = toolLoop({ model, tools: [add], prompt, budget: { maxSteps: 2, lastStep: 'answer' } });

    expectEvents(run$).toBe(events).having('L', { reason: 'max-steps', completion: { text: 'hi' }, answer: { content: [{ text: 'hi' }] } });
  }));

  it('says something to the reader, also where the model would call for ever [#71]', () => {
    const asks = of(...call('add', {}, { id: 'c', index: 0 }), finish('tool-use'));
    const model = script(asks, of(text('So far: 3.', 'b'), ...call('add', {}, { id: 'd', index: 0 }), finish('tool-use')));
    const { events } = play(toolLoop({ model, prompt, budget: { maxSteps: 2, lastStep: 'answer' } }));
    const { outcome } = events.at(-1) as EventOf<'done'>;
    expect(outcome).toMatchObject({ reason: 'max-steps', completion: { text: 'So far: 3.', toolCalls: [] } });
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'none']);
    expect(model.requests[1]?.system).toMatch(/answer now/);
    expect(outcome.messages).not.toContainEqual(userMessage(model.requests[1]?.system ?? ''));
  });
});

// prettier-ignore
describe('a step', () => {
  it('that was cut in the middle of a call says so, and the call does not run [#73]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-t-o-(l|)', { o: { type: 'tool-call-start', index: 0, id: 'half', name: 'add' } });
    const add = tool('       (1|)');
    const events = '    -t---(zL|)';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt })).toBe(events)
      .having('z', { finish: 'length', toolCalls: 0 })
      .having('L', { reason: 'length', completion: { text: 'hi', toolCalls: [], finish: 'length' }, answer: { content: [{ type: 'text' }] } });
    expectSubscriptions(add).toBe([]);
  }));

  it('of text and a call is told to its end when it spends the budget [#74]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-t-c-u-(y|)     ', { u });
    const add = tool('         (1|)     ');
    const events = '    -t-c---(y1L|)   ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, budget: { maxTotalTokens: 14 } })).toBe(events)
      .having('y', { toolCalls: 1, usage: { inputTokens: 10 } })
      .having('1', { isError: true, error: { kind: 'cancelled' } })
      .having('L', { reason: 'max-tokens', messages: [{ role: 'user' }, { content: [{ type: 'text', text: 'hi' }, { type: 'tool-call' }] }, { role: 'tool', results: [{ isError: true }] }] });
    expectSubscriptions(add).toBe([]);
  }));
});
