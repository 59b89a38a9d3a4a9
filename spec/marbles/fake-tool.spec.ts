import { describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { toolLoop, ToolError } from '../../lib/index.ts';
import { fakeTool } from '../../marbles/index.ts';
import type { DrawnTool } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';

// prettier-ignore
describe('fakeTool', () => {
  it('is called add and takes any object', () => {
    const { name, description, parameters, input } = fakeTool(of(1));
    const refused = { issues: [{ message: 'Expected an object.' }] };

    expect({ name, description, parameters }).toEqual({ name: 'add', description: 'A fake add.', parameters: { type: 'object' } });
    expect(input['~standard'].validate({ a: 1 })).toEqual({ value: { a: 1 } });
    expect([null, [], 'a', 1].map((value) => input['~standard'].validate(value))).toEqual([refused, refused, refused, refused]);
  });

  it('has the traits that it was given, and no other', () => {
    const title = (): string => 'Adds';
    const traits = { needsApproval: true, runsOn: 'client', eager: true, kind: 'execute', title } as const;

    expect(fakeTool(of(1), traits)).toMatchObject(traits);
    expect(Object.keys(fakeTool(of(1)))).not.toEqual(expect.arrayContaining(['needsApproval']));
    expect(fakeTool(of(1), { parallelSafe: true, timeoutMs: 5 })).toMatchObject({ parallelSafe: true, timeoutMs: 5 });
  });

  it('keeps the arguments and the context of each call', () => {
    let add: DrawnTool | undefined;
    loopMarbles(({ turn, tool, script, expectEvents }) => {
      const turn1 = turn(' -c-c-(y|)         ');
      add = tool('              --(1|)    ');
      const turn2 = turn('           --t-(z|)');
      const events = '     -c-d-y-1-2-T-(ZL|)';

      expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt })).toBe(events);
    })();

    expect(add?.calls).toEqual([{ a: 1, b: 2 }, { a: 1, b: 2 }]);
    expect(add?.contexts.map(({ callId, step }) => [callId, step])).toEqual([['c0', 0], ['c0.2', 0]]);
  });

  it('shows what comes before its last letter as progress', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' (cy|)                     ');
    const add = tool('   ----p---q----1--|         ', { letters: { p: { done: 0.5 }, 1: { sum: 3 } } });
    const turn2 = turn('                 ------(z|)');
    const tools = '      (gi)----p----e--(m1)--|   ';

    const events$ = toolLoop({ model: script(turn1, turn2), tools: [add], prompt });

    expectEvents(events$, null, { lane: 'tools' }).toBe(tools, { e: '0 tool-progress add "q"' }).having('p', { progress: { done: 0.5 } }).having('1', { output: { sum: 3 } });
    expectSubscriptions(add).toBe('^---------------!');
  }));

  it('throws what its # stands for, and starts over at each call', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)              ');
    const add = tool('      --#             ');
    const turn2 = turn('        --c-(y|)        ');
    const turn3 = turn('              ----(z|)');
    const events = '     -c-y-1-C-Y-3---(xL|)';

    const events$ = toolLoop({ model: script(turn1, turn2, turn3), tools: [add], prompt });

    expectEvents(events$).toBe(events, { x: '2 end stop' }).having('1', { isError: true, error: { kind: 'other', message: 'The tool failed.' } });
    expectSubscriptions(add).toBe(['---^-!', '---------^-!']);
  }));

  it('throws an error of the spec', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -d-(y|)     ');
    const mul = tool('      --#    ', { name: 'mul', error: new ToolError('rate-limited', 'Slow down.') });
    const turn2 = turn('        --(z|)');
    const events = '     -c-y-1-(ZL|)';

    const events$ = toolLoop({ model: script(turn1, turn2), tools: [mul], prompt });

    expectEvents(events$).toBe(events).having('1', { error: { kind: 'rate-limited', message: 'Slow down.', retryable: true } });
  }));

  it('runs beside others where it is `parallelSafe`', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' (cdy|)                   ');
    const add = tool('   ------(1|)    ', { parallelSafe: true });
    const mul = tool('   --(1|)        ', { parallelSafe: true, name: 'mul' });
    const turn2 = turn('       ---------(z|)');
    const tools = '      (ghij)(m1n2)---|  ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt }), null, { lane: 'tools' }).toBe(tools);
  }));

  it('is given up after its `timeoutMs`, and says nothing more', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)               ');
    const add = tool('      ------(1|)', { timeoutMs: 4 });
    const turn2 = turn('          --t-(z|)   ');
    const events = '     -c-y---1-T-(ZL|)   ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt })).toBe(events).having('1', { error: { kind: 'timeout' } });
    expectSubscriptions(add).toBe('---^---!');
  }));
});
