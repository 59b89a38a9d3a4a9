import { describe, expect, it } from '@jest/globals';
import { from, lastValueFrom, Observable, of, toArray, VirtualTimeScheduler } from 'rxjs';
import { coalesce, defineTool, foldState, initialState, toolLoop, toPartialOutput, toState } from '../../lib/index.ts';
import type { Delta, EventOf, LoopEvent, LoopState, Message } from '../../lib/index.ts';
import { applyPatches, toPatches } from '../../lib/projections/patches.ts';
import { finish, script } from '../../marbles/index.ts';
import { delta, end, start, step } from '../support/events.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

// What is done to the events of a run. The numbers are those of docs/peers.md.

const text = (words: string, block = 'b'): EventOf<'delta'> => delta(0, { type: 'text', block, text: words }) as EventOf<'delta'>;
const letters = (json: string): string[] => [...json];
const longJson = JSON.stringify({ list: Array.from({ length: 20_000 }, (_, n) => n) });

describe('a partial value', () => {
  it('of a hundred thousand pieces is read once, not anew at each piece [#91]', async () => {
    expect(longJson.length).toBeGreaterThan(100_000);
    const run = [step(0), delta(0, { type: 'tool-call-start', index: 0, id: 'c', name: 'add' }), ...letters(JSON.stringify({ text: longJson })).map((chunk) => delta(0, { type: 'tool-call-arguments', index: 0, chunk }))];
    const { calls } = await lastValueFrom(from(run).pipe(toState()));
    expect(calls[0]?.arguments).toEqual({ text: longJson });
  });

  it('of an output of that length is read once too, and so are its patches [#92]', async () => {
    const run = [step(0), ...letters(JSON.stringify({ text: longJson })).map((one) => text(one))];
    expect(await lastValueFrom(from(run).pipe(toPartialOutput()))).toEqual({ text: longJson });
    const { messages } = await lastValueFrom(from(run.slice(0, 10_001)).pipe(toPatches(), applyPatches()));
    expect(messages[0]?.blocks).toEqual([{ type: 'text', block: 'b', text: JSON.stringify({ text: longJson }).slice(0, 10_000) }]);
  });

  it('that changed is another object, and one that did not is the same [#97]', async () => {
    const states = await lastValueFrom(from([start(), step(0), text('a'), text('b'), end(0)]).pipe(toState(), toArray()));
    expect(new Set(states).size).toBe(states.length);
    expect(new Set(states.map(({ messages }) => messages)).size).toBe(states.length);
    expect(new Set(states.map(({ calls }) => calls)).size).toBe(1);
  });
});

// prettier-ignore
describe('merging', () => {
  it('makes one event a frame of a thousand pieces that come in one tick [#95]', loopMarbles(({ expectValues, scheduler }) => {
    const pieces = Array.from({ length: 1_000 }, () => text('x'));
    const burst = new Observable<LoopEvent>((subscriber) => pieces.forEach((one) => subscriber.next(one)));

    expectValues(burst.pipe(coalesce({ frame: scheduler }))).toBe('w---', { w: text('x'.repeat(1_000)) });
  }));

  it('lets a call not overtake a text without a space at its end [#98]', loopMarbles(({ turn, tool, script: models, expectEvents }) => {
    const turn1 = turn(' -wx-c---(y|)      ', { w: text('wor').delta, x: text('ld').delta });
    const add = tool('            -(1|)   ');
    const turn2 = turn('             -t-(z|)');
    const events = '     ----(wc)y1--(TZL|)';

    expectEvents(toolLoop({ model: models(turn1, turn2), tools: [add], prompt: 'go' }).pipe(coalesce({ ms: 50 })))
      .toBe(events, { w: '0 text' }).having('w', { delta: { text: 'world' } });
  }));

  it('is there for who wants a text to flow smoothly [#109]', loopMarbles(({ turn, script: models, expectEvents }) => {
    const turn1 = turn('-tt---t-(z|)');
    expectEvents(toolLoop({ model: models(turn1), prompt: 'go' }).pipe(coalesce({ ms: 3 }))).toBe('----w---(tzL|)', { w: '0 text "hihi"', t: '0 text "hi"' });
  }));

  it('keeps a signature that the last piece brings, and the next request has it [#100]', async () => {
    const reasoning = (words: string, meta?: Record<string, unknown>): Delta => ({ type: 'reasoning', block: 'r', text: words, ...(meta && { meta }) });
    const call: Delta[] = [{ type: 'tool-call-start', index: 0, id: 'c', name: 'add' }, { type: 'tool-call-end', index: 0, call: { id: 'c', name: 'add', arguments: {} } }];
    const model = script(of(reasoning('hm'), reasoning(' so'), reasoning('', { signature: 's' }), ...call, finish('tool-use')), of({ type: 'text', block: 't', text: 'ok' } as Delta, finish('stop')));
    const input = { '~standard': { version: 1, vendor: 'spec', validate: (value: unknown) => ({ value }), jsonSchema: { input: () => ({ type: 'object' }) } } } as const;
    const add = defineTool({ name: 'add', description: 'Adds.', input, run: () => 1 });
    const said = await lastValueFrom(toolLoop({ model, tools: [add], prompt: 'go' }).pipe(coalesce({ ms: 5, scheduler: new VirtualTimeScheduler() }), toArray()));
    const thought = { type: 'reasoning', block: 'r', text: 'hm so', meta: { signature: 's' } };
    expect(said.flatMap((event) => (event.type === 'delta' && event.delta.type === 'reasoning' ? [event.delta] : []))).toEqual([thought]);
    expect(model.requests[1]?.messages.find((one: Message) => one.role === 'assistant')?.content[0]).toEqual(thought);
    expect(said.reduce<LoopState>(foldState, initialState()).messages[0]?.blocks[0]).toEqual(thought);
  });
});

describe('what goes on at the same time', () => {
  it('in a run inside a tool is shown, below its call [#101]', () => {
    const parent = { runId: 'run1', callId: 'c' };
    const inner = [start(), step(0), text('a'), text('b'), text('c')].map((event): LoopEvent => ({ ...event, runId: 'inner', parent }));
    const state = [start(), step(0), ...inner].reduce<LoopState>(foldState, initialState());
    expect(state.nested['inner']).toMatchObject({ parent, messages: [{ blocks: [{ text: 'abc' }] }] });
  });

  it('in two blocks, or two runs, may alternate [#103]', async () => {
    const other = (event: LoopEvent): LoopEvent => ({ ...event, runId: 'other', parent: { runId: 'run1', callId: 'c' } });
    const run = [start(), step(0), text('1', 'a'), text('x', 'b'), other(start()), other(step(0)), text('2', 'a'), other(text('o', 'a')), text('y', 'b'), other(text('p', 'a'))];
    const state = await lastValueFrom(from(run).pipe(coalesce({ ms: 5 }), toPatches(), applyPatches()));
    expect(state.messages[0]?.blocks).toEqual([{ type: 'text', block: 'a', text: '12' }, { type: 'text', block: 'b', text: 'xy' }]);
    expect(state.nested['other']?.messages[0]?.blocks).toEqual([{ type: 'text', block: 'a', text: 'op' }]);
  });
});
