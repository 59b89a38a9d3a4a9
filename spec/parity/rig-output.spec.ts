import { describe, it } from '@jest/globals';
import * as z from 'zod';
import { toolLoop } from '../../lib/index.ts';
import type { Hooks, Tool, ToolLoopOptions } from '../../lib/index.ts';
import { call, text } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// The third engine: structured output by a tool. See rig.spec.ts; the rows are in spec/loop/rows-output.spec.ts.

const output = { schema: z.object({ n: z.number(), unit: z.string() }) };
const options = { prompt: 'go', preset: 'atomic', output } satisfies Partial<ToolLoopOptions>;
const good = { n: 1, unit: 'm' };
const x = call('final_result', good);
const w = call('final_result', { n: 1 });

// prettier-ignore
describe('rig: the output tool', () => {
  it('ends the run with its arguments, and drops the calls beside it [109]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-x-(y|) ', { x });
    const add = tool('        (1|)');
    const events = '     -c-x-(zL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1), tools: [add] })).toBe(events, { x: '0 call final_result', L: 'done output' })
      .having('L', { completion: { json: good, text: '{"n":1,"unit":"m"}', toolCalls: [] }, answer: { content: [{ type: 'text' }] } });
    expectSubscriptions(add).toBe([]);
  }));

  it('is asked for again, once, after plain text [110]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -t-(z|)           ');
    const turn2 = turn('    -----x-(y|)    ', { x });
    const events = '     -t-(zv)-X-(ZL|)   ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2) })).toBe(events, { v: '0 correction output 1/1', X: '1 call final_result', L: 'done output' }).having('L', { completion: { json: good } });
  }));

  it('is asked for again after a call without a field that is required [111]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -w-(y|)            ', { w });
    const turn2 = turn('    ------x-(y|)    ', { x });
    const events = '     -w-(y1v)-X-(ZL|)   ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2) })).toBe(events, { w: '0 call final_result', v: '0 correction output 1/1', X: '1 call final_result', 1: '0 result final_result error', L: 'done output' })
      .having('v', { reason: 'unit: Invalid input: expected string, received undefined.' });
  }));

  it('is not needed where the text is JSON that fits [110]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -j-(z|) ', { j: text('{"n":1,"unit":"m"}') });
    const events = '     -t-(zL|)';

    expectEvents(toolLoop({ ...options, model: script(turn1) })).toBe(events, { L: 'done output' }).having('L', { completion: { json: good } });
  }));

  it('that never fits gives what there is: the text, or the arguments as text [112]', loopMarbles(({ turn, script, expectEvents }) => {
    const said = text('One metre.');
    const texts = script(turn('-j-(z|)', { j: said }), turn('-----j-(z|)', { j: said }));
    const calls = script(turn('-w-(y|)', { w }), turn('------w-(y|)', { w }));
    const letters = { v: '0 correction output 1/1' };

    expectEvents(toolLoop({ ...options, model: texts })).toBe('-t-(zv)-T-(ZL|)', letters).having('L', { reason: 'answer', completion: { text: 'One metre.', json: undefined } });
    expectEvents(toolLoop({ ...options, model: calls })).toBe('-w-(y1v)-W-(ZL|)', { ...letters, w: '0 call final_result', W: '1 call final_result', 1: '0 result final_result error' })
      .having('L', { reason: 'answer', completion: { text: '{"n":1}', json: undefined }, answer: { content: [{ text: '{"n":1}' }] } });
  }));

  it('takes another name where a tool of the user has its own [113]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -w-(y|)            ', { w });
    const own = tool('      --(1|)         ', { name: 'final_result' });
    const turn2 = turn('      --x-(y|)     ', { x: call('final_result_2', good) });
    const events = '     -w-y-1-X-(ZL|)    ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools: [own] })).toBe(events, { w: '0 call final_result', 1: '0 result final_result', X: '1 call final_result_2', L: 'done output' });
    expectSubscriptions(own).toBe('---^-!');
  }));

  it('fails before the call where a tool of its name comes later [113]', loopMarbles(({ turn, tool, script, hot, expectEvents, expectSubscriptions }) => {
    const add = tool('                     -(1|)');
    const tools = hot<Tool[]>('           a--b   ', { a: [add], b: [tool('(2|)', { name: 'final_result' })] });
    const turn1 = turn('                  -c-(y|)');
    const turn2 = turn('(z|)');
    const events = '                      -c-y(1#)';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2), tools })).toBe(events, {}, { code: 'config', message: /has the name "final_result", which the output of the run has/ });
    expectSubscriptions(turn2).toBe([]);
  }));

  it('is asked for anew once real tools have run [114]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const t = text('One metre.');
    const turn1 = turn(' -t-(z|)                       ', { t });
    const turn2 = turn('    -----c-(y|)                ');
    const add = tool('             --(1|)              ');
    const turn3 = turn('             -t-(z|)           ', { t });
    const turn4 = turn('                -----x-(y|)    ', { x });
    const events = '     -t-(zv)-C-Y-3a-(bd)-e-(fL|)   ';

    expectEvents(toolLoop({ ...options, model: script(turn1, turn2, turn3, turn4), tools: [add] }))
      .toBe(events, { v: '0 correction output 1/1', a: '2 text', b: '2 end stop', d: '2 correction output 1/1', e: '3 call final_result', f: '3 end stop', L: 'done output' });
  }));

  it('is not what hooks on tools are asked about', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -x-(y|) ', { x });
    const events = '     -x-(zL|)';
    const hooks: Hooks = { invalidCall: () => ({ type: 'fail' }), beforeTool: () => ({ type: 'block', reason: 'No.' }) };

    expectEvents(toolLoop({ ...options, model: script(turn1), hooks })).toBe(events, { x: '0 call final_result', L: 'done output' });
  }));
});
