import { describe, expect, it } from '@jest/globals';
import { EMPTY, of, VirtualTimeScheduler } from 'rxjs';
import { toolLoop } from '../../lib/index.ts';
import type { HookList, Hooks, StepAnswer, ToolLoopOptions } from '../../lib/index.ts';
import { call, fakeTool, finish, script as played, text } from '../../marbles/index.ts';
import { play } from '../support/play.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// Several hooks: who is asked, in which order, and whose answer holds.

const prompt = 'go';
const stop = { type: 'stop' } as const;
const answer = of(text('hi'), finish('stop'));
const called = of(...call('add', { a: 1 }), text('hi'), finish('tool-use'));
const lost = of(...call('mul', {}), finish('tool-use'));

/** A hook that keeps its name in the log each time, and answers with nothing. */
function logging(log: string[], name: string, say: Partial<Hooks> = {}): Hooks {
  const note = (hook: keyof Hooks) => (...args: unknown[]) => {
    log.push(`${name} ${hook}`);
    return (say[hook] as ((...all: unknown[]) => undefined) | undefined)?.(...args);
  };
  return {
    ...say, name, deltas: ['text'],
    beforeRequest: note('beforeRequest'), onDelta: note('onDelta'), afterStep: note('afterStep'),
    invalidCall: note('invalidCall'), beforeTool: note('beforeTool'), afterTool: note('afterTool'),
  };
}

function run(hooks: HookList, options: Partial<ToolLoopOptions> = {}) {
  let made = 0;
  const ids = (kind: string): string => `${kind}${++made}`;
  return play(toolLoop({ model: played(called, answer), tools: [fakeTool(of('1'))], prompt, ids, scheduler: new VirtualTimeScheduler(), ...options, hooks }));
}

describe('hooks', () => {
  it('are asked in the order of their registration; lists in lists count as one list', () => {
    const ask = (list: (of: (name: string) => Hooks) => HookList): string[] => {
      const log: string[] = [];
      run(list((name) => logging(log, name)));
      return log;
    };
    const flat = ask((one) => [one('a'), one('b'), one('c')]);
    const step = ['beforeRequest', 'onDelta', 'afterStep'];
    const expected = [...step, 'beforeTool', 'afterTool', ...step].flatMap((hook) => ['a', 'b', 'c'].map((name) => `${name} ${hook}`));

    expect(flat).toEqual(expected);
    expect(ask((one) => [[one('a')], [[[one('b')]], []], one('c')])).toEqual(flat);
    expect(ask((one) => one('a'))).toEqual(expected.filter((line) => line.startsWith('a')));
  });

  it.each<[hook: keyof Hooks, say: Partial<Hooks>, model: typeof called]>([
    ['beforeRequest', { beforeRequest: () => stop }, called],
    ['onDelta', { onDelta: () => stop }, called],
    ['afterStep', { afterStep: () => stop }, called],
    ['invalidCall', { invalidCall: () => stop }, lost],
    ['beforeTool', { beforeTool: () => stop }, called],
    ['afterTool', { afterTool: () => stop }, called],
  ])('end their asking at the first stop of %s', (hook, say, model) => {
    const log: string[] = [];
    const { events } = run([logging(log, 'a'), logging(log, 'b', say), logging(log, 'c')], { model: played(model) });

    expect(log.filter((line) => line.endsWith(hook))).toEqual([`a ${hook}`, `b ${hook}`]);
    expect(events.at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'stopped' } });
  });

  it.each([['nothing', () => undefined], ['null', () => null], ['an empty Observable', () => EMPTY], ['an Observable of nothing', () => of(undefined)]])('have no opinion with %s: the next is asked', (_name, say) => {
    const log: string[] = [];
    const none = { beforeRequest: say, onDelta: say, afterStep: say, beforeTool: say, afterTool: say } as Hooks;
    const { events } = run([logging(log, 'a', none), logging(log, 'b')]);

    expect(log.filter((line) => line.startsWith('b'))).toHaveLength(8);
    expect(events).toEqual(run([]).events);
  });

  it('get the place in the run, and one map a run that the tools share', () => {
    const seen: unknown[] = [];
    const hooks: Hooks = {
      beforeRequest: (_request, { step, attempt, scratch }) => void seen.push([step, attempt, scratch.get('n')]),
      beforeTool: (_call, { scratch }) => void scratch.set('n', 1),
      afterTool: (_call, _result, { scratch }) => void scratch.set('n', (scratch.get('n') as number) + 1),
    };
    const tool = { ...fakeTool(of('1')), run: (_args: unknown, { scratch }: { scratch: Map<unknown, unknown> }) => void scratch.set('n', (scratch.get('n') as number) + 1) };
    const events$ = () => toolLoop({ model: played(called, answer), tools: [tool], prompt, hooks });
    play(events$());
    play(events$());

    expect(seen).toEqual([[0, 1, undefined], [1, 1, 3], [0, 1, undefined], [1, 1, 3]]);
  });

  it('are told a fault by name, or by place', () => {
    const fails = (): never => {
      throw new Error('No database.');
    };
    expect(run([{}, { afterStep: fails }]).error).toMatchObject({ code: 'hook', message: 'Hook 1 failed in afterStep: No database.' });
    expect(run([{ name: 'guard', beforeTool: fails }]).error).toMatchObject({ code: 'hook', message: 'Hook "guard" failed in beforeTool: No database.', cause: { code: 'hook', cause: new Error('No database.') } });
  });

  it.each<[hook: keyof Hooks, hooks: Record<string, unknown>]>([
    ['invalidCall', { invalidCall: () => ({ type: 'wave' }) }],
    ['beforeTool', { beforeTool: () => ({ type: 'wave' }) }],
    ['afterTool', { afterTool: () => ({ type: 'wave' }) }],
    ['afterStep', { afterStep: () => ({ type: 'wave' }) }],
    ['onDelta', { deltas: ['text'], onDelta: () => ({ type: 'wave' }) }],
    ['beforeRequest', { beforeRequest: () => ({ type: 'wave' }) }],
  ])('may not answer what %s does not take', (hook, hooks) => {
    const model = hook === 'invalidCall' ? lost : called;
    const { error } = run(hooks as Hooks, { model: played(model) });

    expect(error).toMatchObject({ code: 'hook', message: `An answer of ${hook} has the type "wave".` });
  });
});

// prettier-ignore
describe('a hook that only observes', () => {
  it('is not obeyed, and its fault is said once, as status', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn(' -t-t-c-(y|)           ');
    const add = tool('          --(1|)         ');
    const turn2 = turn('          --T-(z|)     ', { T: text('hi') });
    const story = '      -t-t-c-y-1-T-(ZL|)    ';
    const host = '       -x-----------|        ';
    const hooks: Hooks = {
      observe: true, name: 'journal', deltas: ['text'],
      onDelta() { throw new Error('The disk is full.'); },
      afterStep: () => stop,
      beforeTool: () => stop,
    };

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt, hooks })).toBe(story)
      .lane('host').toBe(host, { x: 'status "Hook \\"journal\\" failed in onDelta: The disk is full."' });
  }));

  it('is waited for all the same', loopMarbles(({ turn, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('         -t-(z|)    ');
    const looks = cold<StepAnswer>(' --(a|) ', { a: { type: 'retract' } });
    const events = '             -t---(zL|) ';

    expectEvents(toolLoop({ model: script(turn1), prompt, hooks: { observe: true, afterStep: () => looks } })).toBe(events);
    expectSubscriptions(looks).toBe('---^-!');
  }));
});
