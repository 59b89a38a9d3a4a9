import { describe, expect, it } from '@jest/globals';
import { concat, defer, ignoreElements, map, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { errorAsDone, ModelError, ofType, toolLoop, userMessage } from '../../lib/index.ts';
import type { Budget, LoopEvent, ModelRequest } from '../../lib/index.ts';
import { usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';
const asked = userMessage(prompt);
const u = usage({ inputTokens: 7, outputTokens: 3 });
const ten = { inputTokens: 7, outputTokens: 3 };
const price = { input: 1_000_000, output: 1_000_000 };
const busy = () => new ModelError('model-http', 'Busy.', { status: 503, retryable: true });

/** What `read` finds once the run is over. */
const after = <T>(run$: Observable<LoopEvent>, read: () => T): Observable<T> => concat(run$.pipe(ignoreElements()), defer(() => of(read())));

// prettier-ignore
describe('lastStep: "answer"', () => {
  const budget = { maxSteps: 2, lastStep: 'answer' } as const;
  const asks = ({ requests }: { readonly requests: readonly ModelRequest[] }) => requests.map(({ system, toolChoice, messages, tools }) => [system, toolChoice, messages.length, tools.length]);

  it('asks the last permitted call for an answer: without tools, and told so in a line that nobody keeps', loopMarbles(({ turn, tool, script, expectValues }) => {
    const model = script(turn('-c-(y|)'), turn('-t-(z|)'));
    const add = tool('           -(1|)         ');
    const over = '               -------(r|)   ';
    const line = 'This is the last step: answer now with what you have. No tool can be called any more.';

    expectValues(after(toolLoop({ model, tools: [add], prompt, system: 'Be kind.', budget }), () => asks(model)))
      .toBe(over, { r: [['Be kind.', 'auto', 1, 1], [`Be kind.\n\n${line}`, 'none', 3, 1]] });
  }));

  it('says the line alone where there is no system text', loopMarbles(({ turn, script, expectValues }) => {
    const model = script(turn('-t-(z|)'));

    expectValues(after(toolLoop({ model, prompt, budget: { ...budget, maxSteps: 1 } }), () => asks(model))).toBe('---(r|)', { r: [[expect.stringMatching(/^This is the last step/), 'none', 1, 0]] });
  }));

  it('is done with that answer, and says that the steps were used up', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)          ');
    const add = tool('      -(1|)        ');
    const turn2 = turn('       -t-(z|)    ');
    const events = '     -c-y1T-(ZL|)      ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, budget })).toBe(events)
      .having('L', { reason: 'max-steps', completion: { text: 'hi' }, answer: { content: [{ text: 'hi' }] }, messages: [asked, { role: 'assistant' }, { role: 'tool' }] });
  }));

  it('ignores the calls that the model makes all the same', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-c-(y|) ');
    const add = tool('(1|)        ');
    const story = '      -t-c-(zL|)';
    const tools = '      -----|    ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, budget: { ...budget, maxSteps: 1 } })).toBe(story, { z: '0 end tool-use' })
      .having('z', { toolCalls: 0 })
      .having('L', { reason: 'max-steps', completion: { text: 'hi', toolCalls: [] }, answer: { content: [{ type: 'text', text: 'hi' }] } })
      .lane('tools').toBe(tools);
    expectSubscriptions(add).toBe([]);
  }));

  it('is not kept where the run answers sooner', loopMarbles(({ turn, script, expectEvents }) => {
    expectEvents(toolLoop({ model: script(turn('-t-(z|)')), prompt, budget })).toBe('-t-(zL|)').having('L', { reason: 'answer' });
  }));

  it('fails with the error of its stream where that breaks', loopMarbles(({ turn, script, expectEvents }) => {
    expectEvents(toolLoop({ model: script(turn('-t-#')), prompt, budget: { ...budget, maxSteps: 1 } })).toBe('-t-#', {}, { code: 'model-transport' });
  }));
});

// prettier-ignore
describe('warnAt', () => {
  const warned = (run$: Observable<LoopEvent>) => run$.pipe(ofType('status'), map((event) => event.text));

  it('says so once for a budget, before the step that begins with that share used', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const model = script(turn('-c-(y|)'), turn('-c-(y|)'), turn('-c-(y|)'), turn('-t-(z|)'));
    const add = tool('-(1|)');
    const host = '   --------x------|';

    expectEvents(toolLoop({ model, tools: [add], prompt, budget: { maxSteps: 4, warnAt: 0.5 } }), null, { lane: 'host' }).toBe(host, { x: 'status "budget.maxSteps: 2 of 4 used."' });
  }));

  it.each<[string, Budget, string]>([
    ['maxSteps', { maxSteps: 2 }, 'budget.maxSteps: 1 of 2 used.'],
    ['maxTotalTokens', { maxTotalTokens: 20 }, 'budget.maxTotalTokens: 10 of 20 used.'],
    ['maxCostUsd', { maxCostUsd: 20 }, 'budget.maxCostUsd: 10 of 20 used.'],
    ['contextLimit', { contextLimit: 0.2 }, 'budget.contextLimit: 0.1 of 0.2 used.'],
    ['repetition', { repetition: 2 }, 'budget.repetition: 1 of 2 used.'],
    ['maxToolCalls', { maxToolCalls: 2 }, 'budget.maxToolCalls: 1 of 2 used.'],
  ])('knows %s', (_name, budget, text) => loopMarbles(({ turn, tool, script, expectValues }) => {
    const model = { ...script(turn('-cu-(y|)', { u }), turn('-t-(z|)')), price, contextWindow: 100 };
    const add = tool('        -(1|)        ');

    expectValues(warned(toolLoop({ model, tools: [add], prompt, budget: { ...budget, warnAt: 0.5 } }))).toBe('-----x--|', { x: text });
  })());

  it('says so of maxDurationMs the moment that share of it has passed', loopMarbles(({ turn, tool, script, expectEvents, time }) => {
    const turn1 = turn('         -c-(y|)       ');
    const add = tool('              ----(1|)  ');
    const turn2 = turn('                -(z|)  ');
    const half = time('          -----|        ');
    const host = '               -----x--|      ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, budget: { maxDurationMs: 2 * half, warnAt: 0.5 } }), null, { lane: 'host' })
      .toBe(host, { x: 'status "budget.maxDurationMs: 5 of 10 used."' });
  }));

  it('says nothing by default', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const model = script(turn('-c-(y|)'), turn('-t-(z|)'));

    expectEvents(toolLoop({ model, tools: [tool('-(1|)')], prompt, budget: { maxSteps: 2 } }), null, { lane: 'host' }).toBe('-------|');
  }));
});

// prettier-ignore
describe('what a run has used', () => {
  const partial = { ...ten, partial: true };

  it('counts an exchange that was retried in its step', loopMarbles(({ turn, script, expectEvents, time }) => {
    const failing = turn('     -u-#          ', { u }, busy());
    const initialDelayMs = time('   --|         ');
    const turn2 = turn('             -tu-(z|)', { u });
    const events = '           ---w--t--(zL|)';
    const sum = { inputTokens: 14, outputTokens: 6, partial: true };

    expectEvents(toolLoop({ model: script(failing, turn2), prompt, retry: { initialDelayMs, jitter: 0 } })).toBe(events)
      .having('z', { usage: sum }).having('L', { usage: sum, steps: [{ attempts: 1, usage: sum }] });
  }));

  it('counts a withdrawn attempt in the record of its step, not in the step-end of the next attempt', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -tu-#          ', { u });
    const turn2 = turn('     -tu-(z|)   ', { u });
    const events = '     -t--et--(zL|)';
    const sum = { inputTokens: 14, outputTokens: 6, partial: true };

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, retry: { count: 0 }, policy: { streamFailure: { retract: 1 } } })).toBe(events)
      .having('e', { usage: partial }).having('z', { usage: { ...ten, partial: undefined } }).having('L', { usage: sum, steps: [{ attempts: 2, usage: sum }] });
  }));

  it('counts a broken step, and one that was stopped', loopMarbles(({ turn, script, hot, expectEvents }) => {
    const turn1 = turn(' -tu-#            ', { u });
    const turn2 = turn('     ----tu-----  ', { u });
    const abort$ = hot(' -----------x     ');
    const events = '     -t--(zv)T--(ZL|) ';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, abort$ })).toBe(events)
      .having('z', { usage: partial }).having('Z', { usage: partial })
      .having('L', { reason: 'aborted', usage: { inputTokens: 14, outputTokens: 6, partial: true }, steps: [{ usage: partial }, { usage: partial }] });
  }));

  it('counts a failed run, in its error', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -tu-#  ', { u });

    expectEvents(toolLoop({ model: script(turn1), prompt, preset: 'strict' }).pipe(errorAsDone())).toBe('-t--(L|)').having('L', { usage: partial });
  }));

  it('flags what a broken exchange did not report, and does not make it zero', loopMarbles(({ turn, script, expectEvents }) => {
    const model = script('----t-#', turn('----tu-(z|)', { u }));

    expectEvents(toolLoop({ model, prompt })).toBe('----t-(zv)T--(ZL|)')
      .having('z', { usage: { partial: true, inputTokens: undefined } })
      .having('L', { usage: partial });
  }));

  it('adds up to what the run has cost so far', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const model = { ...script(turn('-cu-(y|)', { u }), turn('-tu-(z|)', { u })), price };

    expectEvents(toolLoop({ model, tools: [tool('-(1|)')], prompt })).toBe('-c--y1T--(ZL|)')
      .having('y', { costUsd: 10, usage: { costUsd: 10 } }).having('Z', { costUsd: 20, usage: { costUsd: 10 } }).having('L', { usage: { costUsd: 20 } });
  }));
});
