import { describe, expect, it } from '@jest/globals';
import { EMPTY, NEVER, of, Subject, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Hooks, StopAnswer } from '../../lib/hooks.ts';
import { askHooks, halt, hasHook, hookContext, textIn, unknownAnswer, wrongAnswer } from '../../lib/loop/hook-chain.ts';
import type { HookName } from '../../lib/loop/hook-chain.ts';
import type { LoopEvent } from '../../lib/event.ts';
import { hear } from '../support/invoke-context.ts';
import { loopUnit } from '../support/loop-unit.ts';

const chain = { hook: 'afterTool' as HookName, ask: (hooks: Hooks, state: string) => hooks.afterTool?.(state as never, {} as never, {} as never) as never, fold: (state: string, said: string) => state + said };
const saying = (...answers: unknown[]): Hooks[] => answers.map((said, at) => ({ name: `h${at}`, afterTool: (() => said) as never }));
const asked = (hooks: Hooks[], isOver?: (state: string) => boolean) => {
  const { run } = loopUnit({ hooks });
  const status: LoopEvent[] = [];
  run.aside.events$.subscribe((event) => status.push(event));
  return { run, status, ask: () => askHooks<string, string>(run, { ...chain, ...(isOver && { isOver }) }, '') };
};

describe('askHooks', () => {
  it('asks one after another, each with what the ones before it made', () => {
    const seen: unknown[] = [];
    const hooks: Hooks[] = ['a', 'b'].map((say) => ({ afterTool: ((state: unknown) => (seen.push(state), say)) as never }));
    expect(asked(hooks).ask()).toBe('ab');
    expect(seen).toEqual(['', 'a']);
  });

  it('is a plain value while nobody answers later', () => {
    expect(asked(saying('a', undefined, null, 'b')).ask()).toBe('ab');
  });

  it('waits for one that answers later, takes its first word, and takes an empty one for no opinion', () => {
    const later = new Subject<string>();
    const heard = hear(asked(saying('a', later, EMPTY, of('c', 'd'))).ask());
    expect(heard.values).toEqual([]);
    later.next('b');
    expect([heard.values, heard.ended, later.observed]).toEqual([['abc'], true, false]);
  });

  it('leaves the hook that is awaited', () => {
    const later = new Subject<string>();
    hear(asked(saying(later)).ask()).leave();
    expect(later.observed).toBe(false);
    expect(hear(asked(saying(NEVER)).ask())).toMatchObject({ values: [], ended: false });
  });

  it('asks no further where it is over, before and after a wait', () => {
    const isOver = (state: string): boolean => state !== '';
    expect(asked(saying('a', 'b'), isOver).ask()).toBe('a');
    expect(hear(asked(saying(of('a'), 'b'), isOver).ask()).values).toEqual(['a']);
  });

  it('ignores the answers of one that only observes', () => {
    expect(asked([{ observe: true, afterTool: (() => 'x') as never }, ...saying('a')]).ask()).toBe('a');
    expect(hear(asked([{ observe: true, afterTool: (() => of('x')) as never }, ...saying('a')]).ask()).values).toEqual(['a']);
  });

  it.each([
    ['throws', () => { throw new Error('boom'); }],
    ['fails later', () => throwError(() => new Error('boom'))],
  ])('fails where a hook %s, and names it', (_name, afterTool) => {
    const error = (hooks: Hooks[]): unknown => {
      try {
        return hear(asked(hooks).ask()).error;
      } catch (thrown) {
        return thrown;
      }
    };
    expect(error([{ name: 'mine', afterTool }])).toMatchObject({ code: 'hook', message: 'Hook "mine" failed in afterTool: boom', cause: { message: 'boom' } });
    expect(error([{}, { afterTool }])).toMatchObject({ message: 'Hook 1 failed in afterTool: boom' });
  });

  it('says the fault of one that observes once, and goes on', () => {
    const { ask, status } = asked([{ name: 'log', observe: true, afterTool: () => { throw new Error('boom'); } }, ...saying('a')]);
    expect([ask(), ask()]).toEqual(['a', 'a']);
    expect(status).toEqual([{ type: 'status', runId: 'r', text: 'Hook "log" failed in afterTool: boom' }]);
  });

  it('says the fault of one that observes later, too', () => {
    const { ask, status } = asked([{ observe: true, afterTool: () => throwError(() => new Error('boom')) }, ...saying('a')]);
    expect(hear(ask()).values).toEqual(['a']);
    expect(status).toHaveLength(1);
  });

  it('fails for an answer that cannot be taken, later too', () => {
    const { run } = loopUnit({ hooks: saying(of('a')) });
    const refusing = { ...chain, fold: (): string => { throw wrongAnswer('afterTool', 'is wrong'); } };
    expect(hear(askHooks(run, refusing, '') as Observable<string>).error).toMatchObject({ code: 'hook', message: 'An answer of afterTool is wrong.' });
  });
});

describe('hooks', () => {
  it('are told where the run is, and share one map', () => {
    const { run, state } = loopUnit();
    expect(hookContext(run, { ...state, step: 2, attempt: 3 })).toEqual({ runId: 'r', step: 2, attempt: 3, scratch: run.scratch });
  });

  it('are there where any of them decides', () => {
    const { run } = loopUnit({ hooks: saying('a') });
    expect([hasHook(run, 'afterTool'), hasHook(run, 'beforeTool')]).toEqual([true, false]);
  });

  it('stop the run by its switch', () => {
    const { run } = loopUnit({ hooks: {} });
    halt(run, { type: 'stop', reason: 'Enough.' } as StopAnswer, { callId: 'c', index: 1 });
    expect(run.stops?.stopped).toEqual({ reason: 'stopped', text: 'Enough.', callId: 'c', index: 1 });
    halt(loopUnit().run, {});
  });
});

describe('answers', () => {
  it('that no hook may give are told by their type', () => {
    expect(unknownAnswer('onDelta', { type: 'go' }).message).toBe('An answer of onDelta has the type "go".');
    expect(unknownAnswer('onDelta', 5).message).toBe('An answer of onDelta has the type undefined.');
  });

  it('need the text that they are about', () => {
    expect(textIn('beforeTool', { reason: 'x' }, 'reason')).toBe('x');
    expect(() => textIn('beforeTool', {} as { reason: string }, 'reason')).toThrow('An answer of beforeTool needs a text as its reason.');
  });
});
