import { describe, expect, it } from '@jest/globals';
import { isObservable, Subject } from 'rxjs';
import type { Delta } from '../../lib/delta.ts';
import type { Hooks, InvalidCallAnswer } from '../../lib/hooks.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import { AttemptScreen } from '../../lib/loop/screen.ts';
import { toolCall } from '../../lib/message.ts';
import { hear } from '../support/invoke-context.ts';
import { loopUnit } from '../support/loop-unit.ts';

const text: Delta = { type: 'text', block: 'b', text: 'hi' };
const start = (name: string, index = 0): Delta => ({ type: 'tool-call-start', index, id: `c${index}`, name });
const end = (name: string, index = 0): Delta => ({ type: 'tool-call-end', index, call: toolCall(`c${index}`, name, '{}') });

function screening(hooks: Hooks | readonly Hooks[], options: Partial<ToolLoopOptions> = {}, invalidCalls = 0) {
  const { run, state } = loopUnit({ hooks, ...options }, { invalidCalls, specs: ['add', 'mul'].map((name) => ({ name, description: name, parameters: {} })) });
  const screen = AttemptScreen.of(run, state);
  const pass = (delta: Delta): unknown => {
    const said = screen?.pass(delta);
    return isObservable(said) ? hear(said).values[0] : said;
  };
  return { run, screen, pass };
}

const invalid = (said: unknown, options?: Partial<ToolLoopOptions>, invalidCalls?: number) => screening({ invalidCall: () => said as InvalidCallAnswer }, options, invalidCalls);
const error = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (thrown) {
    return thrown;
  }
};

describe('AttemptScreen', () => {
  it('is there only where something is to be screened', () => {
    expect(screening({ afterTool: () => undefined }).screen).toBeUndefined();
    expect(screening([], { policy: { unknownTool: 'fail' } }).screen).toBeDefined();
    expect(screening([], { policy: { invalidScope: 'turn' } }).screen).toBeDefined();
  });

  it('asks onDelta about the kinds that it names', () => {
    const seen: unknown[] = [];
    const { pass } = screening({ deltas: ['text'], onDelta: (delta) => void seen.push(delta) });
    expect([pass(text), pass(start('add'))]).toEqual([{ delta: text }, { delta: start('add') }]);
    expect(seen).toEqual([text]);
  });

  it('keeps a delta from being shown where onDelta stops the run', () => {
    const { run, pass } = screening({ deltas: ['text'], onDelta: () => ({ type: 'stop', reason: 'No.' }) });
    expect([pass(text), run.stops?.stopped]).toEqual([{ delta: undefined }, { reason: 'stopped', text: 'No.' }]);
  });

  it('waits for onDelta', () => {
    const later = new Subject<undefined>();
    const { screen } = screening({ deltas: ['text'], onDelta: () => later });
    const heard = hear(screen?.pass(text) as never);
    expect(heard.values).toEqual([]);
    later.complete();
    expect(heard.values).toEqual([{ delta: text }]);
  });

  it.each([true, 5, 'stop', { type: 'continue' }])('fails where onDelta answers with what is no stop: %j', (said) => {
    const { pass } = screening({ deltas: ['text'], onDelta: () => said as never });
    expect(error(() => pass(text))).toMatchObject({ code: 'hook', message: expect.stringContaining('An answer of onDelta') });
  });

  it('asks onDelta about the start of a call that invalidCall let stand', () => {
    const seen: unknown[] = [];
    const hooks: Hooks = { deltas: ['tool-call-start'], onDelta: (delta) => void seen.push(delta), invalidCall: ({ name }) => (name === 'ad' ? { type: 'repair', name: 'add' } : undefined) };
    const { pass } = screening(hooks);
    pass(start('ad', 0));
    pass(start('nope', 1));
    expect(seen).toEqual([start('add', 0), start('nope', 1)]);
  });
});

describe('a call of a tool that the step does not have', () => {
  it('is told with the names that there are', () => {
    const seen: unknown[] = [];
    screening({ invalidCall: (call) => void seen.push(call) }).pass(start('ad'));
    expect(seen).toEqual([{ callId: 'c0', name: 'ad', available: ['add', 'mul'] }]);
  });

  it('stands where nobody has an opinion; its turn comes', () => {
    const { screen, pass } = invalid(undefined);
    expect([pass(start('ad')), screen?.verdicts.size]).toEqual([{ delta: start('ad') }, 0]);
  });

  it('is repaired: its name in the start and in the call, its arguments as they were', () => {
    const { pass } = invalid({ type: 'repair', name: 'add' });
    expect([pass(start('ad')), pass(end('ad')), pass(end('mul', 1))]).toEqual([{ delta: start('add') }, { delta: end('add') }, { delta: end('mul', 1) }]);
    expect(error(() => invalid({ type: 'repair', name: 'x' }).pass(start('ad')))).toMatchObject({ code: 'hook', message: 'An answer of invalidCall repairs to "x", which the step does not have.' });
  });

  it('is skipped with a result', () => {
    const { screen, pass } = invalid({ type: 'skip', reason: 'Not needed.' });
    pass(start('ad'));
    expect(screen?.verdicts.get('c0')).toEqual({ content: [{ type: 'text', text: 'Not needed.' }], isError: false });
  });

  it('is sent back, so often as the hook says, once by itself', () => {
    const { screen, pass } = invalid({ type: 'retry', feedback: 'There is add.' });
    pass(start('ad'));
    expect(screen).toMatchObject({ retries: 1 });
    expect(screen?.verdicts.get('c0')).toMatchObject({ isError: true, content: [{ text: 'There is add.' }], error: { kind: 'not-found' } });
    expect(error(() => pass(start('ad', 1)))).toMatchObject({ code: 'unknown-tool', toolName: 'ad' });
    expect(error(() => invalid({ type: 'retry', feedback: 'x' }, {}, 1).pass(start('ad')))).toMatchObject({ code: 'unknown-tool' });
    const twice = screening({ invalidRetries: 2, invalidCall: () => ({ type: 'retry', feedback: 'x' }) });
    twice.pass(start('ad'));
    expect(twice.pass(start('ad', 1))).toMatchObject({ delta: { index: 1 } });
  });

  it('ends the run: by a hook, by its stop, or by the policy', () => {
    expect(error(() => invalid({ type: 'fail' }).pass(start('ad')))).toMatchObject({ code: 'unknown-tool', available: ['add', 'mul'] });
    const { run, pass } = invalid({ type: 'stop' });
    expect([pass(start('ad')), run.stops?.stopped]).toMatchObject([{ delta: undefined }, { reason: 'stopped', callId: 'c0' }]);
    expect(error(() => screening([], { policy: { unknownTool: 'fail' } }).pass(start('ad')))).toMatchObject({ code: 'unknown-tool' });
  });

  it.each([[{ type: 'go' }, 'has the type "go"'], [{ type: 'skip' }, 'needs a text as its reason'], [{ type: 'retry' }, 'needs a text as its feedback']])('fails for the answer %j', (said, why) => {
    expect(error(() => invalid(said).pass(start('ad')))).toMatchObject({ code: 'hook', message: `An answer of invalidCall ${why}.` });
  });

  it('spoils its turn where the policy says so: the rest leaves no trace but its usage', () => {
    const { screen, pass } = screening([], { policy: { invalidScope: 'turn' } });
    const usage: Delta = { type: 'usage', usage: { inputTokens: 1 } };
    expect(pass(start('ad'))).toEqual({ delta: start('ad'), hidden: true });
    expect([pass(text), pass(usage), pass(end('ad')), pass(start('add', 1))]).toEqual([{ delta: undefined, hidden: true }, { delta: usage }, { delta: end('ad'), hidden: true }, { delta: undefined, hidden: true }]);
    expect([screen?.spoiled, screen?.verdicts.get('c0')]).toMatchObject([true, { isError: true, error: { kind: 'not-found' } }]);
  });
});
