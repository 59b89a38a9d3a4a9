import { describe, expect, it } from '@jest/globals';
import { asyncScheduler, concat, from, NEVER, of, take, throwError, toArray } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import type { Delta } from '../../lib/delta.ts';
import { scripted } from '../../lib/deltas/scripted.ts';
import type { ScriptedTurn } from '../../lib/deltas/scripted.ts';
import { ModelError } from '../../lib/errors.ts';
import { userMessage } from '../../lib/message.ts';
import type { Message } from '../../lib/message.ts';
import type { ModelRequest } from '../../lib/model.ts';

function request(overrides: Partial<ModelRequest> = {}): ModelRequest {
  let count = 0;
  const ids = (kind: string) => `${kind}-${count++}`;
  return { system: undefined, messages: [userMessage('hi')], tools: [], toolChoice: 'auto', options: {}, demand: undefined, scheduler: asyncScheduler, ids, ...overrides };
}

/** Everything that is said before the subscribing returns: the deltas, then the error or `'|'`; nothing more if it waits. */
function heard(deltas$: Observable<Delta>): unknown[] {
  const all: unknown[] = [];
  deltas$.subscribe({ next: (delta) => all.push(delta), error: (error) => all.push(error), complete: () => all.push('|') });
  return all;
}

const said = (turn: ScriptedTurn) => heard(scripted([turn]).stream(request()));
const stop: Delta = { type: 'finish', reason: 'stop' };
const text = (piece: string): Delta => ({ type: 'text', block: 'b', text: piece });

describe('scripted, a turn', () => {
  it('says a list of deltas as it is, synchronously', () => {
    expect(said([text('a'), { type: 'alive' }, stop])).toEqual([text('a'), { type: 'alive' }, stop, '|']);
    expect(said([])).toEqual(['|']);
  });

  it('says an Observable at its own pace, and leaves it when left', () => {
    expect(said(of(text('a'), stop))).toEqual([text('a'), stop, '|']);
    expect(said(concat(of(text('a')), NEVER))).toEqual([text('a')]);
    const broken = new Error('cut');
    expect(said(concat(of(text('a')), throwError(() => broken)))).toEqual([text('a'), broken]);
  });

  it('makes the deltas of plain data: reasoning, text, refusal, calls, usage, finish', () => {
    const turn: ScriptedTurn = {
      usage: { inputTokens: 3 },
      calls: [{ name: 'add', arguments: { a: 1 } }, { name: 'now', id: 'mine' }],
      refusal: 'no',
      text: ['It ', 'is'],
      reasoning: 'hm',
      rawFinish: 'tool_calls',
    };
    expect(said(turn)).toEqual([
      { type: 'reasoning', block: 'block-0', text: 'hm' },
      { type: 'text', block: 'block-1', text: 'It ' },
      { type: 'text', block: 'block-1', text: 'is' },
      { type: 'refusal', block: 'block-2', text: 'no' },
      { type: 'tool-call-start', index: 0, id: 'call-3', name: 'add' },
      { type: 'tool-call-arguments', index: 0, chunk: '{"a":1}' },
      { type: 'tool-call-end', index: 0, call: { id: 'call-3', name: 'add', arguments: { a: 1 }, rawArguments: '{"a":1}' } },
      { type: 'tool-call-start', index: 1, id: 'mine', name: 'now' },
      { type: 'tool-call-end', index: 1, call: { id: 'mine', name: 'now', arguments: {}, rawArguments: '' } },
      { type: 'usage', usage: { inputTokens: 3 } },
      { type: 'finish', reason: 'tool-use', rawFinish: 'tool_calls' },
      '|',
    ]);
  });

  it('says reasoning in pieces of one block', () => {
    expect(said({ reasoning: ['Let ', 'me'], text: 'Yes' })).toEqual([
      { type: 'reasoning', block: 'block-0', text: 'Let ' },
      { type: 'reasoning', block: 'block-0', text: 'me' },
      { type: 'text', block: 'block-1', text: 'Yes' },
      stop,
      '|',
    ]);
    expect(said({ reasoning: [] })).toEqual([stop, '|']);
  });

  it('finishes with stop without calls, and with what is given', () => {
    expect(said({ text: 'hi' })).toEqual([{ type: 'text', block: 'block-0', text: 'hi' }, stop, '|']);
    expect(said({})).toEqual([stop, '|']);
    expect(said({ calls: [] })).toEqual([stop, '|']);
    expect(said({ finish: 'length' })).toEqual([{ type: 'finish', reason: 'length' }, '|']);
  });

  it('says a string of arguments verbatim, also one that is not JSON', () => {
    const deltas = said({ calls: [{ name: 'add', id: 'c', arguments: '{"a":' }] });
    expect(deltas).toContainEqual({ type: 'tool-call-arguments', index: 0, chunk: '{"a":' });
    expect(deltas).toContainEqual({ type: 'tool-call-end', index: 0, call: { id: 'c', name: 'add', arguments: '{"a":', rawArguments: '{"a":' } });
  });

  it('fails after what was said, without a finish', () => {
    const error = new ModelError('model-http', 'Overloaded.', { status: 529, retryable: true });
    expect(said({ text: 'hi', error, usage: { outputTokens: 1 } })).toEqual([
      { type: 'text', block: 'block-0', text: 'hi' },
      { type: 'usage', usage: { outputTokens: 1 } },
      error,
    ]);
  });

  it('is made by a function of the request, called when it is asked for', () => {
    const calls: unknown[] = [];
    const model = scripted([
      ({ system }) => {
        calls.push(system);
        return { text: system ?? '' };
      },
      () => [stop],
      () => of(stop),
    ]);
    const first$ = model.stream(request({ system: 'be kind' }));
    expect(calls).toEqual([]);
    expect(heard(first$)).toEqual([{ type: 'text', block: 'block-0', text: 'be kind' }, stop, '|']);
    expect(calls).toEqual(['be kind']);
    expect(heard(first$)).toEqual([stop, '|']);
    expect(heard(first$)).toEqual([stop, '|']);
  });

  it('turns what the function throws into an error notification', () => {
    const thrown = new Error('mine');
    expect(said(() => { throw thrown; })).toEqual([thrown]);
  });
});

describe('scripted, the model', () => {
  it('has the given names and capabilities, or its own', () => {
    expect(scripted([])).toMatchObject({ id: 'scripted', provider: 'scripted', capabilities: ['tools', 'parallel-tools'] });
    const model = scripted([], { id: 'm', provider: 'p', capabilities: ['tools'] });
    expect(model).toMatchObject({ id: 'm', provider: 'p', capabilities: ['tools'] });
  });

  it('answers call n with turn n, whichever stream or subscriber asks', () => {
    const model = scripted([[text('1')], [text('2')], [text('3')]]);
    const one$ = model.stream(request());
    expect(heard(one$)).toEqual([text('1'), '|']);
    expect(heard(model.stream(request()))).toEqual([text('2'), '|']);
    expect(heard(one$)).toEqual([text('3'), '|']);
  });

  it('keeps to the turns that it was given', () => {
    const turns: ScriptedTurn[] = [[text('1')]];
    const model = scripted(turns);
    turns.unshift([text('0')]);
    expect(heard(model.stream(request()))).toEqual([text('1'), '|']);
  });

  it.each([
    [0, '0 turns', 'call 1'],
    [1, '1 turn,', 'call 2'],
    [2, '2 turns', 'call 3'],
  ])('fails past the last of %d turns', (count, given, call) => {
    const model = scripted(Array(count).fill([stop]));
    for (let n = 0; n < count; n++) heard(model.stream(request()));
    const [error, ...rest] = heard(model.stream(request()));
    expect(rest).toEqual([]);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ code: 'model-protocol', retryable: false });
    expect((error as Error).message).toContain(given);
    expect((error as Error).message).toContain(call);
  });

  it('records each request when it is subscribed, its messages as they are then', () => {
    const messages: Message[] = [userMessage('one')];
    const model = scripted([[stop], [stop]]);
    const asked = request({ messages, system: 'be kind', toolChoice: 'none' });
    const deltas$ = model.stream(asked);
    expect(model.requests).toEqual([]);
    heard(deltas$);
    messages.push(userMessage('two'));
    heard(deltas$);
    expect(model.requests.map((one) => one.messages.length)).toEqual([1, 2]);
    expect(model.requests[0]).toEqual({ ...asked, messages: [userMessage('one')] });
  });

  it('records a request whose fields are getters', () => {
    class Lazy implements ModelRequest {
      readonly tools = [];
      readonly toolChoice = 'auto';
      readonly options = {};
      readonly demand = undefined;
      readonly scheduler = asyncScheduler;
      readonly ids = () => 'id';
      readonly system = undefined;
      get messages(): readonly Message[] {
        return [userMessage('lazy')];
      }
    }
    const model = scripted([[stop]]);
    heard(model.stream(new Lazy()));
    expect(model.requests[0]?.messages).toEqual([userMessage('lazy')]);
  });

  it('stops between two deltas when it is left, without making the next', () => {
    const made: string[] = [];
    const ids = (kind: string) => (made.push(kind), kind);
    const model = scripted([{ text: 'a', refusal: 'b' }, [text('a'), text('b')]]);
    model.stream(request({ ids })).pipe(take(1)).subscribe();
    expect(made).toEqual(['block']);
    const all: Delta[] = [];
    model.stream(request()).pipe(take(1)).subscribe((delta) => all.push(delta));
    expect(all).toEqual([text('a')]);
  });
});

describe('scripted, delayMs', () => {
  const paced = (body: (scheduler: SchedulerLike, helpers: Parameters<Parameters<TestScheduler['run']>[0]>[0]) => void) => () => {
    const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    scheduler.run((helpers) => body(scheduler, helpers));
  };
  const values = { a: text('a'), b: text('b'), z: stop };

  it('pauses before each delta on the scheduler of the request', paced((scheduler, { expectObservable }) => {
    const model = scripted([[text('a'), text('b'), stop]], { delayMs: 2 });
    expectObservable(model.stream(request({ scheduler }))).toBe('--a-b-(z|)', values);
  }));

  it('lets an error wait behind the deltas before it', paced((scheduler, { expectObservable }) => {
    const error = new ModelError('model-transport', 'Cut.');
    const model = scripted([concat(of(text('a'), text('b')), throwError(() => error))], { delayMs: 2 });
    expectObservable(model.stream(request({ scheduler }))).toBe('--a-(b#)', values, error);
  }));

  it('adds the pause to an Observable turn, which is left when the subscriber leaves', paced((scheduler, { cold, expectObservable, expectSubscriptions }) => {
    const turn = cold<Delta>('-a-b-(z|)', values);
    expectObservable(scripted([turn], { delayMs: 1 }).stream(request({ scheduler })), '^---!').toBe('--a--', values);
    expectSubscriptions(turn.subscriptions).toBe('^---!');
  }));

  it.each([-1, NaN, Infinity])('refuses %p', (delayMs) => {
    expect(() => scripted([], { delayMs })).toThrow(/delayMs is .*0 or more/);
  });
});

describe('scripted, given what is no turn', () => {
  it.each([
    ['a promise', Promise.resolve({}), /Turn 2 .*from/],
    ['an async iterable', (async function* () { yield stop; })(), /Turn 2 .*from/],
    ['null', null, /Turn 2 .*neither/],
    ['a string', 'hello', /Turn 2 .*neither/],
    ['an unknown field', { txt: 'hello' }, /Turn 2 .*"txt".*reasoning, text/],
    ['an error and a finish', { error: new ModelError('model-http', 'x'), finish: 'stop' }, /Turn 2 .*both/],
  ])('refuses %s when it is made', (_name, turn, message) => {
    const turns = [[stop], turn] as ScriptedTurn[];
    expect(() => scripted(turns)).toThrow(message);
    expect(() => scripted(turns)).toThrow(expect.objectContaining({ code: 'config' }));
  });

  it('refuses it in the stream when a function returns it', () => {
    const [error] = said((() => 'hello') as unknown as ScriptedTurn);
    expect(error).toMatchObject({ code: 'config', message: expect.stringContaining('Turn 1') });
  });

  it('says a long list without holding it back', () => {
    const many = Array.from({ length: 100_000 }, () => text('x'));
    let count = 0;
    scripted([many]).stream(request()).pipe(toArray()).subscribe((all) => (count = all.length));
    expect(count).toBe(100_000);
    expect(heard(scripted([from(many)]).stream(request())).length).toBe(100_001);
  });
});
