import { describe, expect, it } from '@jest/globals';
import { finalize, NEVER, of, Subject, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import type { LoopEvent } from '../../lib/event.ts';
import type { CallContext } from '../../lib/invoke/call-context.ts';
import { EagerCalls } from '../../lib/invoke/eager.ts';
import { toolCall } from '../../lib/message.ts';
import { concurrent, sequential } from '../../lib/schedule.ts';
import type { Schedule } from '../../lib/schedule.ts';
import type { Tool, ToolContext } from '../../lib/tool.ts';
import { fakeTool } from '../../marbles/index.ts';
import { hear, invokeContext } from '../support/invoke-context.ts';

const call = toolCall('c', 'add', '{}');
const running: Partial<Tool> = { eager: true, run: () => NEVER };

function early(tool: Partial<Tool>, change: Partial<CallContext> = {}) {
  const events: LoopEvent[] = [];
  const one: Tool = { ...fakeTool(of(1)), eager: true, ...tool };
  const calls = new EagerCalls({ ...invokeContext([one], change), schedule: sequential }, (events$: Observable<LoopEvent>) => void events$.subscribe((event) => events.push(event)));
  calls.start(call, 0);
  return { calls, events, record: () => calls.records.get('c') };
}

describe('EagerCalls', () => {
  it('starts a call, shows what happens, and keeps what it came to', () => {
    const body = new Subject<unknown>();
    const { events, record } = early({ run: () => body });
    body.next('half');
    expect([events, record()?.running?.isSet]).toMatchObject([[{ type: 'tool-start', speculative: true }], false]);
    body.next('whole');
    body.complete();
    expect(events).toMatchObject([{ type: 'tool-start' }, { type: 'tool-progress', progress: 'half' }]);
    expect(record()?.running?.value).toMatchObject({ ran: true, result: { output: 'whole' } });
  });

  it.each<[string, Partial<Tool>]>([
    ['is not eager', { eager: false }],
    ['runs on the client', { runsOn: 'client' }],
    ['needs an approval', { needsApproval: true }],
    ['may need one', { needsApproval: () => false }],
    ['the step does not have', { name: 'other' }],
  ])('does not start the call of a tool that %s', (_name, tool) => {
    const { events, record } = early({ run: () => { throw new Error('ran'); }, ...tool });
    expect([events, record()]).toEqual([[], undefined]);
  });

  it('fires the signal when the attempt ends otherwise, and the bodies may end by themselves', () => {
    let context: ToolContext | undefined;
    const body = new Subject<unknown>();
    const { calls, record } = early({ run: (_args, given) => ((context = given), body) }, { graceMs: 5 });
    expect(context?.signal.aborted).toBe(false);
    calls.stop();
    expect([context?.signal.aborted, record()?.running?.isSet]).toEqual([true, false]);
    body.next('done');
    body.complete();
    expect(record()?.running?.value).toMatchObject({ result: { output: 'done' } });
  });

  it('answers a call that is still checking its arguments: it has not begun', () => {
    const input = { '~standard': { version: 1, vendor: 'x', validate: () => NEVER as never, jsonSchema: { input: () => ({}) } } } as const;
    const { calls, events, record } = early({ input });
    calls.stop();
    expect([events, record()?.running?.value]).toMatchObject([[], { ran: false, result: { error: { kind: 'cancelled' } } }]);
  });

  it('says of each that had started that it is dropped, and leaves it', () => {
    const scheduler = new VirtualTimeScheduler();
    const body = new Subject<unknown>();
    const { calls } = early({ run: () => body }, { scheduler });
    scheduler.frame = 4;
    expect(calls.drop()).toEqual([{ type: 'tool-dropped', runId: 'r', step: 0, callId: 'c', elapsedMs: 4, reason: 'retracted' }]);
    expect(body.observed).toBe(false);
    expect(early({ run: () => 1 }).calls.drop()).toMatchObject([{ elapsedMs: 0, isError: false, reason: 'retracted' }]);
    expect(early({ eager: false }).calls.drop()).toEqual([]);
  });

  it.each<[string, Schedule, readonly (readonly [string, number])[], readonly string[]]>([
    ['one after another: the first alone', sequential, [['a', 0], ['b', 1]], ['a']],
    ['together: no more than the bound', concurrent(2), [['a', 0], ['b', 1], ['c', 2]], ['a', 'b']],
    ['after one that is not eager: none, because that one has its turn first', concurrent(8), [['later', 0], ['b', 1]], []],
    ['before one whose end came first: none but the first', concurrent(8), [['b', 1], ['a', 0], ['c', 2]], ['a']],
  ])('start as the schedule lets them run, %s', (_name, schedule, asked, started) => {
    const tools = ['a', 'b', 'c', 'later'].map((name) => ({ ...fakeTool(of(1), { name }), ...running, eager: name !== 'later' }));
    const calls = new EagerCalls({ ...invokeContext(tools), schedule }, (events$) => void events$.subscribe());
    for (const [name, index] of asked) calls.start(toolCall(name, name, '{}'), index);
    expect([...calls.records.keys()]).toEqual(started);
  });

  it.each([['completes', (body: Subject<unknown>) => body.complete()], ['fails', (body: Subject<unknown>) => body.error(new Error('boom'))]])('have settled when a body that %s is torn down, not before', (_name, end) => {
    const [order, body]: [string[], Subject<unknown>] = [[], new Subject()];
    const { record } = early({ run: () => body.pipe(finalize(() => order.push('torn down'))) });
    record()?.running?.value$.subscribe(() => order.push('settled'));
    end(body);
    expect(order).toEqual(['torn down', 'settled']);
  });

  it('start where one that had started early has ended', () => {
    const tools = [{ ...fakeTool(of(1), { name: 'a' }), eager: true }, { ...fakeTool(of(1), { name: 'b' }), ...running }, { ...fakeTool(of(1), { name: 'c' }), ...running }];
    const calls = new EagerCalls({ ...invokeContext(tools as Tool[]), schedule: (given) => [{ calls: given, bound: 1 }] }, (events$) => void events$.subscribe());
    for (const [index, name] of ['a', 'b', 'c'].entries()) calls.start(toolCall(name, name, '{}'), index);
    expect([...calls.records.keys()]).toEqual(['a', 'b']);
  });

  it('counts against the tool calls of the run', () => {
    const { events, record } = early({}, { mayNotStart: () => 'Enough.' });
    expect([events, hear(record()?.running?.value$ as Observable<unknown>).values]).toMatchObject([[], [{ ran: false, result: { error: { message: 'Enough.' } } }]]);
  });
});
