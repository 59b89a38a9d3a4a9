import { describe, expect, it } from '@jest/globals';
import { NEVER, of, Subject, VirtualTimeScheduler } from 'rxjs';
import * as z from 'zod';
import { asTool, ModelError, openRequests, resumeToolLoop, toolLoop } from '../../lib/index.ts';
import type { Checkpoint, Done, EventOf, LoopEvent, Tool, ToolLoopOptions } from '../../lib/index.ts';
import { scripted } from '../../lib/deltas/scripted.ts';
import { finish, fakeTool, script, text, usage } from '../../marbles/index.ts';
import { countedIds } from '../support/loop-unit.ts';
import { play } from '../support/play.ts';

const input = z.object({});
const inside = (loop: () => ToolLoopOptions, more: object = {}): Tool => asTool({ name: 'ask', description: 'Asks.', input, loop, ...more });
const asks = { calls: [{ name: 'ask', id: 'c' }], usage: { inputTokens: 1, outputTokens: 0 } };
const done = { text: 'done', usage: { inputTokens: 1, outputTokens: 0 } };
const ten = { inputTokens: 10, outputTokens: 0 };
const answers = (said = 'inner'): ToolLoopOptions => ({ model: scripted([{ text: said, usage: ten }]), prompt: 'in' });
const careful = { ...fakeTool(of('1')), needsApproval: true } as const;

function outer(tool: Tool | readonly Tool[], options: Partial<ToolLoopOptions> = {}) {
  const played = play(toolLoop({ model: scripted([asks, done]), tools: [tool].flat() as never, prompt: 'go', ids: countedIds(), runId: 'r', ...options }));
  return { ...played, result: resultIn(played.events), outcome: outcomeOf(played.events) };
}
const resultIn = (events: readonly LoopEvent[]) => events.find((event): event is EventOf<'tool-result'> => event.type === 'tool-result' && event.parent === undefined)?.result;
const outcomeOf = (events: readonly LoopEvent[]) => (events.at(-1) as Partial<Done>).outcome;

describe('asTool', () => {
  it('is a run inside a call, whose events pass with their parent', () => {
    const { events, result, outcome } = outer(inside(() => answers()));
    const parents = events.filter(({ parent }) => parent !== undefined);
    expect(parents.map(({ type }) => type)).toEqual(['run-start', 'step-start', 'delta', 'delta', 'delta', 'step-end', 'done']);
    expect(parents.every(({ parent, runId }) => parent?.runId === 'r' && parent.callId === 'c' && runId === 'run-1')).toBe(true);
    expect(result).toMatchObject({ isError: false, output: 'inner', content: [{ text: 'inner' }] });
    expect(outcome).toMatchObject({ usage: { inputTokens: 12 }, nestedUsage: { inputTokens: 10 } });
  });

  it('gives its output, where it has one', () => {
    const { result } = outer(inside(() => ({ ...answers('{"a":1}'), output: { schema: z.object({ a: z.number() }) } })));
    expect(result).toMatchObject({ output: { a: 1 }, content: [{ text: '{"a":1}' }] });
  });

  it('is an error result where it ends otherwise, and says what it had said', () => {
    const cut = (): ToolLoopOptions => ({ model: scripted([{ text: 'half', finish: 'length' }]), prompt: 'in' });
    expect(outer(inside(cut)).result).toMatchObject({ isError: true, content: [{ text: 'The run inside ended with "length". It had said: half' }] });
  });

  it('is an error result where it fails, and what it used counts', () => {
    const failing = (): ToolLoopOptions => ({ model: scripted([{ usage: ten, error: new ModelError('model-http', 'No.', { status: 400, retryable: false }) }]), prompt: 'in' });
    const { result, outcome, ending } = outer(inside(failing));
    expect([ending, result]).toMatchObject(['complete', { isError: true, error: { kind: 'other', message: 'The run inside failed: No.' } }]);
    expect(outcome?.nestedUsage).toMatchObject({ inputTokens: 10 });
  });

  it('is an error result where its options are wrong', () => {
    expect(outer(inside(() => ({ model: scripted([]) }))).result).toMatchObject({ isError: true, error: { message: expect.stringContaining('prompt and messages are both missing') } });
    expect(outer(inside(() => { throw new Error('boom'); })).result).toMatchObject({ isError: true, error: { message: expect.stringContaining('boom') } });
  });

  it('stands in at most eight others', () => {
    const deep = (): ToolLoopOptions => ({ model: scripted([asks, done]), prompt: 'in', tools: [inside(deep)] });
    const { events, ending } = outer(inside(deep));
    expect(ending).toBe('complete');
    expect(events.filter(({ type }) => type === 'run-start')).toHaveLength(9);
    expect(JSON.stringify(events)).toContain('A run may stand in at most 8 others.');
  });

  it('may use what the run around it has left', () => {
    const greedy = (): ToolLoopOptions => ({ model: scripted([{ calls: [{ name: 'add' }], usage: ten }, done]), prompt: 'in', tools: [fakeTool(of(1))], budget: { maxTotalTokens: 1_000 } });
    expect(outer(inside(greedy), { budget: { maxTotalTokens: 5 } }).result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('"max-tokens"') }] });
    expect(outer(inside(greedy), { budget: { maxTotalTokens: 500 } }).result).toMatchObject({ isError: false });
  });

  it('is told to stop with the run around it, and by its own abort$', () => {
    const abort$ = new Subject<void>();
    const own$ = new Subject<void>();
    const endless = (): ToolLoopOptions => ({ model: script(NEVER), prompt: 'in', abort$: own$ });
    const { events } = outer(inside(endless), { abort$, timeouts: { graceMs: 5 } });
    abort$.next();
    expect(events.filter(({ type }) => type === 'done')).toMatchObject([{ parent: { callId: 'c' }, outcome: { reason: 'aborted' } }, { outcome: { reason: 'aborted' } }]);
    const { events: alone } = outer(inside(endless));
    own$.next();
    expect(resultIn(alone)).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('"aborted"') }] });
  });

  it('counts what its steps have used where it is left', () => {
    const scheduler = new VirtualTimeScheduler();
    const model = script(of(usage(ten), text('a'), finish('pause')), NEVER);
    const { events } = outer(inside(() => ({ model, prompt: 'in' }), { timeoutMs: 5 }), { scheduler });
    scheduler.flush();
    expect(resultIn(events)).toMatchObject({ isError: true, error: { kind: 'timeout' } });
    expect(outcomeOf(events)?.nestedUsage).toMatchObject({ inputTokens: 10 });
  });

  it('runs by itself where no run is around it', () => {
    const tool = inside(() => answers());
    const values: unknown[] = [];
    (tool.run({} as never, { runId: 'r', callId: 'c', signal: new AbortController().signal } as never) as ReturnType<typeof of>).subscribe((value) => values.push(value));
    expect(values).toMatchObject([{ output: 'inner' }]);
  });
});

describe('a run inside that waits for an answer', () => {
  const waits = (...more: Parameters<typeof scripted>[0]): Tool => {
    const model = scripted([{ calls: [{ name: 'add', id: 'd' }], usage: ten }, ...more]);
    return inside(() => ({ model, prompt: 'in', tools: [careful] }));
  };

  it('suspends the run around it, is resumed with it, and is counted once', () => {
    const tool = waits({ text: 'inner', usage: ten });
    const { outcome } = outer(tool);
    expect(outcome).toMatchObject({ reason: 'suspended', usage: { inputTokens: 11 }, nestedUsage: { inputTokens: 10 } });
    const checkpoint = JSON.parse(JSON.stringify(outcome?.checkpoint)) as Checkpoint;
    expect(openRequests(checkpoint)).toMatchObject([{ callId: 'd', runId: 'run-1' }]);
    const { events } = play(resumeToolLoop(checkpoint, { 'request-1': { type: 'approve' } }, { model: scripted([done]), tools: [tool], ids: countedIds() }));
    expect(resultIn(events)).toMatchObject({ isError: false, output: 'inner' });
    expect(outcomeOf(events)).toMatchObject({ reason: 'answer', usage: { inputTokens: 22 }, nestedUsage: { inputTokens: 20 } });
  });

  it('asks the approvals of the run around it', () => {
    const { outcome, result } = outer(waits({ text: 'inner', usage: ten }), { approvals: () => ({ type: 'approve' }) });
    expect([outcome?.reason, result]).toMatchObject(['answer', { output: 'inner' }]);
  });

  it('does not lose what another run inside has used', () => {
    const quick = asTool({ name: 'quick', description: 'Quick.', input, loop: () => answers() });
    const model = scripted([{ calls: [{ name: 'quick', id: 'a' }, { name: 'ask', id: 'b' }], usage: { inputTokens: 1, outputTokens: 0 } }]);
    const tool = waits({ text: 'inner', usage: ten });
    const { outcome } = outer([quick, tool], { model });
    expect(outcome?.nestedUsage).toMatchObject({ inputTokens: 20 });
    const { events } = play(resumeToolLoop(outcome?.checkpoint as Checkpoint, { 'request-1': { type: 'approve' } }, { model: scripted([done]), tools: [quick, tool], ids: countedIds() }));
    expect(outcomeOf(events)).toMatchObject({ usage: { inputTokens: 32 }, nestedUsage: { inputTokens: 30 } });
  });

  it('leaves no open request behind when it has ended', () => {
    const other = { ...fakeTool(of('2'), { name: 'mul' }), needsApproval: true } as const;
    const model = scripted([{ calls: [{ name: 'ask', id: 'a' }, { name: 'mul', id: 'b' }] }]);
    const tool = waits({ text: 'inner' });
    const { outcome } = outer([tool, other], { model });
    const first = outcome?.checkpoint as Checkpoint;
    const id = openRequests(first).find(({ callId }) => callId === 'd')?.id ?? '';
    const { events } = play(resumeToolLoop(first, { [id]: { type: 'approve' } }, { model: scripted([done]), tools: [tool, other], ids: countedIds() }));
    expect(openRequests(outcomeOf(events)?.checkpoint as Checkpoint).map(({ callId }) => callId)).toEqual(['b']);
  });

  it('that is stopped after all is counted', () => {
    const { outcome } = outer(waits());
    const abort$ = of(1);
    const { events } = play(resumeToolLoop(outcome?.checkpoint as Checkpoint, {}, { model: scripted([]), tools: [waits()], abort$ }));
    expect(outcomeOf(events)).toMatchObject({ reason: 'aborted', nestedUsage: { inputTokens: 10 } });
  });
});
