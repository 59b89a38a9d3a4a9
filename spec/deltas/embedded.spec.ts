import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { asyncScheduler, take } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import type { Delta } from '../../lib/delta.ts';
import { embedded } from '../../lib/deltas/embedded.ts';
import { toolCall, userMessage } from '../../lib/message.ts';
import type { AssistantMessage, Message, ToolCall, ToolMessage } from '../../lib/message.ts';
import type { ModelRequest, ToolSpec } from '../../lib/model.ts';

const tools: ToolSpec[] = [
  {
    name: 'calculator',
    description: 'Evaluates an arithmetic expression exactly',
    parameters: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
  },
  {
    name: 'clock',
    description: 'The current date and time in a time zone',
    parameters: { type: 'object', properties: { timeZone: { type: 'string' } }, required: ['timeZone'] },
  },
];

const question = 'What is 12.5% of 349, and what time is it in Tokyo?';
const help = 'I am a small rule-based model, not a language model: I can only call tools and report their results.';

function request(messages: readonly Message[], overrides: Partial<ModelRequest> = {}): ModelRequest {
  let count = 0;
  const ids = (kind: string) => `${kind}-${count++}`;
  return { system: undefined, messages, tools, toolChoice: 'auto', options: {}, demand: undefined, scheduler: asyncScheduler, ids, ...overrides };
}

/** Everything said before the subscribing returns; fails on an error or where the end is missing. */
function said(messages: readonly Message[], overrides: Partial<ModelRequest> = {}): Delta[] {
  const deltas: Delta[] = [];
  let isComplete = false;
  const fail = (error: unknown) => { throw error; };
  embedded().stream(request(messages, overrides)).subscribe({ next: (delta) => deltas.push(delta), error: fail, complete: () => (isComplete = true) });
  expect(isComplete).toBe(true);
  return deltas;
}

function paced(body: (scheduler: TestScheduler, helpers: Parameters<Parameters<TestScheduler['run']>[0]>[0]) => void): void {
  const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
  scheduler.run((helpers) => body(scheduler, helpers));
}

const textOf = (deltas: readonly Delta[]) => deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');
const callsOf = (deltas: readonly Delta[]) => deltas.flatMap((delta) => (delta.type === 'tool-call-end' ? [delta.call] : []));
const answer = (messages: readonly Message[], overrides: Partial<ModelRequest> = {}) => textOf(said(messages, overrides));

function asked(...calls: ToolCall[]): AssistantMessage {
  return { role: 'assistant', content: calls.map((call) => ({ type: 'tool-call', call })) };
}

/** Each result as its call and text; a text that begins with `!` is a failure. */
function results(...given: [ToolCall, string][]): ToolMessage {
  return {
    role: 'tool',
    results: given.map(([{ id, name }, text]) => ({
      callId: id, name, isError: text.startsWith('!'), content: [{ type: 'text', text: text.replace(/^!/, '') }],
    })),
  };
}

const calculation = toolCall('c1', 'calculator', '{"expression":"349 * 12.5 / 100"}');
const time = toolCall('c2', 'clock', '{"timeZone":"Asia/Tokyo"}');

describe('embedded, calling tools', () => {
  it('asks for both tools of a prompt in one turn, argument text token by token', () => {
    expect(said([userMessage(question)])).toEqual([
      { type: 'tool-call-start', index: 0, id: 'call-0', name: 'calculator' },
      ...['{"expression":"349 ', '* ', '12.5 ', '/ ', '100"}'].map((chunk) => ({ type: 'tool-call-arguments', index: 0, chunk })),
      { type: 'tool-call-end', index: 0, call: { ...calculation, id: 'call-0' } },
      { type: 'tool-call-start', index: 1, id: 'call-1', name: 'clock' },
      { type: 'tool-call-arguments', index: 1, chunk: '{"timeZone":"Asia/Tokyo"}' },
      { type: 'tool-call-end', index: 1, call: { ...time, id: 'call-1' } },
      { type: 'usage', usage: { inputTokens: 12, outputTokens: 6, totalTokens: 18 } },
      { type: 'finish', reason: 'tool-use', model: 'embedded' },
    ]);
  });

  it('answers from both results once they are there', () => {
    const messages = [userMessage(question), asked(calculation, time), results([calculation, '43.625'], [time, '2025-03-01T09:00+09:00'])];
    expect(said(messages).at(-1)).toEqual({ type: 'finish', reason: 'stop', model: 'embedded' });
    expect(answer(messages)).toBe(
      'The tool calculator gives 43.625 for 349 * 12.5 / 100. The tool clock gives 2025-03-01T09:00+09:00 for Asia/Tokyo.',
    );
  });

  it('asks only for what has no result yet', () => {
    const messages = [userMessage(question), asked(calculation), results([calculation, '43.625'])];
    expect(callsOf(said(messages)).map(({ name }) => name)).toEqual(['clock']);
  });

  it('never asks again for a tool that has answered, even where the host changed the arguments', () => {
    const other = toolCall('c3', 'calculator', '{"expression":"1"}');
    const messages = [userMessage('1 + 1'), asked(other), results([other, '1'])];
    expect(callsOf(said(messages))).toEqual([]);
  });

  it('reads the last user message alone', () => {
    const before = [userMessage('1 + 1'), asked(calculation), results([calculation, '2'])];
    expect(callsOf(said([...before, userMessage('the time in Tokyo')])).map(({ name }) => name)).toEqual(['clock']);
    expect(answer([...before, userMessage('thanks')])).not.toContain('calculator gives');
  });

  it('keeps argument text that is not JSON', () => {
    expect(callsOf(said([userMessage('call clock {oops}')]))).toEqual([{ id: 'call-0', name: 'clock', arguments: '{oops}', rawArguments: '{oops}' }]);
  });
});

describe('embedded, answering', () => {
  const report = (call: ToolCall, text: string, prompt = question) => answer([userMessage(prompt), asked(call), results([calculation, '1'], [call, text])]).split('. ').at(-1);

  it('reports a failure as a failure', () => {
    expect(report(time, '!no such zone')).toBe('The tool clock failed: no such zone.');
    expect(report(time, '!')).toBe('The tool clock failed: it did not say why.');
  });

  it('says when a result holds no text, and adds no second full stop', () => {
    expect(report(time, '')).toBe('The tool clock gives no text for Asia/Tokyo.');
    expect(report({ ...time, arguments: {} }, 'Noon!')).toBe('The tool clock gives Noon!');
  });

  it('names the arguments, cut to 80 characters', () => {
    expect(report({ ...time, arguments: { a: 1, b: [true], c: 'x' } }, 'ok')).toBe('The tool clock gives ok for 1, [true], x.');
    expect(report({ ...time, arguments: { a: '😀'.repeat(100) } }, 'ok')).toBe(`The tool clock gives ok for ${'😀'.repeat(80)}…`);
    expect(report({ ...time, arguments: 'raw' }, 'ok')).toBe('The tool clock gives ok for raw.');
  });

  it('adds what it could not call', () => {
    const messages = [userMessage('1 + 1, and what time is it?'), asked(calculation), results([calculation, '2'])];
    expect(answer(messages)).toMatch(/gives 2 for .* I did not call clock: the prompt gives no value for timeZone\.$/);
  });

  it('says plainly what it is when it cannot help, and names its tools', () => {
    expect(answer([userMessage('Write me a poem')])).toBe(`${help} The tools I was given: calculator, clock.`);
    expect(answer([userMessage('Write me a poem')], { tools: [] })).toBe(`${help} I was given no tools.`);
    expect(answer([])).toBe(`${help} The tools I was given: calculator, clock.`);
    expect(answer([userMessage('')])).toBe(answer([]));
  });

  it('streams one text delta a word, all of one block', () => {
    const deltas = said([userMessage('hi')]).filter(({ type }) => type === 'text');
    expect(deltas.slice(0, 3)).toEqual(['I ', 'am ', 'a '].map((text) => ({ type: 'text', block: 'block-0', text })));
  });
});

describe('embedded, tool choice', () => {
  it('none answers without a call, from results where there are some', () => {
    expect(answer([userMessage(question)], { toolChoice: 'none' })).toBe(`${help} The tools I was given: calculator, clock. This request does not let me call them.`);
    const messages = [userMessage(question), asked(calculation), results([calculation, '43.625'])];
    expect(answer(messages, { toolChoice: 'none' })).toBe('The tool calculator gives 43.625 for 349 * 12.5 / 100.');
  });

  it('required and { tool } call, or say why not', () => {
    expect(callsOf(said([userMessage('Tokyo')], { toolChoice: 'required' })).map(({ name }) => name)).toEqual(['clock']);
    expect(callsOf(said([userMessage(question)], { toolChoice: { tool: 'clock' } })).map(({ name }) => name)).toEqual(['clock']);
    expect(answer([userMessage('hi')], { toolChoice: { tool: 'clock' } })).toContain('I did not call clock: the prompt gives no value for timeZone.');
    expect(answer([userMessage('hi')], { toolChoice: { tool: 'gone' } })).toContain('I was given no tool named gone.');
  });
});

describe('embedded, the model', () => {
  it('has its name, and counts words as tokens', () => {
    expect(embedded()).toMatchObject({ id: 'embedded', provider: 'embedded', capabilities: ['tools', 'parallel-tools'] });
    const text: AssistantMessage = { role: 'assistant', content: [{ type: 'text', text: 'six seven' }, { type: 'tool-call', call: time }] };
    const usage = said([userMessage('three  four\nfive'), text, results([time, 'nine ten'])], { system: 'one two' }).at(-2);
    expect(usage).toMatchObject({ type: 'usage', usage: { inputTokens: 10, outputTokens: 8, totalTokens: 18 } });
  });

  it('is cold and deterministic: every subscription says the same', () => {
    const messages = [userMessage(question)];
    expect(said(messages)).toEqual(said(messages));
  });

  it('makes nothing more once it is left', () => {
    const made: string[] = [];
    const ids = (kind: string) => (made.push(kind), `${kind}-${made.length}`);
    const deltas: Delta[] = [];
    embedded().stream(request([userMessage(question)], { ids })).pipe(take(3)).subscribe((delta) => deltas.push(delta));
    expect(deltas).toHaveLength(3);
    expect(made).toEqual(['call']);
  });

  it('pauses before each token on the scheduler of the request, and stops when it is left', () => {
    paced((scheduler, { expectObservable }) => {
      const deltas$ = embedded({ delayMs: 2 }).stream(request([userMessage('call clock {a b}')], { scheduler }));
      const call = { id: 'call-0', name: 'clock', arguments: '{a b}', rawArguments: '{a b}' };
      const values: Record<string, Delta> = {
        s: { type: 'tool-call-start', index: 0, id: 'call-0', name: 'clock' },
        a: { type: 'tool-call-arguments', index: 0, chunk: '{a ' },
        b: { type: 'tool-call-arguments', index: 0, chunk: 'b}' },
        e: { type: 'tool-call-end', index: 0, call },
        u: { type: 'usage', usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6 } },
        f: { type: 'finish', reason: 'tool-use', model: 'embedded' },
      };
      expectObservable(deltas$).toBe('s-a-(beuf|)', values);
    });
    paced((scheduler, { expectObservable }) => {
      const deltas$ = embedded({ delayMs: 2 }).stream(request([userMessage('hi')], { scheduler }));
      expectObservable(deltas$, '^----!').toBe('--a-b-', { a: { type: 'text', block: 'block-0', text: 'I ' }, b: { type: 'text', block: 'block-0', text: 'am ' } });
    });
  });

  it.each([-1, NaN, Infinity])('refuses a delayMs of %p', (delayMs) => {
    expect(() => embedded({ delayMs })).toThrow(/delayMs is .*0 or more/);
  });

  it('keeps to the order of deltas for any prompt: calls from 0, each whole, then usage, then one finish', () => {
    const piece = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('call clock {', '}', '1 + 2, ', 'time in Rome, ', ' and ', '"'));
    const prompt = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(prompt, (text) => {
        const deltas = said([userMessage(text)]);
        const order = deltas.map((delta) => ('index' in delta ? `${delta.type} ${delta.index}` : delta.type));
        const calls = callsOf(deltas);
        const whole = calls.flatMap((_, n) => [`tool-call-start ${n}`, `tool-call-arguments ${n}`, `tool-call-end ${n}`]);
        expect(order.filter((one, n) => one !== order[n - 1])).toEqual([...(calls.length > 0 ? whole : ['text']), 'usage', 'finish']);
      }),
    );
  });

  it('streams a result of a million words without holding it back', () => {
    const messages = [userMessage('1 + 1'), asked(calculation), results([calculation, 'word '.repeat(1_000_000)])];
    let count = 0;
    embedded().stream(request(messages)).pipe(take(10)).subscribe(() => count++);
    expect(count).toBe(10);
    expect(said(messages).length).toBeGreaterThan(1_000_000);
  });
});
