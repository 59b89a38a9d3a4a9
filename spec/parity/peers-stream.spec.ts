import { afterEach, describe, expect, it } from '@jest/globals';
import { catchError, concat, config, finalize, from, lastValueFrom, map, NEVER, of, share, Subject, throwError, toArray } from 'rxjs';
import * as z from 'zod';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import { completeToolLoop, defineTool, ModelError, paced, RunError, toolLoop, toText } from '../../lib/index.ts';
import type { Delta, Model } from '../../lib/index.ts';
import { call, finish, script, text } from '../../marbles/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { play } from '../support/play.ts';

// A stream that ends, hangs or lies when something fails. The numbers are those of docs/peers.md.

const prompt = 'go';
const busy = new ModelError('model-http', 'Busy.', { status: 429, retryable: true });
const once = { retry: { count: 0 }, policy: { streamFailure: 'fail' } } as const;
const turnOfHost = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

const unhandled: unknown[] = [];
const hear = (error: unknown): void => void unhandled.push(error);
/** Collects what nobody handles: rejections, and what RxJS reports to the host. */
function listen(): void {
  unhandled.length = 0;
  config.onUnhandledError = hear;
  process.on('unhandledRejection', hear);
}
afterEach(() => {
  config.onUnhandledError = null;
  process.off('unhandledRejection', hear);
});

// prettier-ignore
describe('a failure', () => {
  it('of the first request reaches a reader of text alone [#1]', loopMarbles(({ turn, script, expectValues }) => {
    const turn1 = turn('-#', {}, busy);
    const words = '     -(e|)';
    const text$ = toolLoop({ model: script(turn1), prompt, ...once }).pipe(toText(), catchError((error: RunError) => of(`${error.code}: ${error.message}`)));

    expectValues(text$).toBe(words, { e: 'model-http: Busy.' });
  }));

  it.each<[string, () => Model]>([
    ['in stream()', () => ({ ...script(), stream: () => { throw new Error('No network.'); } })],
    ['on subscribing', () => script(throwError(() => new Error('No network.')))],
  ])('%s settles whoever waits for the last word alone [#2]', async (_where, model) => {
    await expect(lastValueFrom(completeToolLoop({ model: model(), prompt }))).rejects.toMatchObject({ code: 'other', message: 'No network.' });
    await expect(lastValueFrom(toolLoop({ model: model(), prompt }).pipe(toText(), toArray()))).rejects.toBeInstanceOf(RunError);
  });

  it('of who takes the events goes to his error channel, and the run is left [#4]', async () => {
    listen();
    let left = 0;
    const model = script(concat(of(text('hi', 'b')), NEVER).pipe(finalize(() => left++)));
    const taken = paced((demand) => toolLoop({ model, prompt, demand }), ({ type }) => {
      if (type === 'delta') throw new Error('The writer threw.');
    });
    await expect(lastValueFrom(taken)).rejects.toThrow('The writer threw.');
    await turnOfHost();
    expect([left, unhandled]).toEqual([1, []]);
  });

  it('of one reader hides nothing from the others: they get the error of the model [#5]', async () => {
    listen();
    const errors: unknown[] = [];
    const start$ = new Subject<void>();
    const run$ = toolLoop({ model: script(concat(start$.pipe(map(() => text('hi', 'b'))), throwError(() => busy))), prompt, ...once }).pipe(share());
    run$.subscribe({ next: () => { throw new Error('A reader threw.'); }, error: () => { throw new Error('Its error handler too.'); } });
    run$.subscribe({ error: (error: unknown) => errors.push(error) });
    start$.next();
    start$.complete();
    await turnOfHost();
    expect(errors).toMatchObject([{ code: 'model-http', cause: busy }]);
    expect(new Set(unhandled.map(String))).toEqual(new Set(['Error: A reader threw.', 'Error: Its error handler too.']));
  });

  it('by a signal that had fired before the call is an end at once, without a request [#7]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn('-t-(z|)');
    const all = '       (SL|)  ';

    expectEvents(toolLoop({ model: script(turn1), prompt, abort$: AbortSignal.abort() }), null, { lane: 'all' }).toBe(all).having('L', { reason: 'aborted' });
    expectSubscriptions(turn1).toBe([]);
  }));

  it('by a stop inside a tool is an outcome of its own, not an answer [#8]', loopMarbles(({ turn, tool, script, cold, time, expectValues }) => {
    const turn1 = turn(' -c-(y|)          ');
    const add = tool('      ----------1   ');
    const abort$ = cold('------x          ');
    const graceMs = time('     --|         ');
    const outcome = '    --------(r|)     ';
    const run$ = completeToolLoop({ model: script(turn1), tools: [add], prompt, abort$, timeouts: { graceMs } });

    expectValues(run$.pipe(map(({ reason }) => reason))).toBe(outcome, { r: 'aborted' });
  }));

  it('that the finish alone tells of is a failure with the reason of the provider [#10]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn('-t-(e|)', { e: { type: 'finish', reason: 'error', rawFinish: 'MALFORMED_FUNCTION_CALL' } });
    const events = '    -t-#';

    expectEvents(toolLoop({ model: script(turn1), prompt, ...once })).toBe(events, {}, { code: 'model-stream', message: /MALFORMED_FUNCTION_CALL/ });
  }));

  it('of status 400 is a typed error [#11]', async () => {
    const fetch = async (): Promise<Response> => new Response('{"error":{"message":"Unknown field foo.","type":"invalid_request_error"}}', { status: 400 });
    const error: unknown = await lastValueFrom(completeToolLoop({ model: openaiChat({ model: 'm', fetch }), prompt })).catch((failed: unknown) => failed);
    expect(error).toBeInstanceOf(RunError);
    const { code, retryable, cause } = error as RunError;
    expect({ code, retryable }).toEqual({ code: 'model-http', retryable: false });
    expect((cause as ModelError).status).toBe(400);
    expect((cause as ModelError).message + (cause as ModelError).detail).toContain('Unknown field foo.');
  });
});

// prettier-ignore
describe('a turn', () => {
  it.each<[string, () => Model, string]>([
    ['of a model whose function throws', () => ({ ...script(), stream: () => { throw new Error('No.'); } }), 'other'],
    ['that asks for tools and names none', () => script(of(finish('tool-use'))), 'model-protocol'],
  ])('%s ends the run with an error [#13]', async (_what, model, code) => {
    listen();
    const { ending, error } = play(toolLoop({ model: model(), prompt, ...once }));
    await turnOfHost();
    expect([ending, (error as RunError).code, unhandled]).toEqual(['error', code, []]);
  });

  it('of both text and a call goes on to the next step [#14]', loopMarbles(({ turn, tool, script, expectEvents }) => {
    const turn1 = turn('-t-c-(z|)          ');
    const add = tool('       --(1|)        ');
    const turn2 = turn('       ---t-(z|)   ');
    const events = '    -t-c-y-1--T-(ZL|)  ';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt })).toBe(events).having('L', { reason: 'answer' });
  }));

  it('with one call that cannot be read tells the model, and the run goes on [#16]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn('-x---(y|)        ', { x: call('add', { a: 'one' }) });
    const turn2 = turn('     -----t-(z|) ');
    const events = '    -c---(y1)-T-(ZL|)';
    const add = defineTool({ name: 'add', description: 'Adds.', input: z.object({ a: z.number() }), run: ({ a }) => a });

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt })).toBe(events)
      .having('1', { isError: true, error: { kind: 'invalid-input' } }).having('L', { reason: 'answer' });
  }));
});

describe('leaving', () => {
  const hello = (): Delta => text('hi', 'b');

  it('in the middle of a stream is silent: nothing is rejected or reported [#17]', async () => {
    listen();
    const never = async function* (): AsyncGenerator<Delta> {
      yield hello();
      await new Promise(() => undefined);
    };
    const tool = defineTool({ name: 'add', description: 'Waits.', input: z.object({}), run: (_args, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('Aborted.')))) });
    const inStream = play(toolLoop({ model: script(from(never())), prompt }));
    const inTool = play(toolLoop({ model: script(of(...call('add', {}, { id: 'c', index: 0 }), finish('tool-use'))), tools: [tool], prompt }));
    await turnOfHost();
    inStream.leave();
    inTool.leave();
    await turnOfHost();
    expect([inStream.ending, inTool.ending, unhandled]).toEqual(['none', 'none', []]);
  });

  it('leaves no promise of the model unobserved that is rejected afterwards [#19]', async () => {
    listen();
    let reject = (_error: Error): void => undefined;
    const model: Model = { ...script(), stream: () => from(new Promise<Delta>((_resolve, no) => (reject = no))) };
    const { leave, events } = play(toolLoop({ model, prompt }));
    leave();
    reject(new Error('Too late.'));
    await turnOfHost();
    expect([events.map(({ type }) => type), unhandled]).toEqual([['run-start', 'step-start'], []]);
  });
});
