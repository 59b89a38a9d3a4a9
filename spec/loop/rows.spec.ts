import { describe, expect, it } from '@jest/globals';
import { concat, defer, ignoreElements, of } from 'rxjs';
import { errorAsDone, ModelError, toolLoop } from '../../lib/index.ts';
import type { FinishReason } from '../../lib/index.ts';
import { finish, usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';
const u = usage({ inputTokens: 7, outputTokens: 3 });
const busy = (more: object = {}) => new ModelError('model-http', 'Busy.', { status: 503, retryable: true, ...more });
const fails = { streamFailure: 'fail' } as const;
const CUT: readonly FinishReason[] = ['length', 'content-filter', 'refusal'];

// How a model call ends, and what follows: one spec a row of the table in docs/semantics.md, tagged with its number.

// prettier-ignore
describe('a call that succeeded', () => {
  it.each(['stop', 'other'] as const)('row 1: is the answer after "%s" without a call', (reason) => loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-(e|)', { e: finish(reason) });
    const events = '     -t-(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt })).toBe(events)
      .having('z', { finish: reason, toolCalls: 0 })
      .having('L', { reason: 'answer', completion: { text: 'hi', finish: reason } });
    expectSubscriptions(turn1).toBe('^--!');
  })());

  it('row 1: is an answer that says nothing when the model said nothing and stopped', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -k-(z|)');
    const events = '     -k-(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt })).toBe(events)
      .having('L', { reason: 'answer', answer: undefined, messages: [{ role: 'user' }], completion: { text: '', reasoning: 'hm' } });
  }));

  it.each(['tool-use', 'stop', 'other', 'pause'] as const)('row 2: runs its calls after "%s" and goes on', (reason) => loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-c-(e|)       ', { e: finish(reason) });
    const add = tool('        --(1|)    ');
    const turn2 = turn('        --t-(z|) ');
    const events = '     -t-c-y-1-T-(ZL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt })).toBe(events).having('y', { finish: 'tool-use', toolCalls: 1 });
    expectSubscriptions(add).toBe('  -----^-!');
    expectSubscriptions(turn2).toBe('-------^---!');
  })());

  it('row 2: fails right after its step-end over a token budget, with `budgetEnd: "error"`', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' ----tuc-(y|)', { u });
    const add = tool('           (1|)');
    const turn2 = turn('          (z|)');
    const story = '      ----t-c-(y#)';
    const tools = '      --------#   ';

    const events$ = toolLoop({ model: script(turn1, turn2), tools: [add], prompt, budget: { maxTotalTokens: 9 }, policy: { budgetEnd: 'error' } });

    expectEvents(events$).toBe(story, {}, { code: 'budget', message: /used 10 tokens, over budget.maxTotalTokens 9/ }).lane('tools').toBe(tools);
    expectSubscriptions(add).toBe([]);
    expectSubscriptions(turn2).toBe([]);
  }));

  it('row 2: closes the calls in the messages of that error', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -tuc-(y|) ', { u });
    const events = '     -t-c-(yL|)';

    const events$ = toolLoop({ model: script(turn1), tools: [tool('(1|)')], prompt, budget: { maxTotalTokens: 9 }, policy: { budgetEnd: 'error' } });

    expectEvents(events$.pipe(errorAsDone())).toBe(events).having('L', {
      reason: 'error',
      error: { code: 'budget' },
      messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool', results: [{ callId: 'c0', isError: true, error: { kind: 'cancelled' } }] }],
    });
  }));

  it('row 2: closes its calls over a token budget, then is done, with `budgetEnd: "stop"`', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' --tuc-(y|)', { u });
    const add = tool('         (1|)');
    const turn2 = turn('        (z|)');
    const story = '      --t-c-(y1L|)';
    const tools = '      ------(g1|)';

    const events$ = toolLoop({ model: script(turn1, turn2), tools: [add], prompt, budget: { maxTotalTokens: 9 }, policy: { budgetEnd: 'stop' } });

    expectEvents(events$).toBe(story)
      .having('1', { isError: true, error: { kind: 'cancelled', message: 'Not executed: the run has used up its budget.' } })
      .having('L', { reason: 'max-tokens', messages: [{}, { role: 'assistant' }, { role: 'tool' }], answer: undefined })
      .lane('tools').toBe(tools);
    expectSubscriptions(add).toBe([]);
    expectSubscriptions(turn2).toBe([]);
  }));

  it('row 3: stores the turn after "pause" and asks again', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-(p|)        ', { p: finish('pause') });
    const turn2 = turn('    ----t-(z|)  ');
    const events = '     -t-z---T-(ZL|) ';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt })).toBe(events)
      .having('z', { finish: 'pause' })
      .having('L', { reason: 'answer', completion: { text: 'hi' }, messages: [{ role: 'user' }, { role: 'assistant', finish: 'pause' }], answer: { finish: 'stop' } });
    expectSubscriptions(turn2).toBe('---^-----!');
  }));
});

// prettier-ignore
describe('a call that was cut or withheld', () => {
  it.each(CUT)('row 4: closes its calls after "%s": none runs, and the run is done', (reason) => loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' --t-c-(e|)  ', { e: finish(reason) });
    const add = tool('         (1|)  ');
    const story = '      --t-c-(z1L|)';
    const tools = '      ------(g1|) ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt })).toBe(story)
      .having('z', { finish: reason, toolCalls: 1 })
      .having('1', { isError: true, error: { kind: 'cancelled' }, elapsedMs: 0 })
      .having('L', { reason, messages: [{}, { role: 'assistant', finish: reason }, { role: 'tool', results: [{ callId: 'c0', isError: true }] }], answer: undefined })
      .lane('tools').toBe(tools);
    expectSubscriptions(add).toBe([]);
  })());

  it.each(CUT)('row 4: is done with the text that came before "%s"', (reason) => loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -t-(e|)', { e: finish(reason) });
    const events = '     -t-(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, policy: { emptyTruncated: 'error' } })).toBe(events)
      .having('L', { reason, completion: { text: 'hi' }, answer: { content: [{ text: 'hi' }], finish: reason } });
  })());

  it.each(CUT)('row 4: fails after "%s" with nothing said but reasoning, with `emptyTruncated: "error"`', (reason) => loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -k-(e|)', { e: finish(reason) });
    const events = '     -k-(z#)';

    expectEvents(toolLoop({ model: script(turn1), prompt, policy: { emptyTruncated: 'error' } }))
      .toBe(events, {}, { code: 'empty-answer', message: new RegExp(`ended with "${reason}" before anything was said`) })
      .having('z', { finish: reason });
  })());

  it.each(CUT)('row 4: is done after "%s" with nothing said at all, with `emptyTruncated: "accept"`', (reason) => loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' ---(e|)', { e: finish(reason) });
    const events = '     ---(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, policy: { emptyTruncated: 'accept' } })).toBe(events)
      .having('L', { reason, completion: { text: '' }, messages: [{ role: 'user' }], answer: undefined });
  })());

  it('row 4: takes the words of a refusal for something said', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -r-(e|)', { e: finish('refusal') });
    const events = '     -r-(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, policy: { emptyTruncated: 'error' } })).toBe(events)
      .having('L', { reason: 'refusal', completion: { text: '', refusal: 'no' } });
  }));
});

// prettier-ignore
describe('a call that failed', () => {
  it('row 5: fails the run at once when it is fatal, whatever retries are left', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const fatal = new ModelError('model-http', 'The key is wrong.', { status: 401 });
    const turn1 = turn(' -----#', {}, fatal);
    const turn2 = turn('      (z|)');
    const story = '      -----#';
    const frame = '      (Ss)-#';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, retry: { count: 3 } })).toBe(story, {}, { code: 'model-http', message: 'The key is wrong.' })
      .lane('frame').toBe(frame);
    expectSubscriptions(turn1).toBe('^----!');
    expectSubscriptions(turn2).toBe([]);
  }));

  it('row 6: waits and calls again, in the same attempt, when it is transient and nothing was shown', loopMarbles(({ turn, script, expectEvents, expectSubscriptions, time }) => {
    const failing = turn('     -----u-#            ', { u }, busy());
    const initialDelayMs = time('       -----|       ');
    const turn1 = turn('                   -t-(z|)');
    const story = '            -------w-----t-(zL|)';
    const frame = '            (Ss)---w-------(zL|)';

    const events$ = toolLoop({ model: script(failing, turn1), prompt, retry: { count: 2, initialDelayMs, jitter: 0 } });

    expectEvents(events$).toBe(story)
      .having('w', { step: 0, attempt: 1, count: 1, max: 2, delayMs: initialDelayMs, reason: 'Busy.', by: 'loop', retryAfter: undefined })
      .having('z', { attempt: 1, usage: { inputTokens: 7 } })
      .having('L', { steps: [{ attempts: 1 }], usage: { inputTokens: 7 } })
      .lane('frame').toBe(frame);
    expectSubscriptions(failing).toBe('^------!');
    expectSubscriptions(turn1).toBe('  ------------^--!');
  }));

  it.each([
    ['text', '-t-#'], ['reasoning', '-k-#'], ['a refusal', '-r-#'], ['a call', '-c-#'],
  ])('row 7: fails the run when it is transient and %s was shown', (_shown, diagram) => loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(diagram, {}, busy());
    const turn2 = turn('(z|)');
    const add = tool('(1|)');

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, policy: fails, retry: { count: 3 } })).toBe(diagram, {}, { code: 'model-http' });
    expectSubscriptions(turn1).toBe('^--!');
    expectSubscriptions(turn2).toBe([]);
    expectSubscriptions(add).toBe([]);
  })());

  it('row 7: fails the run with the last error when the retries are spent', loopMarbles(({ turn, script, expectEvents, expectSubscriptions, time }) => {
    const failing1 = turn('    -#              ', {}, busy());
    const initialDelayMs = time('--|           ');
    const failing2 = turn('       --#         ', {}, busy());
    const failing3 = turn('             -#    ', {}, new ModelError('model-transport', 'Gone.', { retryable: true }));
    const turn4 = turn('                (z|)');
    const events = '            -w---x---#';

    const events$ = toolLoop({ model: script(failing1, failing2, failing3, turn4), prompt, policy: fails, retry: { count: 2, initialDelayMs, factor: 1.5, jitter: 0 } });

    expectEvents(events$).toBe(events, { w: '0 retry 1/2', x: '0 retry 2/2' }, { code: 'model-transport', message: 'Gone.' });
    expectSubscriptions(failing2).toBe('---^-!');
    expectSubscriptions(failing3).toBe('--------^!');
    expectSubscriptions(turn4).toBe([]);
  }));

  it('row 7: closes what was said in the messages that the error carries', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const open = { type: 'tool-call-start', index: 1, id: 'half', name: 'add' } as const;
    const turn1 = turn(' -t-c-o-k-#', { o: open }, busy());
    const events = '     -t-c---k-(L|)';

    expectEvents(toolLoop({ model: script(turn1), tools: [tool('(1|)')], prompt, policy: fails }).pipe(errorAsDone())).toBe(events).having('L', {
      reason: 'error',
      steps: [],
      messages: [
        { role: 'user' },
        { role: 'assistant', finish: 'error', content: [{ type: 'text', text: 'hi' }, { type: 'tool-call', call: { id: 'c0' } }] },
        { role: 'tool', results: [{ callId: 'c0', isError: true, error: { kind: 'cancelled' } }] },
      ],
    });
  }));

  it('row 7: gives the original error as the cause, untouched', loopMarbles(({ turn, script, expectValues }) => {
    const error = busy({ retryAfterMs: 1 });
    const model = script(turn('-t-#', {}, error));

    const cause$ = toolLoop({ model, prompt, policy: fails }).pipe(ignoreElements());

    expectValues(concat(cause$, defer(() => of('never')))).toBe('---#', {}, expect.objectContaining({ code: 'model-http', cause: error }) as unknown);
  }));
});
