import { describe, it } from '@jest/globals';
import { concat, defer, ignoreElements, of } from 'rxjs';
import * as z from 'zod';
import { errorAsDone, toolLoop, userMessage } from '../../lib/index.ts';
import type { Delta, FinishReason, Model, Policy } from '../../lib/index.ts';
import { call, finish, text, usage } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// How a model call ends, and what follows, where an output is asked for: the output rows of the table in docs/semantics.md.

const prompt = 'go';
const asked = userMessage(prompt);
const output = { schema: z.object({ n: z.number() }) };
const x = call('final_result', { n: 1 });
const w = call('final_result', { n: 'one' });
const j = text('{"n":1}');
const native = (model: Model): Model => ({ ...model, capabilities: [...model.capabilities, 'json-schema'] });
const WRONG = 'n: Invalid input: expected number, received string.';
const labels = { x: '0 call final_result', X: '1 call final_result', v: '0 correction output 1/1', L: 'done output' };

// prettier-ignore
describe('a step that is the output', () => {
  it('row 1: ends the run with the arguments of the output tool; the calls beside it are dropped', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-c-x-(y|)  ', { x });
    const add = tool('          (1|)  ');
    const story = '      -t-c-x-(zL|) ';
    const tools = '      -------|     ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, output })).toBe(story, labels)
      .having('z', { finish: 'stop', toolCalls: 0 })
      .having('L', { completion: { json: { n: 1 }, text: 'hi{"n":1}', toolCalls: [], finish: 'stop' }, answer: { content: [{ text: 'hi' }, { type: 'text', text: '{"n":1}' }] }, messages: [asked] })
      .lane('tools').toBe(tools);
    expectSubscriptions(add).toBe([]);
  }));

  it.each<[how: string, said: Delta]>([['alone', j], ['in one fence', text('Here:\n```json\n{"n":1}\n```\n')]])('row 1: ends the run with a text of JSON, %s, in every mode', (_how, said) => loopMarbles(({ turn, script, expectEvents }) => {
    for (const mode of ['native', 'tool', 'prompt'] as const) {
      const turn1 = turn(' -j-(z|) ', { j: said });
      const events = '     -t-(zL|)';

      expectEvents(toolLoop({ model: script(turn1), prompt, output: { ...output, mode } })).toBe(events).having('L', { completion: { json: { n: 1 } } });
    }
  })());

  it('row 1: has the value that the schema makes of it', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -x-(y|) ', { x });
    const events = '     -x-(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, output: { schema: z.object({ n: z.number().transform((n) => ({ n })) }) } })).toBe(events, labels).having('L', { completion: { json: { n: { n: 1 } } } });
  }));

  it('row 1: is taken over a budget of tokens too', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -xu-(y|) ', { x, u: usage({ inputTokens: 7, outputTokens: 3 }) });
    const events = '     -x--(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, output, budget: { maxTotalTokens: 4 } })).toBe(events, labels);
  }));

  it('row 2: runs real tools as ever, and asks again', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)         ');
    const add = tool('      --(1|)      ');
    const turn2 = turn('      --x-(y|)  ', { x });
    const events = '     -c-y-1-X-(ZL|) ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, output })).toBe(events, { X: '1 call final_result', L: 'done output' }).having('L', { completion: { json: { n: 1 } } });
  }));

  it('row 4: is none where it was cut', loopMarbles(({ turn, script, expectEvents }) => {
    for (const reason of ['length', 'content-filter', 'refusal'] satisfies FinishReason[]) {
      const turn1 = turn(' -j-(e|) ', { j, e: finish(reason) });
      const events = '     -t-(zL|)';

      expectEvents(toolLoop({ model: script(turn1), prompt, output })).toBe(events, { z: `0 end ${reason}` }).having('L', { reason, completion: { json: undefined } });
    }
  }));

  it('is asked for as the model can: by its provider, by a tool, by words', loopMarbles(({ turn, script, expectValues }) => {
    const asks = (change: (model: Model) => Model) => {
      const model = script(turn('-j-(z|)', { j }));
      const run$ = toolLoop({ model: change(model), system: 'Be short.', prompt, output });
      return concat(run$.pipe(ignoreElements()), defer(() => of(model.requests.map((one) => [one.tools.map(({ name }) => name), one.system?.split('\n')[0], one.system?.includes('JSON Schema'), 'output' in one ? one.output?.name : undefined])[0])));
    };
    const over = '---(r|)';

    expectValues(asks(native)).toBe(over, { r: [[], 'Be short.', false, 'final_result'] });
    expectValues(asks((one) => one)).toBe(over, { r: [['final_result'], 'Be short.', false, undefined] });
    expectValues(asks((one) => ({ ...one, capabilities: [] }))).toBe(over, { r: [[], 'Be short.', true, undefined] });
  }));
});

// prettier-ignore
describe('a step that is not the output', () => {
  it('row 11: closes its calls, tells the model where and why, and asks again', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-w-(y|)                ', { w });
    const turn2 = turn('      --------x-(y|)     ', { x });
    const add = tool('        (1|)               ');
    const story = '      -c-x-(y12v)--X-(ZL|)  ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, output })).toBe(story, { ...labels, x: '0 call final_result', 2: '0 result final_result error' })
      .having('1', { isError: true, error: { kind: 'cancelled', message: 'Not executed: the response is not the output that was asked for.' } })
      .having('2', { isError: true, error: { kind: 'invalid-input', message: WRONG } })
      .having('v', { cause: 'output', count: 1, max: 1, reason: WRONG, message: { role: 'user', content: [{ text: `Your answer is not the output that was asked for: ${WRONG} Give the whole output again.` }] } })
      .having('L', { messages: [asked, { role: 'assistant' }, { role: 'tool' }, { role: 'user' }], completion: { json: { n: 1 } } });
    expectSubscriptions(add).toBe([]);
  }));

  it('row 11: tells it so of plain text', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -t-(z|)            ');
    const turn2 = turn('    -----j-(z|)     ', { j });
    const events = '     -t-(zv)-T-(ZL|)    ';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, output })).toBe(events, labels).having('v', { reason: 'the answer is not JSON.' });
  }));

  it('row 11: counts its repairs in a row; a step whose tools ran begins anew', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -t-(z|)                       ');
    const turn2 = turn('    -----c-(y|)                ');
    const add = tool('             --(1|)              ');
    const turn3 = turn('             -t-(z|)           ');
    const turn4 = turn('                -----j-(z|)    ', { j });
    const events = '     -t-(zv)-C-Y-3a-(bd)-e-(fL|)   ';

    expectEvents(toolLoop({ model: script(turn1, turn2, turn3, turn4), tools: [add], prompt, output }))
      .toBe(events, { v: '0 correction output 1/1', a: '2 text', b: '2 end stop', d: '2 correction output 1/1', e: '3 text', f: '3 end stop', L: 'done output' });
  }));

  it.each<[outputFailure: Policy['outputFailure'], story: string]>([['error', '-w-(z#)'], ['accept', '-w-(zL|)']])('row 1: is the end when its repairs are spent, with `outputFailure: "%s"`', (outputFailure, story) => loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn('-w-(y|)', { w });
    const run = expectEvents(toolLoop({ model: script(turn1), prompt, output: { ...output, repairs: 0 }, policy: { outputFailure } }));

    run.toBe(story, { w: '0 call final_result', z: outputFailure === 'error' ? '0 end tool-use' : '0 end stop' }, { code: 'output', message: `The output that was asked for did not come: ${WRONG}` });
    if (outputFailure === 'accept') run.having('L', { reason: 'answer', completion: { text: '{"n":"one"}', json: undefined }, answer: { content: [{ type: 'text', text: '{"n":"one"}' }] }, messages: [asked] });
  })());

  it.each<[outputFailure: Policy['outputFailure'], story: string]>([['error', '-t-(z#)'], ['accept', '-t-(zL|)']])('row 1: a text is the answer, or an error that never holds it, with `outputFailure: "%s"`', (outputFailure, story) => loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn('-t-(z|)', { t: text('My secret.') });
    const run = expectEvents(toolLoop({ model: script(turn1), prompt, output: { ...output, repairs: 0 }, policy: { outputFailure } }));

    run.toBe(story, {}, { code: 'output', message: 'The output that was asked for did not come: the answer is not JSON.' });
    if (outputFailure === 'accept') run.having('L', { reason: 'answer', completion: { text: 'My secret.', json: undefined }, answer: { content: [{ text: 'My secret.' }] } });
  })());

  it('row 1: closes its calls in the messages of that error', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -w-(y|) ', { w });
    const events = '     -w-(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, output: { ...output, repairs: 0 } }).pipe(errorAsDone())).toBe(events, { w: '0 call final_result', z: '0 end tool-use' })
      .having('L', { error: { code: 'output' }, messages: [asked, { role: 'assistant' }, { role: 'tool', results: [{ isError: true }] }] });
  }));

  it('row 11: is repaired only as far as the budget of calls goes', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -t-(z|)  ');
    const events = '     -t-(zvL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, output, budget: { maxSteps: 1 } })).toBe(events, { v: '0 correction output 1/1' }).having('L', { reason: 'max-steps' });
  }));

  it('waits for a schema that answers later, and leaves it with its reader', loopMarbles(({ turn, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('                 -j-(z|)    ', { j });
    const said = cold('                     --(v|)  ', { v: { value: { n: 2 } } });
    const events = '                     -t---(zL|) ';
    const schema = { '~standard': { version: 1, vendor: 'own', validate: () => said as never, jsonSchema: { input: () => ({ type: 'object' }) } } } as const;

    expectEvents(toolLoop({ model: script(turn1), prompt, output: { schema } })).toBe(events).having('L', { completion: { json: { n: 2 } } });
    expectSubscriptions(said).toBe('---^-!');
  }));
});
