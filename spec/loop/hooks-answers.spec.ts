import { describe, it } from '@jest/globals';
import { toolLoop } from '../../lib/index.ts';
import type { Hooks, RequestPatch, ResultAnswer, StepAnswer, ToolAnswer } from '../../lib/index.ts';
import { text } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// When a hook answers: at once, after three frames, never. What waits for it, and what is left with it.

const prompt = 'go';
const leave = '-----!';

// prettier-ignore
describe('beforeRequest', () => {
  it('answers at once: the call is made in the same frame, by the model that it names', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('(z|)');
    const turn2 = turn(' ----t-(z|)  ');
    const frame = '      (Ss)--(zL|)';
    const hooks: Hooks = { beforeRequest: () => ({ model: { ...script(turn2), id: 'other' } }) };

    expectEvents(toolLoop({ model: script(turn1), prompt, hooks }), null, { lane: 'frame' }).toBe(frame).having('s', { model: 'other' });
    expectSubscriptions(turn1).toBe([]);
    expectSubscriptions(turn2).toBe('^-----!');
  }));

  it('answers after three frames: neither the step nor the request begins before', loopMarbles(({ turn, script, cold, expectEvents, expectSubscriptions }) => {
    const asked = cold<RequestPatch>('---(a|)', { a: { system: 'Be short.' } });
    const turn1 = turn('                 ---t-(z|)  ');
    const story = '                   ------t-(zL|)';
    const frame = '                   S--s----(zL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, hooks: { beforeRequest: () => asked } })).toBe(story).lane('frame').toBe(frame);
    expectSubscriptions(asked).toBe('^--!');
    expectSubscriptions(turn1).toBe('---^----!');
  }));

  it('never answers: nothing is asked of the model, and the reader leaves it', loopMarbles(({ turn, script, cold, expectEvents, expectSubscriptions }) => {
    const asked = cold<RequestPatch>('-');
    const turn1 = turn('(z|)');
    const all = 'S';

    expectEvents(toolLoop({ model: script(turn1), prompt, hooks: { beforeRequest: () => asked } }), leave, { lane: 'all' }).toBe(all);
    expectSubscriptions(asked).toBe('^----!');
    expectSubscriptions(turn1).toBe([]);
  }));
});

// prettier-ignore
describe('onDelta', () => {
  it('answers at once: what it stops is not shown, and the model is left', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-x--t-(z|)', { x: text('secret') });
    const events = '     -t-(zL|)    ';
    const hooks: Hooks = { deltas: ['text'], onDelta: (delta) => (delta.type === 'text' && delta.text === 'secret' ? { type: 'stop' } : undefined) };

    expectEvents(toolLoop({ model: script(turn1), prompt, hooks })).toBe(events).having('z', { finish: 'aborted' }).having('L', { reason: 'stopped', completion: { text: 'hi' } });
    expectSubscriptions(turn1).toBe('^--!');
  }));

  it('answers after three frames: the delta and all that follow wait, in order', loopMarbles(({ turn, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('   -tk----t-(z|)    ');
    const asked = cold<undefined>('---(a|)', { a: undefined });
    const events = '       ----(tk)--(tzL|)';

    expectEvents(toolLoop({ model: script(turn1), prompt, hooks: { deltas: ['text'], onDelta: () => asked } })).toBe(events);
    expectSubscriptions(asked).toBe(['-^--!', '-------^--!']);
    expectSubscriptions(turn1).toBe(' ^--------!');
  }));

  it('never answers: nothing more is shown, and the reader leaves it and the model', loopMarbles(({ turn, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-t-t-----(z|)');
    const asked = cold<undefined>('-');
    const all = '(Ss)';

    expectEvents(toolLoop({ model: script(turn1), prompt, hooks: { deltas: ['text'], onDelta: () => asked } }), leave, { lane: 'all' }).toBe(all);
    expectSubscriptions(asked).toBe('-^---!');
    expectSubscriptions(turn1).toBe('^----!');
  }));
});

// prettier-ignore
describe('afterStep', () => {
  it('answers at once: the step ends, and is answered, in the frame of its finish', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-(z|)          ');
    const turn2 = turn('    ----t-(z|)    ');
    const events = '     -t-(zv)T-(ZL|)   ';
    const hooks: Hooks = { afterStep: (_step, { step }) => (step === 0 ? { type: 'correct', message: 'Say more.' } : undefined) };

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, hooks })).toBe(events);
    expectSubscriptions(turn2).toBe('---^-----!');
  }));

  it('answers after three frames: the finish is held, no tool starts, the model has been left', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('            -c-(y|)             ');
    const asked = cold<StepAnswer>('   ---(a|)          ', { a: { type: 'continue' } });
    const add = tool('                    --(1|)        ');
    const turn2 = turn('                    (z|)        ');
    const story = '              -c----y-(1ZL|)        ';
    const frame = '              (Ss)--y-(sZL|)        ';
    const hooks: Hooks = { afterStep: (_step, { step }) => (step === 0 ? asked : undefined) };

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, hooks })).toBe(story).lane('frame').toBe(frame);
    expectSubscriptions(turn1).toBe('^--!');
    expectSubscriptions(asked).toBe('---^--!');
    expectSubscriptions(add).toBe('  ------^-!');
  }));

  it('never answers: the step does not end, and the reader leaves it', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-c-(y|)');
    const asked = cold<StepAnswer>('-');
    const add = tool('(1|)');
    const story = '-c';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, hooks: { afterStep: () => asked } }), leave).toBe(story);
    expectSubscriptions(turn1).toBe('^--!');
    expectSubscriptions(asked).toBe('---^-!');
    expectSubscriptions(add).toBe([]);
  }));
});

// prettier-ignore
describe('invalidCall', () => {
  it('answers at once: the call is shown as repaired, in its own frame', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -d-(y|)         ');
    const add = tool('      --(1|)      ');
    const turn2 = turn('      --t-(z|)  ');
    const events = '     -c-y-1-T-(ZL|) ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, hooks: { invalidCall: () => ({ type: 'repair', name: 'add' }) } })).toBe(events, { c: '0 call add' });
    expectSubscriptions(add).toBe('---^-!');
  }));

  it('answers after three frames: the call waits whole, and what follows it', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -dt(y|)                ');
    const asked = cold(' ---(a|)                ', { a: { type: 'repair', name: 'add' } as const });
    const add = tool('            -----(1|)        ');
    const turn2 = turn('               (z|)        ');
    const story = '         ----(cty)(1ZL|)        ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, hooks: { invalidCall: () => asked } })).toBe(story, { c: '0 call add' });
    expectSubscriptions(asked).toBe('-^--!');
    expectSubscriptions(turn1).toBe('^--!');
    expectSubscriptions(add).toBe('  ----^----!');
  }));

  it('never answers: nothing of the call is shown, and the reader leaves it and the model', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-d----(y|)');
    const asked = cold<undefined>('-');
    const add = tool('(1|)');
    const all = '(Ss)';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, hooks: { invalidCall: () => asked } }), leave, { lane: 'all' }).toBe(all);
    expectSubscriptions(asked).toBe('-^---!');
    expectSubscriptions(turn1).toBe('^----!');
    expectSubscriptions(add).toBe([]);
  }));
});

// prettier-ignore
describe('beforeTool', () => {
  it('answers at once: the body starts, or does not, in the same frame', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)          ');
    const add = tool('      (1|)         ');
    const turn2 = turn('    ----t-(z|)   ');
    const events = '     -c-(y1)T-(ZL|)  ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, hooks: { beforeTool: () => ({ type: 'skip', reason: 'Known: 3.' }) } })).toBe(events)
      .having('1', { isError: false, content: [{ type: 'text', text: 'Known: 3.' }] });
    expectSubscriptions(add).toBe([]);
  }));

  it('answers after three frames: its call waits, and those behind it in the schedule', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('           -c-d-(y|)                ');
    const asked = cold<ToolAnswer>('     ---(a|)             ', { a: { type: 'rewrite', arguments: { a: 9 } } });
    const add = tool('                     --(1|)           ');
    const mul = tool('                       --(2|)         ', { name: 'mul' });
    const turn2 = turn('                       --t-(z|)     ');
    const story = '               -c-d-y----1-2-T-(ZL|)    ';
    const hooks: Hooks = { beforeTool: ({ name }) => (name === 'add' ? asked : undefined) };

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt, hooks })).toBe(story).having('1', { call: { arguments: { a: 9 } } });
    expectSubscriptions(asked).toBe('-----^--!');
    expectSubscriptions(add).toBe('  --------^-!');
    expectSubscriptions(mul).toBe('  ----------^-!');
  }));

  it('never answers: no body starts, and the reader leaves it', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-c-(y|)');
    const asked = cold<ToolAnswer>('-');
    const add = tool('(1|)');
    const tools = '---g';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, hooks: { beforeTool: () => asked } }), leave, { lane: 'tools' }).toBe(tools);
    expectSubscriptions(asked).toBe('---^-!');
    expectSubscriptions(add).toBe([]);
  }));
});

// prettier-ignore
describe('afterTool', () => {
  it('answers at once: the result is shown in the frame in which the body ended', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)          ');
    const add = tool('      --(1|)       ');
    const turn2 = turn('      --t-(z|)   ');
    const events = '     -c-y-1-T-(ZL|)  ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, hooks: { afterTool: () => ({ type: 'rewrite', content: 'one' }) } })).toBe(events)
      .having('1', { content: [{ type: 'text', text: 'one' }], output: '1', isError: false });
  }));

  it('answers after three frames: the result waits, and the calls behind it; the body is over', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('             -c-d-(y|)               ');
    const add = tool('                    --(1|)            ');
    const asked = cold<ResultAnswer>('       ---(a|)          ', { a: { type: 'keep' } });
    const mul = tool('                         --(2|)       ', { name: 'mul' });
    const turn2 = turn('                         --t-(z|)   ');
    const story = '                 -c-d-y----1-2-T-(ZL|)  ';
    const hooks: Hooks = { afterTool: ({ name }) => (name === 'add' ? asked : undefined) };

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt, hooks })).toBe(story).having('1', { elapsedMs: 2 });
    expectSubscriptions(add).toBe('  -----^-!');
    expectSubscriptions(asked).toBe('-------^--!');
    expectSubscriptions(mul).toBe('  ----------^-!');
  }));

  it('never answers: no result is shown, and the reader leaves it', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-c(y|)');
    const add = tool('  --(1|)');
    const asked = cold<ResultAnswer>('-');
    const tools = '    --(gi)';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, hooks: { afterTool: () => asked } }), leave, { lane: 'tools' }).toBe(tools);
    expectSubscriptions(add).toBe('--^-!');
    expectSubscriptions(asked).toBe('----^!');
  }));
});
