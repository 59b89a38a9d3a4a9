import { describe, expect, it } from '@jest/globals';
import { BehaviorSubject, EMPTY, NEVER, of, Subject, throwError } from 'rxjs';
import { conversation, defineTool, errorAsDone, historyOf, ModelError, userMessage } from '../../lib/index.ts';
import type { ConversationOptions, LoopEvent, Message, Tool } from '../../lib/index.ts';
import * as z from 'zod';
import { finish, script, text } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

/** What was said, turn by turn: `user: a`. */
const words = (messages: readonly Message[] = []): string[] =>
  messages.map((message) => {
    const said = message.role === 'tool' ? message.results.map(({ name }) => name) : message.content.map((part) => ('text' in part ? part.text : part.type));
    return `${message.role}: ${said.join(' ')}`;
  });

// prettier-ignore
describe('conversation', () => {
  it('is a run for each prompt, which knows what the runs before it came to', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions, scheduler }) => {
    const prompts = hot('     a-------b-----');
    const turn1 = turn('      -t-(z|)');
    const turn2 = turn('              -t-(z|)');
    const events = '          -t-(zL)--t-(zL)';
    const model = script(turn1, turn2);

    expectEvents(conversation(prompts, { model })).toBe(events).having('L', { reason: 'answer' });
    expectSubscriptions(turn1).toBe('^--!');
    expectSubscriptions(turn2).toBe('--------^--!');
    scheduler.schedule(() => {
      expect(model.requests.map(({ messages }) => words(messages))).toEqual([['user: a'], ['user: a', 'assistant: hi', 'user: b']]);
    }, 20);
  }));

  it('leaves the run that is going for the next prompt, with its request, by default', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions, scheduler }) => {
    const prompts = hot('    a---b-----------');
    const turn1 = turn('     -t-t-t-t-t-     ');
    const turn2 = turn('         --t-(z|)    ');
    const events = '         -t-t--t-(zL)    ';
    const model = script(turn1, turn2);

    expectEvents(conversation(prompts, { model })).toBe(events);
    expectSubscriptions(turn1).toBe('^---!');
    expectSubscriptions(turn2).toBe('----^---!');
    scheduler.schedule(() => expect(words(model.requests[1]?.messages)).toEqual(['user: b']), 20);
  }));

  it('leaves a tool that runs', loopMarbles(({ turn, tool, script, hot, expectEvents, expectSubscriptions }) => {
    const prompts = hot('    a------b-------');
    const turn1 = turn('     -c-(y|)        ');
    const add = tool('          --------1|  ');
    const turn2 = turn('            -t-(z|) ');
    const events = '         -c-y----t-(zL) ';

    expectEvents(conversation(prompts, { model: script(turn1, turn2), tools: [add] })).toBe(events);
    expectSubscriptions(add).toBe('---^---!');
  }));

  it('lets a prompt wait for the run that is going, with `concat`', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions, scheduler }) => {
    const prompts = hot('    a--b--|         ');
    const turn1 = turn('     -----t-(z|)        ');
    const turn2 = turn('            -----t-(z|) ');
    const events = '         -----t-(zL)-t-(zL|)';
    const model = script(turn1, turn2);

    expectEvents(conversation(prompts, { model }, { strategy: 'concat' })).toBe(events);
    expectSubscriptions(turn2).toBe('-------^------!');
    scheduler.schedule(() => expect(words(model.requests[1]?.messages)).toEqual(['user: a', 'assistant: hi', 'user: b']), 30);
  }));

  it('ignores a prompt while a run is going, with `exhaust`', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const prompts = hot('    a--b------c--|      ');
    const turn1 = turn('     ----t-(z|)          ');
    const turn2 = turn('               ---t-(z|) ');
    const events = '         ----t-(zL)---t-(zL|)';

    expectEvents(conversation(prompts, { model: script(turn1, turn2) }, { strategy: 'exhaust' })).toBe(events);
    expectSubscriptions(turn2).toBe('----------^----!');
  }));

  it('ends with the first run that fails', loopMarbles(({ turn, script, hot, expectEvents, expectSubscriptions }) => {
    const prompts = hot('    a------b--');
    const turn1 = turn('     -t-#      ', {}, new ModelError('model-http', 'No.'));
    const events = '         -t-#      ';

    expectEvents(conversation(prompts, { model: script(turn1) })).toBe(events, {}, { code: 'model-http' });
    expectSubscriptions(turn1).toBe('^--!');
    expectSubscriptions(prompts).toBe('^--!');
  }));

  it('outlives a run that failed where `each` makes it a done, and remembers what was said', loopMarbles(({ turn, script, hot, expectEvents, scheduler }) => {
    const prompts = hot('    a-------b-------');
    const turn1 = turn('     -t-#            ', {}, new ModelError('model-http', 'No.'));
    const turn2 = turn('             -t-(z|) ');
    const events = '         -t-L-----t-(zL) ';
    const model = script(turn1, turn2);

    expectEvents(conversation(prompts, { model }, { each: errorAsDone() })).toBe(events);
    scheduler.schedule(() => expect(words(model.requests[1]?.messages)).toEqual(['user: a', 'assistant: hi', 'user: b']), 30);
  }));
});

describe('the history of a conversation', () => {
  const answering = () => script(...['one', 'two', 'three'].map((word, index) => of(text(word, `b${index}`), finish('stop'))));
  const all = (prompts: readonly (string | ReturnType<typeof userMessage>)[], options: Partial<Parameters<typeof conversation>[1]> = {}, more?: ConversationOptions) => {
    const model = answering();
    const events: LoopEvent[] = [];
    conversation(of(...prompts), { model, ...options }, more).subscribe((event) => events.push(event));
    return { model, events };
  };

  it('begins with the messages of the options, and leaves those as they are', () => {
    const messages = [userMessage('before')];
    const { model } = all(['a', 'b'], { messages });
    expect(words(model.requests[1]?.messages)).toEqual(['user: before', 'user: a', 'assistant: one', 'user: b']);
    expect(messages).toHaveLength(1);
  });

  it('is what `historyOf` says of the last outcome', () => {
    const { events, model } = all(['a', 'b', 'c']);
    const done = events.flatMap((event) => (event.type === 'done' ? [historyOf(event.outcome)] : []));
    expect(model.requests[2]?.messages.slice(0, -1)).toEqual(done[1]);
  });

  it('takes a message for a prompt', () => {
    expect(words(all([userMessage('whole')]).model.requests[0]?.messages)).toEqual(['user: whole']);
  });

  it('takes tools that change', () => {
    const model = answering();
    const [one, other] = ['one', 'other'].map((name) => defineTool({ name, description: 'A tool.', input: z.object({}), run: () => name }));
    const tools$ = new BehaviorSubject([one as Tool]);
    const prompt$ = new Subject<string>();
    conversation(prompt$, { model, tools: tools$ }).subscribe();
    prompt$.next('a');
    tools$.next([other as Tool]);
    prompt$.next('b');
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([['one'], ['other']]);
  });

  it('belongs to one subscription', () => {
    const model = answering();
    const talk$ = conversation(of('a'), { model });
    talk$.subscribe();
    talk$.subscribe();
    expect(words(model.requests[1]?.messages)).toEqual(['user: a']);
  });

  it('gives each run an id of its own, and completes with the prompts', () => {
    const { events } = all(['a', 'b']);
    expect(new Set(events.map(({ runId }) => runId)).size).toBe(2);
    let completed = 0;
    conversation(EMPTY, { model: answering() }).subscribe({ complete: () => completed++ });
    expect(completed).toBe(1);
  });

  it('passes an error of the prompts on, and never ends where they do not', () => {
    const heard: unknown[] = [];
    conversation(throwError(() => 'broken'), { model: answering() }).subscribe({ error: (error) => heard.push(error) });
    conversation(NEVER, { model: answering() }).subscribe({ complete: () => heard.push('complete') });
    expect(heard).toEqual(['broken']);
  });

  it('is left with the prompts and the run that is going', () => {
    const [prompts, model] = [new Subject<string>(), script(NEVER)];
    const subscription = conversation(prompts, { model }).subscribe();
    prompts.next('a');
    subscription.unsubscribe();
    expect(prompts.observed).toBe(false);
  });
});
