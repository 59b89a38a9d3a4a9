import { afterEach, describe, expect, it } from '@jest/globals';
import { NEVER, Observable, of } from 'rxjs';
import * as z from 'zod';
import { scripted } from '../../lib/deltas/scripted.ts';
import { defineTool, ToolError, toolLoop } from '../../lib/index.ts';
import type { EventOf, EventType, LoopEvent, ToolContext, ToolInput } from '../../lib/index.ts';
import { play } from '../support/play.ts';
import type { Played } from '../support/play.ts';
import { transcriptFaults } from '../support/valid-transcript.ts';

// Bad tools and bad arguments. None of them ends the run: each becomes a result that the model sees.

/** A schema that accepts whatever there is and passes it on as it is. */
const anything: ToolInput = {
  '~standard': { version: 1, vendor: 'spec', validate: (value) => ({ value }), jsonSchema: { input: () => ({ type: 'object' }) } },
};

interface Seen extends Pick<Played, 'events' | 'leave'> {
  readonly ending: Played['ending'];
  readonly result: EventOf<'tool-result'> | undefined;
  readonly done: EventOf<'done'> | undefined;
  readonly contexts: readonly ToolContext[];
  readonly given: readonly unknown[];
}

/** A run whose model calls one tool once, then answers. */
function runTool(body: (args: unknown, context: ToolContext) => unknown, args: string = '{}', input: ToolInput = anything): Seen {
  const [contexts, given]: [ToolContext[], unknown[]] = [[], []];
  const tool = defineTool({
    name: 'act', description: 'Acts.', input,
    run: (args, context) => (contexts.push(context), given.push(args), body(args, context)),
  });
  const model = scripted([{ calls: [{ name: 'act', arguments: args }] }, { text: 'ok' }]);
  const played = play(toolLoop({ model, tools: [tool], prompt: 'go', preset: 'strict' }));
  const find = <Type extends EventType>(type: Type) => played.events.find((event): event is EventOf<Type> => event.type === type);
  const { events, leave } = played;
  return { contexts, given, events, leave, get ending() { return played.ending; }, get result() { return find('tool-result'); }, get done() { return find('done'); } };
}

/** Until what was promised has come. jest fails a test that leaves a rejection unhandled. */
const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

const typesOf = (events: readonly LoopEvent[]): EventType[] => events.map(({ type }) => type);

afterEach(() => {
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(untouched);
});
const untouched = Object.getOwnPropertyNames(Object.prototype).sort();

describe('a tool that fails', () => {
  const cycle = (): unknown => {
    const loop: { deep: { back?: unknown } } = { deep: {} };
    loop.deep.back = loop;
    return loop;
  };
  const thrown = (error: unknown) => () => { throw error; };

  it.each<[string, () => unknown, string | RegExp, string]>([
    ['throws', thrown(new Error('No.')), 'No.', 'other'],
    ['throws a typed error', thrown(new ToolError('network', 'Down.')), 'Down.', 'network'],
    ['throws a string', thrown('no'), 'no', 'other'],
    ['throws what has no text', thrown(Object.create(null)), /something that has no text/, 'other'],
    ['fails as an Observable', () => new Observable(() => { throw new Error('No.'); }), 'No.', 'other'],
    ['returns a cycle', cycle, 'The output cannot be sent: the value.deep.back refers back to the value, which JSON cannot carry.', 'other'],
    ['returns a bigint', () => ({ at: [1n] }), 'The output cannot be sent: the value.at[0] is a bigint, which JSON cannot carry.', 'other'],
    ['returns what throws when read', () => ({ toJSON: thrown(new Error('No.')) }), 'The output cannot be sent: No..', 'other'],
    ['returns a thenable that throws', () => ({ then: thrown(new Error('No.')) }), 'No.', 'other'],
  ])('%s has an error result, and the run goes on', (_how, body, message, kind) => {
    const { ending, result, done, events } = runTool(body);
    const text: unknown = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(result?.result).toMatchObject({ isError: true, error: { kind, message: text }, content: [{ type: 'text', text }] });
    expect(typesOf(events).slice(typesOf(events).indexOf('tool-start'))).toEqual(['tool-start', 'tool-commit', 'tool-result', 'step-start', 'delta', 'delta', 'step-end', 'done']);
    expect(done?.outcome.reason).toBe('answer');
    expect(ending).toBe('complete');
  });

  it('has an error result when its promise is rejected', async () => {
    const seen = runTool(() => Promise.reject(new Error('No.')));
    await tick();
    expect(seen.result?.result).toMatchObject({ isError: true, error: { message: 'No.' } });
    expect(seen.ending).toBe('complete');
  });

  it('has an error result when its progress cannot be sent, and is told to stop', () => {
    const { result, contexts } = runTool((_args, context) => (context.progress(1n), NEVER));
    expect(result?.result).toMatchObject({ isError: true, error: { message: 'The progress cannot be sent: the value is a bigint, which JSON cannot carry.' } });
    expect(contexts[0]?.signal.aborted).toBe(true);
  });
});

describe('a tool that answers in its own way', () => {
  it('has its first answer counted when a thenable answers twice', () => {
    const twice = { then: (yes: (value: string) => void, no: (error: Error) => void) => (yes('one'), yes('two'), no(new Error('three'))) };
    const { events, result } = runTool(() => twice);
    expect(result?.result.output).toBe('one');
    expect(typesOf(events).filter((type) => type === 'tool-result')).toHaveLength(1);
  });

  it('has its last value counted when an Observable gives several, and each earlier one is a progress', () => {
    const { events, result } = runTool(() => of('one', 'two', 'three'));
    expect(events.flatMap((event) => (event.type === 'tool-progress' ? [event.progress] : []))).toEqual(['one', 'two']);
    expect(result?.result.output).toBe('three');
  });

  it('says nothing more once it was answered', () => {
    const { contexts, events } = runTool(() => 'done');
    const before = events.length;
    contexts[0]?.progress('late');
    expect(events).toHaveLength(before);
  });

  it('has an empty result when it answers with nothing', () => {
    const { result } = runTool(() => undefined);
    expect(result?.result).toMatchObject({ isError: false, content: [] });
    expect(result?.result).not.toHaveProperty('output');
  });

  it('is not heard when it answers after the reader has left, or fails', async () => {
    for (const late of [() => Promise.resolve('late'), () => Promise.reject(new Error('late'))]) {
      const seen = runTool(late);
      seen.leave();
      await tick();
      expect(typesOf(seen.events).at(-1)).toBe('tool-start');
      expect(seen.ending).toBe('none');
    }
  });

  it('holds the run when it never answers, until the reader leaves: then its signal fires', async () => {
    const seen = runTool(() => new Promise(() => undefined));
    await tick();
    expect(typesOf(seen.events).at(-1)).toBe('tool-start');
    expect(seen.contexts[0]?.signal.aborted).toBe(false);
    seen.leave();
    expect(seen.contexts[0]?.signal.aborted).toBe(true);
    expect(seen.ending).toBe('none');
  });

  it('changes no event and no message when it changes its arguments', () => {
    const change = (args: unknown) => Object.assign((args as { list: { n: number }[] }).list[0] ?? {}, { n: 2 });
    for (const input of [anything, z.object({ list: z.any() }) as ToolInput]) {
      const { events, done } = runTool(change, '{"list":[{"n":1}]}', input);
      const call = events.find((event) => event.type === 'tool-call')?.call;
      expect(call?.arguments).toEqual({ list: [{ n: 1 }] });
      expect(done?.outcome.messages[1]).toMatchObject({ content: [{ call: { arguments: { list: [{ n: 1 }] } } }] });
    }
  });
});

describe('a schema that fails', () => {
  const schema = (validate: () => unknown): ToolInput => ({ '~standard': { ...anything['~standard'], validate: validate as never } });

  it.each<[string, () => unknown, RegExp]>([
    ['throws', () => { throw new Error('Bad schema.'); }, /The schema of tool "act" failed: Bad schema\./],
    ['answers nonsense', () => undefined, /The schema of tool "act" failed: /],
  ])('%s: the tool does not run, and its result says so', (_how, validate, message) => {
    const { result, given, ending } = runTool(() => 'never', '{}', schema(validate));
    expect(result?.result).toMatchObject({ isError: true, error: { kind: 'invalid-input', message: expect.stringMatching(message) } });
    expect(given).toEqual([]);
    expect(ending).toBe('complete');
  });

  it('is rejected later: the tool does not run', async () => {
    const seen = runTool(() => 'never', '{}', schema(() => Promise.reject(new Error('Late.'))));
    await tick();
    expect(seen.result?.result).toMatchObject({ isError: true, error: { message: 'The schema of tool "act" failed: Late.' } });
    expect(seen.given).toEqual([]);
  });
});

describe('arguments', () => {
  it.each(['', '  ', '\n'])('that are empty (%j) are no arguments', (raw) => {
    expect(runTool(() => 'ran', raw).given).toEqual([{}]);
  });

  it.each<[string, string | RegExp]>([
    ['null', 'Invalid arguments for tool "act": expected a JSON object, got null.'],
    ['[1]', 'Invalid arguments for tool "act": expected a JSON object, got an array.'],
    ['"{}"', 'Invalid arguments for tool "act": expected a JSON object, got a string.'],
    ['7', 'Invalid arguments for tool "act": expected a JSON object, got a number.'],
    ['false', 'Invalid arguments for tool "act": expected a JSON object, got a boolean.'],
    ['{"a":', /^Invalid arguments for tool "act": not valid JSON \(.+\)\. Send one JSON object\.$/],
    ['{"a":1}}', /^Invalid arguments for tool "act": not valid JSON/],
    ["{'a':1}", /^Invalid arguments for tool "act": not valid JSON/],
    ['act(1)', /^Invalid arguments for tool "act": not valid JSON/],
  ])('%s never reach the tool; its result says why', (raw, message) => {
    const { result, given, done, events } = runTool(() => 'never', raw);
    expect(result).toMatchObject({ elapsedMs: 0, call: { rawArguments: raw }, result: { isError: true, error: { kind: 'invalid-input', retryable: false } } });
    expect(result?.result.error?.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
    expect(given).toEqual([]);
    expect(typesOf(events)).not.toContain('tool-start');
    expect(transcriptFaults(done?.outcome.messages ?? [])).toEqual([]);
  });

  const HOSTILE = [
    '{"__proto__":{"polluted":true}}',
    '{"a":[{"__proto__":{"polluted":true}}]}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"a":{"constructor":{"prototype":{"polluted":true}}},"toString":1,"hasOwnProperty":null}',
  ];

  it.each(HOSTILE)('with hostile keys change nothing, and reach the tool as own keys: %s', (raw) => {
    const { given, result, done } = runTool((args) => args, raw);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(JSON.stringify(given[0])).toBe(raw);
    expect(Object.getPrototypeOf(given[0])).toBe(Object.prototype);
    expect((given[0] as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(JSON.stringify(result?.call.arguments)).toBe(raw);
    expect(JSON.stringify(result?.result.output)).toBe(raw);
    expect(JSON.stringify(done?.outcome.messages)).toContain(raw);
  });

  it.each(['__proto__', 'constructor', 'toString', ''])('of a tool named %j are refused: there is no such tool', (name) => {
    const model = scripted([{ calls: [{ name, arguments: {} }] }, { text: 'ok' }]);
    const { events, ending } = play(toolLoop({ model, prompt: 'go' }));
    expect(events.find((event) => event.type === 'tool-result')).toMatchObject({ result: { isError: true, error: { kind: 'not-found' }, name } });
    expect(ending).toBe('complete');
  });

  it('nested very deep end in a result, not in a crash', () => {
    const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const { result, ending } = runTool(() => 'ran', deep);
    expect(result).toBeDefined();
    expect(ending).toBe('complete');
  });
});
