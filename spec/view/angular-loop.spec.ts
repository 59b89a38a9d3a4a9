import { describe, expect, it, jest } from '@jest/globals';
import { computed, PendingTasks } from '@angular/core';
import { ignoreElements, NEVER, Subject, toArray } from 'rxjs';
import { scripted } from '../../lib/deltas/scripted.ts';
import { ConfigError, defineTool, ModelError, userMessage } from '../../lib/index.ts';
import type { Delta, LoopEvent, Tool } from '../../lib/index.ts';
import { provideToolLoop, withServerRendering, withStrategy } from '../../lib/view/angular.ts';
import type { ToolLoopFeature } from '../../lib/view/angular.ts';
import { finish, text } from '../../marbles/index.ts';
import type { LoopMarbles, ScriptModel } from '../../marbles/index.ts';
import { AT_ONCE, viewOf } from '../support/angular-view.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { wordsOf } from '../support/store-words.ts';
import * as z from 'zod';

/** A view whose prompts are drawn. */
function promptedBy({ hot, scheduler }: LoopMarbles, prompts: string, model: ScriptModel, features: readonly ToolLoopFeature[] = [], tools: readonly Tool[] = []) {
  const view = viewOf([provideToolLoop({ model, tools }, AT_ONCE, ...features)]);
  const taken: boolean[] = [];
  hot(prompts).subscribe((prompt) => taken.push(view.loop.run(prompt)));
  const at = (frame: number, act: () => void): void => void scheduler.schedule(act, frame);
  return { ...view, taken, at, words: () => wordsOf(view.loop.state()) };
}

// prettier-ignore
describe('a prompt', () => {
  it('supersedes the run that is going, which leaves no trace', loopMarbles((marbles) => {
    const { turn, script, expectEvents, expectSubscriptions } = marbles;
    const asked = '    -a----b-------';
    const turn1 = turn(' -t-t-t-t-    ');
    const turn2 = turn('      -t-(z|) ');
    const events = '    --t-t--t-(zL)';
    const model = script(turn1, turn2);

    const { loop, at, words } = promptedBy(marbles, asked, model);

    expectEvents(loop.events$).toBe(events);
    at(5, () => expect([words(), loop.text()]).toEqual([['running', 'user: a', 'assistant: hihi'], 'hihi']));
    at(8, () => expect([words(), loop.text()]).toEqual([['running', 'user: b', 'assistant: hi'], 'hi']));
    at(12, () => {
      expect(words()).toEqual(['done', 'user: b', 'assistant: hi']);
      expect(loop.history().map(({ role }) => role)).toEqual(['user', 'assistant']);
    });
    expectSubscriptions(turn1).toBe('-^----!');
    expectSubscriptions(turn2).toBe('------^--!');
  }));

  it('leaves a tool that runs', loopMarbles((marbles) => {
    const { turn, tool, script, expectSubscriptions } = marbles;
    const asked = '    -a------b----';
    const turn1 = turn(' -c-(y|)      ');
    const add = tool('      -------1| ');
    const turn2 = turn('        -(z|) ');

    const { at, words, loop } = promptedBy(marbles, asked, script(turn1, turn2), [], [add]);

    at(7, () => expect(loop.state().calls).toMatchObject([{ state: 'running' }]));
    at(12, () => expect(words()).toEqual(['done', 'user: b']));
    expectSubscriptions(add).toBe('    ----^---!');
    expectSubscriptions(turn2).toBe('  --------^!');
  }));

  it('waits for the run that is going with `concat`, and knows what that came to', loopMarbles((marbles) => {
    const { turn, script, expectEvents, expectSubscriptions } = marbles;
    const asked = '    -a-b--------------';
    const turn1 = turn(' ----t-(z|)        ');
    const turn2 = turn('       -----t-(z|)');
    const events = '    -----t-(zL)-t-(zL)';
    const model = script(turn1, turn2);

    const { loop, at, taken } = promptedBy(marbles, asked, model, [withStrategy('concat')]);

    expectEvents(loop.events$).toBe(events);
    at(20, () => {
      expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
      expect(taken).toEqual([true, true]);
    });
    expectSubscriptions(turn1).toBe('-^-----!');
    expectSubscriptions(turn2).toBe('-------^------!');
  }));

  it('is refused while a run is going with `exhaust`', loopMarbles((marbles) => {
    const { turn, script, expectEvents, expectSubscriptions } = marbles;
    const asked = '    -a--b-----c------';
    const turn1 = turn(' ----t-(z|)       ');
    const turn2 = turn('          --t-(z|)');
    const events = '    -----t-(zL)-t-(zL)';

    const { loop, at, taken, words } = promptedBy(marbles, asked, script(turn1, turn2), [withStrategy('exhaust')]);

    expectEvents(loop.events$).toBe(events);
    at(20, () => {
      expect(taken).toEqual([true, false, true]);
      expect(words()).toEqual(['done', 'user: a', 'assistant: hi', 'user: c', 'assistant: hi']);
    });
    expectSubscriptions(turn1).toBe('-^-----!');
    expectSubscriptions(turn2).toBe('----------^---!');
  }));
});

// prettier-ignore
describe('the end of a view', () => {
  it('leaves the run, completes the events, and nothing begins after it', loopMarbles((marbles) => {
    const { turn, tool, script, expectValues, expectSubscriptions } = marbles;
    const asked = '    -a---------b--';
    const turn1 = turn(' -c-(y|)       ');
    const add = tool('      -------1| ');
    const ended = '     -------|      ';

    const { loop, at, taken, destroy } = promptedBy(marbles, asked, script(turn1), [], [add]);

    expectValues(loop.events$.pipe(ignoreElements())).toBe(ended);
    expectValues(loop.events$, '--------------^').toBe('--------------|');
    at(7, destroy);
    at(13, () => {
      expect(taken).toEqual([true, false]);
      expect([loop.cancel(), loop.steer('x'), loop.answer('q1', { type: 'approve' })]).toEqual([false, false, false]);
    });
    expectSubscriptions(turn1).toBe('-^--!');
    expectSubscriptions(add).toBe('  ----^--!');
  }));
});

// prettier-ignore
describe('cancel', () => {
  it('keeps what was said, and drops what waits', loopMarbles((marbles) => {
    const { turn, script, expectSubscriptions } = marbles;
    const asked = '    -a-b---------';
    const turn1 = turn(' -t-t-t-t-t-  ');

    const { loop, at, words } = promptedBy(marbles, asked, script(turn1), [withStrategy('concat')]);

    at(6, () => expect(loop.cancel()).toBe(true));
    at(7, () => {
      expect(words()).toEqual(['done', 'user: a', 'assistant: hihi']);
      expect(loop.state().reason).toBe('aborted');
      expect(loop.cancel()).toBe(false);
    });
    expectSubscriptions(turn1).toBe('-^----!');
  }));
});

const modelOf = () => scripted([{ text: ['Hel', 'lo'] }, { text: 'Again.' }]);

describe('injectToolLoop', () => {
  it('says what is missing where nothing is provided', () => {
    expect(() => viewOf([])).toThrow(ConfigError);
    expect(() => viewOf([])).toThrow(/add provideToolLoop\(\.\.\.\) to the providers/);
  });

  it('starts nothing, and shows the conversation that it is given', () => {
    const model = scripted([]);
    const { loop } = viewOf([provideToolLoop({ model }, AT_ONCE)], { messages: [userMessage('before')] });
    expect(wordsOf(loop.state())).toEqual(['idle', 'user: before']);
    expect([loop.status(), loop.text(), loop.error(), loop.pending(), loop.history().length]).toEqual(['idle', '', undefined, [], 1]);
  });

  it('makes a conversation of its own each time', () => {
    const providers = [provideToolLoop({ model: modelOf() }, AT_ONCE)];
    const [one, other] = [viewOf(providers).loop, viewOf(providers).loop];
    one.run('Hi.');
    expect([one.status(), other.status()]).toEqual(['done', 'idle']);
  });

  it('threads what was said through its runs', () => {
    const { loop } = viewOf([provideToolLoop({ model: modelOf() }, AT_ONCE)]);
    loop.run('a');
    loop.run(userMessage('b'));
    expect(wordsOf(loop.state())).toEqual(['done', 'user: a', 'assistant: Hello', 'user: b', 'assistant: Again.']);
    expect(loop.history().map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect([loop.text(), loop.messages()]).toEqual(['Again.', loop.state().messages]);
  });

  it('steers a run, and answers what it asks, by id and many at once', () => {
    const pay = defineTool({ name: 'pay', description: 'Pays.', input: z.object({}), needsApproval: true, run: () => 'paid' });
    const model = scripted([{ calls: [{ name: 'pay' }, { name: 'pay' }, { name: 'pay' }] }, { text: 'Paid.' }]);
    const { loop } = viewOf([provideToolLoop({ model, tools: [pay] }, AT_ONCE)]);
    loop.run('Pay.');
    const [first, second, third] = loop.pending().map(({ id }) => id);
    expect(loop.steer('Hurry.')).toBe(true);
    expect(loop.answer('forged', { type: 'approve' })).toBe(false);
    expect(loop.answer(first ?? '', { type: 'decline' })).toBe(true);
    expect(loop.pending().map(({ id }) => id)).toEqual([second, third]);
    expect(loop.answer({ [second ?? '']: { type: 'approve' }, [third ?? '']: { type: 'approve' } })).toBe(true);
    expect(loop.pending()).toEqual([]);
    expect(wordsOf(loop.state())).toEqual(['done', 'user: Pay.', 'assistant: pay pay pay', 'user: Hurry.', 'assistant: Paid.']);
    expect(loop.state().calls.map(({ state }) => state)).toEqual(['error', 'ok', 'ok']);
  });

  it('shows the last words of a run that also called tools', () => {
    const model = scripted([{ text: 'I look.', calls: [{ name: 'look' }] }, { text: 'Seen.' }]);
    const look = defineTool({ name: 'look', description: 'Looks.', input: z.object({}), run: () => NEVER });
    const { loop, destroy } = viewOf([provideToolLoop({ model, tools: [look] }, AT_ONCE)]);
    loop.run('Look.');
    expect(loop.text()).toBe('I look.');
    destroy();
  });

  it('tells of a failure as a state and as the last event of its run, and goes on', () => {
    const model = scripted([{ text: 'half', error: new ModelError('model-http', 'No.') }, { text: 'whole' }]);
    const { loop, destroy } = viewOf([provideToolLoop({ model, preset: 'strict' }, AT_ONCE)]);
    const heard: LoopEvent[][] = [];
    loop.events$.pipe(toArray()).subscribe((all) => heard.push(all));
    loop.run('a');
    expect([loop.status(), loop.error()?.code, loop.text()]).toEqual(['error', 'model-http', 'half']);
    loop.run('b');
    expect([loop.status(), loop.error(), loop.text()]).toEqual(['done', undefined, 'whole']);
    destroy();
    expect(heard[0]?.flatMap((event) => (event.type === 'done' ? [event.outcome.reason] : []))).toEqual(['error', 'answer']);
  });

  it('knows no run by its id where runs are in the page', () => {
    const { loop } = viewOf([provideToolLoop({ model: modelOf() }, AT_ONCE)]);
    expect(() => loop.watch('run1')).toThrow(ConfigError);
    expect(() => loop.watch('run1')).toThrow(/provideRemoteLoop\(\{ url \}\)/);
  });

  it('can be asked within a computation without becoming a part of it', () => {
    const { loop } = viewOf([provideToolLoop({ model: scripted([{ text: 'one' }]) }, AT_ONCE)]);
    let count = 0;
    const heard = computed(() => (count += loop.steer('x') ? 0 : 1));
    heard();
    loop.run('a');
    heard();
    expect(count).toBe(1);
  });
});

describe('signals', () => {
  it('change once a frame, or after a while where no frame comes, and not without a change', () => {
    jest.useFakeTimers();
    const frames: (() => void)[] = [];
    const frame = (): void => frames.splice(0).forEach((act) => act());
    Object.assign(globalThis, { requestAnimationFrame: (act: () => void) => frames.push(act), cancelAnimationFrame: () => undefined });
    try {
      const deltas$ = new Subject<Delta>();
      const { loop } = viewOf([provideToolLoop({ model: scripted([deltas$]) })]);
      const idle = loop.state();
      loop.run('a');
      deltas$.next(text('a', 'b0'));
      deltas$.next(text('b', 'b0'));
      expect(loop.state()).toBe(idle);
      frame();
      const [shown, calls] = [loop.state(), loop.state().calls];
      expect(loop.text()).toBe('ab');
      frame();
      expect(loop.state()).toBe(shown);

      // The tab is hidden: no frame any more.
      deltas$.next(text('c', 'b0'));
      deltas$.next(finish('stop'));
      deltas$.complete();
      expect(loop.status()).toBe('running');
      jest.advanceTimersByTime(1_000);
      expect([loop.status(), loop.text(), loop.history().length]).toEqual(['done', 'abc', 2]);
      expect(loop.state().calls).toBe(calls);
    } finally {
      Reflect.deleteProperty(globalThis, 'requestAnimationFrame');
      Reflect.deleteProperty(globalThis, 'cancelAnimationFrame');
      jest.useRealTimers();
    }
  });
});

describe('on a server that renders', () => {
  const tasksOf = () => {
    const tasks = new Set<object>();
    const add = () => {
      const task = {};
      tasks.add(task);
      return () => void tasks.delete(task);
    };
    return { tasks, provider: { provide: PendingTasks, useValue: { add } } };
  };

  it.each(['server', 'unknown'])('nothing starts (%s)', (platform) => {
    const { tasks, provider } = tasksOf();
    const { loop } = viewOf([provider, provideToolLoop({ model: modelOf() })], { platform });
    expect(loop.run('Hi.')).toBe(false);
    expect([loop.status(), tasks.size]).toEqual(['idle', 0]);
  });

  it('a run starts where that is wanted, and the page waits for its end', () => {
    const { tasks, provider } = tasksOf();
    const deltas$ = new Subject<Delta>();
    const { loop } = viewOf([provider, provideToolLoop({ model: scripted([deltas$]) }, withServerRendering())], { platform: 'server' });
    expect(loop.run('Hi.')).toBe(true);
    expect(tasks.size).toBe(1);
    deltas$.next(text('Hello', 'b0'));
    deltas$.next(finish('stop'));
    deltas$.complete();
    expect([loop.status(), loop.text(), tasks.size]).toEqual(['done', 'Hello', 0]);
  });
});
