import { describe, it } from '@jest/globals';
import { map, throwError } from 'rxjs';
import { errorAsDone, historyOf, toolLoop } from '../../lib/index.ts';
import type { Hooks, ResultAnswer } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { transcriptFaults } from '../support/valid-transcript.ts';

// A run that ends while a hook decides, or by what a hook does.

const prompt = 'go';
const broken = new Error('No database.');
type Decider = 'beforeRequest' | 'onDelta' | 'afterStep' | 'invalidCall' | 'beforeTool' | 'afterTool';
const one = (hook: Decider, say: () => unknown): Hooks => ({ [hook]: say, ...(hook === 'onDelta' && { deltas: ['text'] }) }) as Hooks;

// prettier-ignore
describe('abort$ while a hook decides', () => {
  it.each<[hook: Decider, turn1: string, asked: string, story: string, L: object]>([
    ['beforeRequest', '-t-(z|)  ', '^----!    ', '-----(L|)  ', { messages: [{ role: 'user' }], steps: [] }],
    ['onDelta', '      --t-(z|) ', '--^--!    ', '-----(zL|) ', { completion: { text: '', finish: 'aborted' } }],
    ['afterStep', '    -t-(z|)  ', '---^-!    ', '-t---(zL|) ', { completion: { text: 'hi', finish: 'aborted' }, answer: { finish: 'aborted' } }],
    ['invalidCall', '  -td-(y|) ', '--^--!    ', '-t---(zL|) ', { completion: { text: 'hi', toolCalls: [] } }],
    ['beforeTool', '   -c-(y|)  ', '---^-!    ', '-c-y-(1L|) ', { messages: [{}, {}, { results: [{ callId: 'c0', isError: true, error: { kind: 'cancelled' } }] }] }],
  ])('leaves %s in its frame, and closes what was said', (hook, diagram, asks, story, L) => loopMarbles(({ turn, tool, script, hot, cold, expectEvents, expectSubscriptions }) => {
    const asked = cold('     -');
    const abort$ = hot('     -----x');
    const add = tool('       (1|)');

    expectEvents(toolLoop({ model: script(turn(diagram)), tools: [add], prompt, abort$, hooks: one(hook, () => asked) })).toBe(story, { z: '0 end aborted' })
      .having('L', { reason: 'aborted', ...L });
    expectSubscriptions(asked).toBe(asks);
    expectSubscriptions(add).toBe([]);
  })());

  it('gives afterTool the time that a body has: then the call is answered without it', loopMarbles(({ turn, tool, script, hot, cold, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -c-(y|)       ');
    const add = tool('         -(1|)     ');
    const asked = cold<ResultAnswer>('-');
    const abort$ = hot('    -----x        ');
    const graceMs = time('       ---|     ');
    const events = '        -c-y----(1L|) ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, abort$, timeouts: { graceMs }, hooks: { afterTool: () => asked } })).toBe(events)
      .having('1', { isError: true, error: { kind: 'cancelled', message: 'The run was stopped while a hook looked at the result. The tool has done its work.' }, output: undefined }).having('L', { reason: 'aborted' });
    expectSubscriptions(asked).toBe('----^---!');
  }));

  it('heeds what afterTool says in that time', loopMarbles(({ turn, tool, script, hot, cold, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('    -c-(y|)       ');
    const add = tool('         -(1|)     ');
    const asked = cold<ResultAnswer>('---(a|)', { a: { type: 'rewrite', content: 'one' } });
    const abort$ = hot('    -----x        ');
    const graceMs = time('       ---|     ');
    const events = '        -c-y---(1L|)  ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, abort$, timeouts: { graceMs }, hooks: { afterTool: () => asked } })).toBe(events)
      .having('1', { isError: false, content: [{ type: 'text', text: 'one' }], output: '1' }).having('L', { reason: 'aborted' });
    expectSubscriptions(asked).toBe('----^--!');
  }));
});

// prettier-ignore
describe('a hook that fails', () => {
  const cases: readonly [hook: Decider, turn1: string, story: string, calls: number][] = [
    ['beforeRequest', '-t-c-(y|)   ', '(L|)      ', 0],
    ['onDelta', '      -c-t-(y|)   ', '-c-(L|)   ', 1],
    ['afterStep', '    -t-c-(y|)   ', '-t-c-(L|) ', 1],
    ['invalidCall', '  -t-c-d-(y|) ', '-t-c-(L|) ', 1],
    ['beforeTool', '   -t-c-(y|)   ', '-t-c-(yL|)', 1],
    ['afterTool', '    -t-c-(y|)   ', '-t-c-(yL|)', 1],
  ];
  const ways: Record<string, () => unknown> = {
    throws: () => {
      throw broken;
    },
    'answers with an error': () => throwError(() => broken),
  };
  const all = Object.keys(ways).flatMap((way) => cases.map((one) => [one[0], way, ...one.slice(1)] as [Decider, string, string, string, number]));

  it.each(all)('%s that %s ends the run with code "hook"; what was said is closed in its messages', (hook, way, diagram, story, calls) => loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    // Another model and another try are there, and are not asked: the fault is not the model's.
    const turn1 = turn(diagram);
    const turn2 = turn('(z|)');
    const events$ = toolLoop({ model: [script(turn1, turn2), script(turn2)], tools: [tool('(1|)')], prompt, hooks: one(hook, ways[way] as () => unknown), retry: { classify: () => 'transient' } });
    const closed = calls === 0 ? [] : [{ role: 'assistant' }, { role: 'tool', results: [{ callId: 'c0', isError: true, error: { kind: 'cancelled' } }] }];

    const judged$ = events$.pipe(errorAsDone(), map((event) => (event.type === 'done' ? { ...event, faults: transcriptFaults(historyOf(event.outcome)) } : event)));

    expectEvents(judged$).toBe(story)
      .having('L', { reason: 'error', faults: [], error: { code: 'hook', message: `Hook 0 failed in ${hook}: No database.` }, messages: [{ role: 'user' }, ...closed] });
    expectSubscriptions(turn2).toBe([]);
  })());

  it('before a request, in the second step, keeps the first', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -c-(y|)  ');
    const add = tool('      --(1|)');
    const events = '     -c-y-(1L|)';
    const hooks: Hooks = { beforeRequest(_request, { step }) { if (step === 1) throw broken; } };

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, hooks }).pipe(errorAsDone())).toBe(events)
      .having('L', { error: { code: 'hook' }, steps: [{ step: 0 }], messages: [{}, { role: 'assistant' }, { results: [{ isError: false }] }] });
  }));
});
