import { afterEach, describe, expect, it } from '@jest/globals';
import { concat, defer, filter, finalize, from, map, mergeMap, NEVER, of, Subject, take, tap, timer, VirtualTimeScheduler } from 'rxjs';
import * as z from 'zod';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import { defineTool, pull, toolLoop } from '../../lib/index.ts';
import type { Delta, EventOf, Model, ToolContext } from '../../lib/index.ts';
import { call, fakeTool, finish, script, text } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { closeServers, serve } from '../support/loopback.ts';
import { play } from '../support/play.ts';

// Ending a run from outside, softly (`abort$`) and by leaving. The numbers are those of docs/peers.md.

const prompt = 'go';
const asks = (...names: string[]) => of(...names.flatMap((name, index) => call(name, {}, { id: name, index })), finish('tool-use'));
const turnOfHost = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

afterEach(closeServers);

// prettier-ignore
describe('a stop', () => {
  it('in a tool is told of by `done`, as in every other phase [#20]', loopMarbles(({ turn, tool, script, cold, expectEvents }) => {
    const turn1 = turn(' -c-(y|)                ');
    const add = tool('      500ms (1|)          ');
    const abort$ = cold('50ms x                 ');
    const graceMs = 10;
    const events = '     -c-y 56ms (1L|)        ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, abort$, timeouts: { graceMs } })).toBe(events)
      .having('1', { isError: true, error: { kind: 'cancelled' } }).having('L', { reason: 'aborted' });
  }));

  it('says that the run was aborted, and the model is read no further [#28]', loopMarbles(({ turn, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -t-t-t-t-t-(z|)');
    const abort$ = cold('----x          ');
    const events = '     -t-t(zL|)      ';

    expectEvents(toolLoop({ model: script(turn1), prompt, abort$ })).toBe(events).having('z', { finish: 'aborted' }).having('L', { reason: 'aborted' });
    expectSubscriptions(turn1).toBe('^---!');
  }));

  it('ends a model that is silent in the same tick [#32]', loopMarbles(({ turn, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' 10s t         ');
    const abort$ = cold('1s x          ');
    const events = '     1s (zL|)      ';

    expectEvents(toolLoop({ model: script(turn1), prompt, abort$ })).toBe(events).having('L', { reason: 'aborted', messages: [{ role: 'user' }] });
    expectSubscriptions(turn1).toBe('^ 999ms !');
  }));

  it('in a tool is followed by no further model call and no further tool [#34]', loopMarbles(({ turn, tool, script, cold, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-d-(y|)        ');
    const add = tool('        ----(1|)    ');
    const mul = tool('            (1|)    ', { name: 'mul' });
    const abort$ = cold('-------x         ');
    const turn2 = turn('          (z|)  ');
    const events = '     -c-d-y---(12L|)  ';

    // The tool ends within its time of grace: what it came to is kept.
    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add, mul], prompt, abort$ })).toBe(events)
      .having('1', { isError: false }).having('2', { isError: true, error: { kind: 'cancelled' } });
    expectSubscriptions(mul).toBe([]);
    expectSubscriptions(turn2).toBe([]);
  }));

  it('does not wait for a tool that never ends longer than its grace [#35]', loopMarbles(({ turn, tool, script, cold, time, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-(y|)          ');
    const add = tool('      ----------    ');
    const abort$ = cold('-----x           ');
    const graceMs = time('    ---|         ');
    const events = '     -c-y----(1L|)    ';

    expectEvents(toolLoop({ model: script(turn1), tools: [add], prompt, abort$, timeouts: { graceMs } })).toBe(events).having('L', { reason: 'aborted' });
    expectSubscriptions(add).toBe('---^----!');
  }));

  it.each<[string, 'first' | 'last']>([
    ['before it', 'first'],
    ['after it', 'last'],
  ])('in the tick in which a tool ends, %s, gives one result and one ending [#37]', (_when, order) => loopMarbles(({ turn, script, scheduler, expectEvents }) => {
    const turn1 = turn('  -c-(y|)     ');
    const events = order === 'first' ? '-c-y-(1L|)' : '-c-y-(1ZL|)';
    const add$ = new Subject<number>();
    const abort$ = new Subject<void>();
    scheduler.schedule(() => {
      if (order === 'first') abort$.next();
      add$.next(3);
      add$.complete();
      if (order === 'last') abort$.next();
    }, 5);

    // The result counts either way: it comes in the tick of the stop. After it the next call has begun, and is aborted.
    expectEvents(toolLoop({ model: script(turn1, turn('(z|)')), tools: [fakeTool(add$)], prompt, abort$ })).toBe(events)
      .having('1', { isError: false }).having('L', { reason: 'aborted' });
  })());
});

describe('the signal', () => {
  it('of the run is in the context of every tool [#22] [#31]', () => {
    const contexts: ToolContext[] = [];
    const tool = (name: string) => defineTool({ name, description: 'Keeps.', input: z.object({}), parallelSafe: true, run: (_args, context) => (contexts.push(context), NEVER) });
    const stop$ = new Subject<void>();
    const { events } = play(toolLoop({ model: script(asks('one', 'two')), tools: [tool('one'), tool('two')], prompt, abort$: stop$, timeouts: { graceMs: 0 } }));
    expect(contexts.map(({ signal }) => [signal instanceof AbortSignal, signal.aborted])).toEqual([[true, false], [true, false]]);
    stop$.next();
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(events.at(-1)).toMatchObject({ type: 'done', outcome: { reason: 'aborted' } });
  });

  it('is seen by a tool that looks at it now and then, which then ends by itself [#25]', () => {
    const scheduler = new VirtualTimeScheduler();
    const polls = defineTool({
      name: 'poll', description: 'Looks.', input: z.object({}),
      run: (_args, { signal }) => timer(0, 10, scheduler).pipe(filter(() => signal.aborted), take(1), map((n) => `stopped at ${n}`)),
    });
    const { events } = play(toolLoop({ model: script(asks('poll')), tools: [polls], prompt, abort$: timer(25, scheduler), scheduler }));
    scheduler.flush();
    const result = events.find((event): event is EventOf<'tool-result'> => event.type === 'tool-result');
    expect(result?.result).toMatchObject({ isError: false, output: 'stopped at 3' });
    expect([result?.elapsedMs, events.at(-1)]).toMatchObject([30, { outcome: { reason: 'aborted' } }]);
  });
});

describe('leaving', () => {
  it('an outer stream leaves the run inside it, with its model and its tool [#23]', () => {
    const left: string[] = [];
    const outer = (model: Model) => of('prompt').pipe(mergeMap((said) => toolLoop({ model, prompt: said, tools: [fakeTool(NEVER.pipe(finalize(() => left.push('tool'))), { name: 'add' })] })));
    outer(script(NEVER.pipe(finalize(() => left.push('model'))))).subscribe().unsubscribe();
    outer(script(asks('add'))).subscribe().unsubscribe();
    expect(left).toEqual(['model', 'tool']);
  });

  it('after the first piece closes the connection [#26]', async () => {
    let closed = (): void => undefined;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const baseUrl = await serve((_request, response) => {
      response.on('close', closed);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}\n\n');
    });
    await new Promise<void>((resolve) => {
      const subscription = toolLoop({ model: openaiChat({ model: 'm', baseUrl }), prompt }).subscribe(({ type }) => {
        if (type !== 'delta') return;
        subscription.unsubscribe();
        resolve();
      });
    });
    await isClosed;
  });

  it('closes a generator that a tool gave [#29]', async () => {
    let closed = 0;
    const counts = defineTool({
      name: 'count', description: 'Counts.', input: z.object({}),
      async *run() {
        try {
          for (let n = 0; ; n++) {
            yield n;
            await turnOfHost();
          }
        } finally {
          closed += 1;
        }
      },
    });
    const { events, leave } = play(toolLoop({ model: script(asks('count')), tools: [counts], prompt }));
    await new Promise<void>((resolve) => setImmediate(resolve));
    leave();
    await turnOfHost();
    const heard = events.length;
    await turnOfHost();
    expect([closed, events.length]).toEqual([1, heard]);
  });

  it('the loop over its events leaves the model [#38]', async () => {
    let reads = 0;
    let left = 0;
    const endless = defer(() => from(letters()).pipe(tap(() => reads++), finalize(() => left++)));
    for await (const event of pull((demand) => toolLoop({ model: script(concat(of(text('a', 'b')), endless, NEVER)), prompt, demand }), { highWaterMark: 1 })) {
      if (event.type === 'delta') break;
    }
    const before = reads;
    await turnOfHost();
    expect([left, reads]).toEqual([1, before]);
  });
});

async function* letters(): AsyncGenerator<Delta> {
  for (;;) {
    yield text('x', 'b');
    await turnOfHost();
  }
}
