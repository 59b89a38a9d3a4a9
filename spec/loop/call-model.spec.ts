import { describe, expect, it } from '@jest/globals';
import { of, Subject } from 'rxjs';
import type { Delta } from '../../lib/delta.ts';
import type { LoopEvent } from '../../lib/event.ts';
import type { StepAnswer } from '../../lib/hooks.ts';
import { callModel } from '../../lib/loop/call-model.ts';
import type { ToolLoopOptions } from '../../lib/loop/options.ts';
import type { RunState } from '../../lib/loop/run-state.ts';
import { Next } from '../../lib/loop/unfold.ts';
import { call, fakeTool, finish, script, text } from '../../marbles/index.ts';
import { hear } from '../support/invoke-context.ts';
import { loopUnit } from '../support/loop-unit.ts';

function calling(options: Partial<ToolLoopOptions> = {}, fresh = true) {
  const { run, state } = loopUnit({ model: script(of(text('hi'), finish('stop'))), timeouts: { firstDeltaMs: 0, idleMs: 0, stallMs: 0 }, ...options });
  run.aside.events$.subscribe((event) => aside.push(event.type));
  const aside: string[] = [];
  const heard = hear(callModel(run, state, fresh));
  const events = (): string[] => heard.values.flatMap((one) => (one instanceof Next ? [] : [one.type === 'delta' ? one.delta.type : one.type]));
  const next = (): RunState | undefined => heard.values.flatMap((one) => (one instanceof Next ? [one.state] : []))[0] as RunState | undefined;
  return { run, heard, aside, events, next };
}

describe('callModel', () => {
  it('announces a counted call, passes its deltas, and says what follows', () => {
    const { events, next } = calling();
    expect(events()).toEqual(['step-start', 'text', 'finish', 'step-end']);
    expect(next()).toMatchObject({ calls: 1, phase: { type: 'done', reason: 'answer' } });
  });

  it('announces and counts nothing where the same attempt calls again', () => {
    const { events, next } = calling({}, false);
    expect([events(), next()?.calls]).toEqual([['text', 'finish', 'step-end'], 0]);
  });

  it('makes no counted call in a run that was told to stop', () => {
    const { run, state } = loopUnit({ abort$: of(1) });
    run.stops?.set({ reason: 'aborted' });
    expect(hear(callModel(run, state, true)).values).toMatchObject([{ state: { calls: 0, phase: { type: 'done', reason: 'aborted' } } }]);
  });

  it('shows a warning as status', () => {
    const { heard } = calling({ model: script(of<Delta[]>({ type: 'warning', text: 'No seed.', data: 1 }, text('hi'), finish('stop'))) });
    expect(heard.values[1]).toEqual({ type: 'status', runId: 'r', text: 'No seed.', data: 1 });
  });

  it('starts an eager tool once the end of its call was shown', () => {
    const order: string[] = [];
    const add = { ...fakeTool(of(1)), eager: true, run: () => order.push('ran') } as const;
    const model = script(of(...call('add', {}), finish('tool-use')));
    const { run, state } = loopUnit({ model, tools: [add] as never });
    run.aside.events$.subscribe();
    callModel(run, state, true).subscribe((one) => void order.push(one instanceof Next ? 'next' : (one as LoopEvent & { delta?: Delta }).delta?.type ?? (one as LoopEvent).type));
    expect(order.slice(order.indexOf('tool-call-end'), order.indexOf('tool-call-end') + 2)).toEqual(['tool-call-end', 'ran']);
  });

  it('shows the finish only when the hooks after the step have spoken', () => {
    const later = new Subject<StepAnswer | undefined>();
    const { events } = calling({ hooks: { afterStep: () => later } });
    expect(events()).toEqual(['step-start', 'text']);
    later.next(undefined);
    expect(events()).toEqual(['step-start', 'text', 'finish', 'step-end']);
    expect(calling({ hooks: { afterStep: () => ({ type: 'retract' }) } }).events()).toEqual(['step-start', 'text', 'step-retract']);
  });

  it('ends a step that somebody looks at as one that was cut, where the run is stopped meanwhile', () => {
    const { run, heard, next } = calling({ hooks: { afterStep: () => new Subject<never>() } });
    run.stops?.set({ reason: 'aborted' });
    expect(heard.ended).toBe(true);
    expect(heard.values.find((one) => !(one instanceof Next) && one.type === 'step-end')).toMatchObject({ finish: 'aborted' });
    expect(next()).toMatchObject({ phase: { type: 'done', reason: 'aborted' } });
  });

  it('leaves the model and the hook with its reader', () => {
    const deltas = new Subject<Delta>();
    const { heard } = calling({ model: script(deltas) });
    heard.leave();
    expect(deltas.observed).toBe(false);
  });
});
