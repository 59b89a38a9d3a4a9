import { describe, expect, it } from '@jest/globals';
import { concat, defer, ignoreElements, of } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { errorAsDone, ModelError, toolLoop } from '../../lib/index.ts';
import type { LoopEvent, Policy, ToolInput, ToolLoopOptions } from '../../lib/index.ts';
import { call, finish, text, usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const options = { prompt: 'go', preset: 'strict' } satisfies Partial<ToolLoopOptions>;

/** What `read` finds once the run is over. */
const after = <T>(run$: Observable<LoopEvent>, read: () => T): Observable<T> => concat(run$.pipe(ignoreElements()), defer(() => of(read())));

/** A schema that accepts whatever there is, and says nothing of it. */
const anything: ToolInput = {
  '~standard': { version: 1, vendor: 'spec', validate: (value) => ({ value }), jsonSchema: { input: () => ({}) } },
};

const numbers: ToolInput = z.object({ a: z.number(), b: z.number() });

/** Ten tokens. */
const ten = { inputTokens: 7, outputTokens: 3 };
const u = usage(ten);

// prettier-ignore
describe('cratefield: preflight and budgets', () => {
  it('refuses a model that cannot call tools before any call [39]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('(z|)');
    const model = { ...script(turn1), capabilities: [] };

    expectEvents(toolLoop({ ...options, model, tools: [tool('(1|)')] }), null, { lane: 'all' })
      .toBe('(S#)', {}, { code: 'unsupported', message: /marbles script cannot call tools, but the run has some \(add\)/ });
    expectSubscriptions(turn1).toBe([]);
  }));

  it('asks the capability of the model that will serve: one that cannot is passed over [41]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -#         ', {}, new ModelError('model-http', 'No.', { status: 404 }));
    const turn2 = turn('  (z|)      ');
    const turn3 = turn('  -t-(z|)   ');
    const events = '     -bt-(zL|)  ';
    const models = [script(turn1), { ...script(turn2), capabilities: [] }, { ...script(turn3), id: 'able' }];

    expectEvents(toolLoop({ ...options, model: models, tools: [tool('(1|)')] })).toBe(events).having('b', { to: 'able' }).having('L', { steps: [{ model: 'able' }] });
    expectSubscriptions(turn2).toBe([]);
  }));

  it('refuses where the model that would serve first cannot, whatever the next ones can [41]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('(z|)');
    const turn2 = turn('(z|)');

    expectEvents(toolLoop({ ...options, model: [{ ...script(turn1), capabilities: [] }, script(turn2)], tools: [tool('(1|)')] })).toBe('#', {}, { code: 'unsupported' });
    expectSubscriptions(turn2).toBe([]);
  }));

  it('makes no call with zero steps, and reports none [45]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('(z|)');
    const run$ = toolLoop({ ...options, model: script(turn1), budget: { maxSteps: 0 } });

    expectEvents(run$, null, { lane: 'all' }).toBe('(S#)', {}, { code: 'budget', message: /maxSteps is 0/ });
    expectEvents(run$.pipe(errorAsDone()), null, { lane: 'all' }).toBe('(SL|)').having('L', { reason: 'error', steps: [], usage: {} });
    expectSubscriptions(turn1).toBe([]);
  }));

  it('makes exactly as many calls as there are steps, a pause counts as one [46]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-(p|)        ', { p: finish('pause') });
    const turn2 = turn('    -c-(y|)     ');
    const add = tool('         --(1|)  ');
    const turn3 = turn('           (z|)');
    const events = '     -t-zC-Y-(3#)  ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2, turn3), tools: [add], budget: { maxSteps: 2 } }))
      .toBe(events, {}, { code: 'budget', message: /maxSteps is 2/ });
    expectSubscriptions(turn2).toBe('---^--!');
    expectSubscriptions(turn3).toBe([]);
  }));

  it('does not count a repeated connection as a further call [46]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions, time }) => {
    const failing = turn(' -#       ');
    const wait = time('     --|     ');
    const turn1 = turn('      -t-(z|)');
    const events = '      -w--t-(zL|)';

    expectEvents(toolLoop({ ...options, model: script(failing, turn1), budget: { maxSteps: 1 }, retry: { count: 1, initialDelayMs: wait, jitter: 0 } })).toBe(events);
    expectSubscriptions(turn1).toBe('---^--!');
  }));

  it.each<[what: string, policy: Partial<Policy>, turn2: string, events: string]>([
    ['a withdrawn attempt', { streamFailure: { retract: 3 } }, '-t-#', '----t-et-#'],
    ['a broken turn that the model is told of', { streamFailure: { feedback: 3 } }, '----t-#', '----t-(zv)T-#'],
  ])('counts %s as a call [46]', (_what, policy, second, events) => loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn3 = turn('(z|)');

    expectEvents(toolLoop({ ...options, model: script('----t-#', second, turn3), policy, budget: { maxSteps: 2 } })).toBe(events, {}, { code: 'model-transport' });
    expectSubscriptions(turn3).toBe([]);
  })());

  it('fails for want of steps with the usage of all of them [47]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -cu-(y|)             ', { u });
    const add = tool('       --(1|)          ');
    const turn2 = turn('       -cu-(y|)       ', { u });
    const events = '     -c--y-1C--Y-(3L|)  ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add], budget: { maxSteps: 2 } }).pipe(errorAsDone()))
      .toBe(events)
      .having('L', { error: { code: 'budget' }, usage: { inputTokens: 14, outputTokens: 6 }, steps: [{ usage: ten }, { usage: ten }] });
  }));

  it('runs the tools of the last permitted step before it fails for want of another [48]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)    ');
    const add = tool('      --(1|) ');
    const events = '     -c-y-(1#)';

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [add], budget: { maxSteps: 1 } })).toBe(events, {}, { code: 'budget' });
    expectSubscriptions(add).toBe('---^-!');
  }));

  it('stops at a token budget before the tools of that step: those of earlier steps ran [49]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -cu-(y|)         ', { u });
    const add = tool('       --(1|)      ');
    const turn2 = turn('         -cu-(y|)', { u });
    const events = '     -c--y-1C--(Y#)';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add], budget: { maxTotalTokens: 19 } }))
      .toBe(events, {}, { code: 'budget', message: /used 20 tokens, over budget.maxTotalTokens 19/ });
    expectSubscriptions(add).toBe('----^-!');
  }));

  it('goes on at an exactly equal token count [50], and returns an answer that is over it [51]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -cu-(y|)         ', { u });
    const add = tool('       --(1|)      ');
    const turn2 = turn('         -tu-(z|)', { u });
    const events = '     -c--y-1T--(ZL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add], budget: { maxTotalTokens: 10 } }))
      .toBe(events)
      .having('L', { reason: 'answer', usage: { inputTokens: 14, outputTokens: 6 } });
    expectSubscriptions(add).toBe('----^-!');
  }));
});

// prettier-ignore
describe('cratefield: arguments and tool failures', () => {
  it('answers a call of an unknown tool with an error and goes on [56]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)         ');
    const turn2 = turn('    -----t-(z|) ');
    const adds = tool('     (1|)        ', { name: 'add_all' });
    const events = '     -c-(y1)-T-(ZL|)';
    const batch = '      ---(g1)---|    ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [adds] })).toBe(events)
      .having('1', { isError: true, error: { kind: 'not-found', message: 'There is no tool "add". Did you mean "add_all"? Available: add_all.' } })
      .lane('tools').toBe(batch);
    expectSubscriptions(adds).toBe([]);
  }));

  it.each(['null', '[1]', '"x"', '3', 'true'])('never gives a tool %s for arguments, even with a schema that would take it [57]', (given) => loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)         ', { c: call('add', given) });
    const turn2 = turn('    -----t-(z|) ');
    const add = tool('      (1|)        ', { input: anything });
    const events = '     -c-(y1)-T-(ZL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add] })).toBe(events)
      .having('1', { isError: true, error: { kind: 'invalid-input' }, call: { arguments: JSON.parse(given), rawArguments: given } });
    expectSubscriptions(add).toBe([]);
  })());

  it('keeps arguments that are not JSON as they are and tells the model [58]', loopMarbles(({ turn, tool, script, expectValues, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)         ', { c: call('add', '{"a": 1,') });
    const turn2 = turn('    -----t-(z|) ');
    const add = tool('      (1|)        ');
    const over = '       ----------(m|) ';
    const model = script(turn1, turn2);
    const text = expect.stringMatching(/^Invalid arguments for tool "add": not valid JSON \(.+\)\. Send one JSON object\.$/);

    expectValues(after(toolLoop({ ...options, model, tools: [add] }), () => model.requests[1]?.messages.slice(1))).toBe(over, {
      m: [
        { role: 'assistant', content: [{ type: 'tool-call', call: { id: 'c0', name: 'add', arguments: '{"a": 1,', rawArguments: '{"a": 1,' } }], finish: 'tool-use' },
        { role: 'tool', results: [{ callId: 'c0', name: 'add', content: [{ type: 'text', text }], isError: true, error: { kind: 'invalid-input', message: text, retryable: false } }] },
      ],
    });
    expectSubscriptions(add).toBe([]);
  }));

  it('never gives a tool arguments against its schema; the model does better in the next step [59]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)               ', { c: call('add', { a: 1, b: 'two' }) });
    const turn2 = turn('    -----c-(y|)       ');
    const add = tool('             --(1|)    ', { input: numbers });
    const turn3 = turn('               --(z|)');
    const events = '     -c-(y1)-C-Y-3-(eL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2, turn3), tools: [add] }))
      .toBe(events, { e: '2 end stop' })
      .having('1', { isError: true, error: { kind: 'invalid-input', message: 'Invalid arguments for tool "add": b: Invalid input: expected number, received string' } })
      .having('3', { isError: false, output: '1' });
    expectSubscriptions(add).toBe('----------^-!');
  }));

  it('makes an error result of a tool that throws, and goes on [62]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)         ');
    const add = tool('      --#         ', { error: new Error('No numbers today.') });
    const turn2 = turn('      --t-(z|) ');
    const events = '     -c-y-1-T-(ZL|) ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [add] })).toBe(events)
      .having('1', { isError: true, content: [{ type: 'text', text: 'No numbers today.' }], error: { kind: 'other' } });
    expectSubscriptions(add).toBe('---^-!');
  }));
});

// prettier-ignore
describe('cratefield: broken streams', () => {
  it('retries nothing once something was shown [118]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-#');
    const turn2 = turn(' (z|)');
    const events = '     -t-#';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), retry: { count: 3 } })).toBe(events, {}, { code: 'model-transport', message: 'The stream broke.' });
    expectSubscriptions(turn1).toBe('^--!');
    expectSubscriptions(turn2).toBe([]);
  }));

  it('gives the deltas before a failure, then the error, and no step-end [125]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' ----t-c-#   ');
    const add = tool('          (1|)');
    const story = '      ----t-c-#   ';
    const frame = '      (Ss)----#   ';

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [add] })).toBe(story).lane('frame').toBe(frame);
    expectSubscriptions(add).toBe([]);
  }));

  it.each([
    ['text', '   -t-|', '-t-#'],
    ['a call', ' -c-|', '-c-#'],
    ['nothing', '---|', '---#'],
  ])('takes an end without finish after %s for a failure, and runs no tool [128]', (_after, diagram, events) => loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const add = tool('(1|)');

    expectEvents(toolLoop({ ...options, model: script(turn(diagram)), tools: [add] })).toBe(events, {}, { code: 'model-transport', message: /ended before its finish/ });
    expectSubscriptions(add).toBe([]);
  })());
});

// prettier-ignore
describe('cratefield: an output that does not fit', () => {
  it('is told to the model once by path and reason, then is an error that has both, and never the output [115]', loopMarbles(({ turn, script, expectEvents }) => {
    const secret = text('{"items":[{"price":"secret"}]}');
    const turn1 = turn(' -j-(z|)            ', { j: secret });
    const turn2 = turn('    -----j-(z|)     ', { j: secret });
    const events = '     -t-(zv)-T-(Z#)     ';
    const output = { schema: z.object({ items: z.array(z.object({ price: z.number() })) }) };
    const reason = 'items[0].price: Invalid input: expected number, received string.';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), output })).toBe(events, { v: '0 correction output 1/1' }, { code: 'output', message: new RegExp(`${reason.replace('[0]', '\\[0\\]')}$`) })
      .having('v', { reason });
  }));
});
