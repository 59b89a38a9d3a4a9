import { describe, expect, it } from '@jest/globals';
import { NEVER, of, Subject } from 'rxjs';
import type { Checkpoint, LoopEvent, Tool } from '../../lib/index.ts';
import { boundary, prepare, prepared } from '../../lib/loop/boundary.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import type { RunState } from '../../lib/loop/run-state.ts';
import { Next } from '../../lib/loop/unfold.ts';
import { userMessage } from '../../lib/message.ts';
import { fakeTool } from '../../marbles/index.ts';
import { hear } from '../support/invoke-context.ts';
import { loopUnit } from '../support/loop-unit.ts';

// What is asked between two steps, and in which order.

function say(options: Partial<ToolLoopOptions>, ask = boundary as (...all: never[]) => ReturnType<typeof boundary>, ...rest: unknown[]) {
  const { run, state } = loopUnit(options);
  run.inbox.steer('a');
  run.toolSet.latest = [];
  const heard = hear(ask(run as never, state as never, ...(rest as never[])));
  const events = (): string[] => heard.values.flatMap((one) => (one instanceof Next ? [] : [(one as LoopEvent).type]));
  const next = (): RunState | undefined => heard.values.flatMap((one) => (one instanceof Next ? [one.state] : []))[0] as RunState | undefined;
  return { run, heard, events, next };
}

const call = { type: 'call', fresh: true } as const;

describe('boundary', () => {
  const asking = (order: string[]): Partial<ToolLoopOptions> => ({
    tools: new Subject<readonly Tool[]>(),
    compact: (messages) => void order.push(`compact ${messages.length}`),
    onCheckpoint: ({ messages }: Checkpoint) => void order.push(`checkpoint ${messages.length}`),
    hooks: { beforeRequest: ({ messages }) => void order.push(`request ${messages.length}`) },
    demand: { ready: () => (order.push('demand'), of(undefined)) },
  });

  it('asks for the tools, what was said, a shorter transcript, the checkpoint, the hooks and the reader, in this order', () => {
    const order: string[] = [];
    const { run, events, next } = say(asking(order), boundary as never, false);
    expect(order).toEqual([]);
    run.toolSet.first.set();
    expect(order).toEqual(['compact 2', 'checkpoint 2', 'request 2', 'demand']);
    expect([events(), next()?.phase]).toEqual([['steering'], call]);
  });

  it('asks a resumed run only what comes after its checkpoint', () => {
    const order: string[] = [];
    const { run, events } = say({ ...asking(order), tools: [] }, boundary as never, false, true);
    expect([order, events(), run.inbox.isEmpty]).toEqual([['request 1', 'demand'], [], false]);
  });

  it('keeps the shorter transcript, and says so', () => {
    const summary = userMessage('s');
    const { events, next } = say({ compact: () => of([summary]) }, boundary as never, false);
    expect([events(), next()?.messages]).toEqual([['steering', 'compaction'], [summary]]);
  });

  it.each<[string, Partial<ToolLoopOptions>]>([
    ['tools', { tools: new Subject<readonly Tool[]>() }],
    ['a shorter transcript', { compact: () => NEVER }],
    ['the checkpoint', { onCheckpoint: () => NEVER }],
    ['a hook', { hooks: { beforeRequest: () => NEVER } }],
  ])('does not wait for %s past a stop', (_name, options) => {
    const { run, heard, next } = say({ abort$: NEVER, ...options }, boundary as never, false);
    expect(heard.ended).toBe(false);
    run.stops?.set({ reason: 'aborted' });
    expect([heard.ended, next()?.phase]).toEqual([true, { type: 'done', reason: 'aborted' }]);
  });

  it('ends where a hook stops the run', () => {
    expect(say({ hooks: { beforeRequest: () => ({ type: 'stop' }) } }, boundary as never, false).next()?.phase).toEqual({ type: 'done', reason: 'stopped' });
  });
});

describe('prepare', () => {
  it('keeps what the attempt waits for, then asks the hooks; what was said stays unread', () => {
    const order: unknown[] = [];
    const options: Partial<ToolLoopOptions> = { onCheckpoint: ({ wait }: Checkpoint) => void order.push(wait), hooks: { beforeRequest: () => void order.push('request') } };
    const then = { type: 'wait', wait: { delayMs: 5, retryAfter: false }, reason: 'Busy.', fresh: true } as const;
    const { run, next } = say(options, prepare as never, then);
    expect([order, next()?.phase, run.inbox.isEmpty]).toEqual([[{ delayMs: 5, retryAfter: false, reason: 'Busy.' }, 'request'], then, false]);
    order.length = 0;
    say(options, prepare as never, then, true);
    expect(order).toEqual(['request']);
  });

  it('is a phase only where somebody is asked', () => {
    const phase = (options: Partial<ToolLoopOptions>) => prepared(loopUnit(options).run, call).type;
    expect([phase({}), phase({ onCheckpoint: () => undefined }), phase({ hooks: { beforeRequest: () => undefined } }), phase({ hooks: { afterTool: () => undefined } })]).toEqual(['call', 'prepare', 'prepare', 'call']);
  });
});
