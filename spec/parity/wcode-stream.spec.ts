import { describe, expect, it } from '@jest/globals';
import { firstValueFrom, map } from 'rxjs';
import { openaiChat } from '../../lib/deltas/openai-chat.ts';
import { ModelError, ofType, toolLoop, userMessage } from '../../lib/index.ts';
import type { Delta } from '../../lib/index.ts';
import { loopMarbles } from '../support/jest-marbles.ts';

const prompt = 'go';
const asked = userMessage(prompt);
const busy = (more: object = {}) => new ModelError('model-http', 'Busy.', { status: 503, retryable: true, ...more });
const told = (why: string) => userMessage(`Your last response failed and was not completed: ${why} Please respond again.`);
const waits = { w: '0 retry 1/3', x: '0 retry 2/3', e: '0 retry 3/3' };
const random = () => 0;

// prettier-ignore
describe('wcode: retries', () => {
  it('repeats a connection that failed for a while, with a numbered notice before each wait [116]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const [failing1, failing2] = [turn('--#', {}, busy()), turn('--#', {}, busy())];
    const turn3 = turn('                          -t-(z|)');
    const events = '     --w 499ms --x 999ms -t-(zL|)';

    expectEvents(toolLoop({ model: script(failing1, failing2, turn3), prompt, random })).toBe(events, waits)
      .having('w', { step: 0, attempt: 1, count: 1, max: 3, delayMs: 500, reason: 'Busy.', by: 'loop' })
      .having('x', { step: 0, attempt: 1, count: 2, max: 3, delayMs: 1_000 });
    expectSubscriptions(failing2).toBe('502ms ^-!');
    expectSubscriptions(turn3).toBe('  1504ms ^--!');
  }));

  it.each<[string, string, Record<string, Delta>]>([
    ['an error for its first item', '-x---', { x: { type: 'error', error: busy() } }],
    ['an error after signs of life', 'au#', {}],
    ['an end before anything', '    --|', {}],
  ])('repeats a stream with %s [117]', (_what, diagram, letters) => loopMarbles(({ turn, script, expectValues }) => {
    const model = script(turn(diagram, letters), turn('-t-(z|)'));
    const said$ = toolLoop({ model, prompt, random }).pipe(ofType('retry', 'done'), map((event) => (event.type === 'retry' ? event.count : event.outcome.completion.text)));
    const frame = diagram.trim().replace(/[x#|].*/, '').length;

    expectValues(said$).toBe(`${'-'.repeat(frame)}r 502ms (d|)`, { r: 1, d: 'hi' });
  })());

  it.each(['t', 'k', 'r', 'c'])('repeats nothing once something was forwarded: %s [118]', (shown) => loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(`   -${shown}-#`, {}, busy());
    const turn2 = turn('      (z|)');
    const events = `       -${shown}-#`;

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt, policy: { streamFailure: 'fail' } })).toBe(events, {}, { code: 'model-http' });
    expectSubscriptions(turn2).toBe([]);
  })());

  it.each([400, 401, 403, 404, 422])('fails at once, with one call, for the class of status %i [119]', (status) => loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' --#', {}, new ModelError('model-http', 'No.', { status }));
    const turn2 = turn(' (z|)');
    const events = '     --#';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt })).toBe(events, {}, { code: 'model-http', message: 'No.' });
    expectSubscriptions(turn2).toBe([]);
  })());

  it('stops at the maximum; then comes the error of its class, or the model is told [120]', loopMarbles(({ turn, script, expectEvents }) => {
    const failing = () => Array.from({ length: 4 }, () => turn('#', {}, busy()));
    const story = 'w 499ms x 999ms e 1999ms ';

    expectEvents(toolLoop({ model: script(...failing()), prompt, random, policy: { streamFailure: 'fail' } })).toBe(`${story}#`, waits, { code: 'model-http', message: 'Busy.' });
    expectEvents(toolLoop({ model: script(...failing(), turn('----t-(z|)')), prompt, random })).toBe(`${story}(zv)T-(ZL|)`, waits).having('v', { reason: 'Busy.' });
  }));

  it.each([
    ['no jitter', 0, [500, 1_000, 2_000, 4_000, 8_000, 8_000]],
    ['the most jitter', 1 - Number.EPSILON, [375, 750, 1_500, 3_000, 6_000, 6_000]],
    ['some jitter', 0.5, [438, 875, 1_750, 3_500, 7_000, 7_000]],
  ])('doubles the wait up to a cap, with %s [121]', (_what, chance, delays) => loopMarbles(({ turn, script, expectValues }) => {
    const model = script(...delays.map(() => turn('#', {}, busy())), turn('(z|)'));
    const delays$ = toolLoop({ model, prompt, random: () => chance, retry: { count: 6, maxTotalMs: 60_000 } }).pipe(ofType('retry'), map(({ delayMs }) => delayMs));
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = delays;

    expectValues(delays$).toBe(`a ${a - 1}ms b ${b - 1}ms c ${c - 1}ms d ${d - 1}ms e ${e - 1}ms f ${f - 1}ms |`, { a, b, c, d, e, f });
  })());

  it.each([
    ['seconds', '3', 3_000, true],
    ['a date', 'Sun, 06 Nov 1994 08:49:37 GMT', 7_000, true],
    ['nothing: its own wait', undefined, 500, undefined],
    ['nonsense: its own wait', 'soon', 500, undefined],
  ])('reads Retry-After as %s [122]', async (_what, header, delayMs, retryAfter) => {
    const at = Date.UTC(1994, 10, 6, 8, 49, 30);
    const fake = async (): Promise<Response> => new Response('{}', { status: 503, headers: header === undefined ? {} : { 'retry-after': header } });
    const model = openaiChat({ model: 'm', apiKey: 'k', fetch: fake as typeof fetch });
    const scheduler = { now: () => at, schedule: () => ({}) } as never;
    const retry = await firstValueFrom(toolLoop({ model, prompt, random, timeouts: { firstDeltaMs: 0, idleMs: 0, stallMs: 0 }, scheduler }).pipe(ofType('retry')));
    expect([retry.delayMs, retry.retryAfter]).toEqual([delayMs, retryAfter]);
  });

  it.each([
    ['never undercut', 'respect', 12_000],
    ['clamped, as set', 'clamp', 8_000],
  ] as const)('is %s [122]', (_what, retryAfter, delayMs) => loopMarbles(({ turn, script, expectEvents }) => {
    const model = script(turn('#', {}, busy({ retryAfterMs: 12_000 })), turn('-t-(z|)'));

    expectEvents(toolLoop({ model, prompt, random, retry: { retryAfter } })).toBe(`w ${delayMs - 1}ms -t-(zL|)`).having('w', { delayMs, retryAfter: true });
  })());

  it('ends a wait, and makes no request, when the reader leaves [124]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn2 = turn('(z|)');
    const leave = '     ---!';
    const events = '    -w--';

    expectEvents(toolLoop({ model: script(turn('-#', {}, busy()), turn2), prompt, random }), leave).toBe(events);
    expectSubscriptions(turn2).toBe([]);
  }));
});

// prettier-ignore
describe('wcode: broken streams', () => {
  it('tells the model of a failure in one corrective user turn, and goes on [126]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' ----t-#          ');
    const turn2 = turn('       ----t-(z|)');
    const events = '     ----t-(zv)T-(ZL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt })).toBe(events)
      .having('v', { cause: 'stream', count: 1, max: 3, message: told('The stream broke.') })
      .having('L', { reason: 'answer', messages: [asked, { role: 'assistant', finish: 'error', content: [{ text: 'hi' }] }, told('The stream broke.')] });
    expectSubscriptions(turn2).toBe('------^-----!');
  }));

  it('ends with the fourth failure in a row [127]', loopMarbles(({ script, expectEvents }) => {
    const model = script('----t-#', '----t-#', '----t-#', '----t-#');
    const events = '----t-(zv)T-(ZV)e-(no)p-#';

    expectEvents(toolLoop({ model, prompt })).toBe(events, { e: '2 text "hi"', n: '2 end error', o: '2 correction 3/3', p: '3 text "hi"' }, { code: 'model-transport' });
  }));

  it('begins to count anew with a clean turn [127]', loopMarbles(({ tool, script, expectEvents }) => {
    const model = script('----t-#', '----c-(y|)', '----t-#', '----t-(z|)');
    const events = '----t-(zv)C-(Y3)e-(no)p-(qL|)';

    expectEvents(toolLoop({ model, tools: [tool('(1|)')], prompt }))
      .toBe(events, { e: '2 text', n: '2 end error', o: '2 correction 1/3', p: '3 text', q: '3 end stop' }).having('o', { count: 1 });
  }));

  it('takes an end without finish for a failure, and runs no tool [128]', loopMarbles(({ turn, tool, script, expectEvents, expectSubscriptions }) => {
    const turn1 = turn(' -c-|          ');
    const add = tool('(1|)           ');
    const turn2 = turn('    -----t-(z|)');
    const events = '     -c-(z1v)T-(ZL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), tools: [add], prompt })).toBe(events)
      .having('v', { reason: 'The stream of marbles script ended before its finish.' }).having('1', { isError: true, error: { kind: 'cancelled' } });
    expectSubscriptions(add).toBe([]);
  }));

  it('takes a finish for tools without a call for a failure [129]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' -t-(y|)        ');
    const turn2 = turn('    ----t-(z|) ');
    const events = '     -t-(zv)T-(ZL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt })).toBe(events).having('v', { reason: 'marbles script asked for tools, but sent no complete call.' });
  }));

  it('ends a stream that stalls by the idle limit, one that is silent by the limit of the first item [130]', loopMarbles(({ turn, script, expectEvents, expectSubscriptions }) => {
    const stalling = turn('-t-');
    const silent = turn('---');

    expectEvents(toolLoop({ model: script(stalling, turn('----t-(z|)')), prompt })).toBe('-t 119999ms (zv)T-(ZL|)').having('v', { reason: 'marbles script was silent for 120000 ms (timeouts.idleMs).' });
    expectEvents(toolLoop({ model: script(silent, turn('-t-(z|)')), prompt, random })).toBe('60000ms w 499ms -t-(zL|)').having('w', { reason: 'marbles script sent nothing within 60000 ms (timeouts.firstDeltaMs).' });
    expectSubscriptions(stalling).toBe('^ 120000ms !');
    expectSubscriptions(silent).toBe('  ^ 59999ms !');
  }));

  it('does not show a finish behind an error [131]', loopMarbles(({ turn, script, expectEvents }) => {
    const x: Delta = { type: 'error', error: busy() };
    const turn1 = turn(' -t-(xz|)      ', { x });
    const turn2 = turn('    ----t-(z|) ');
    const story = '      -t-(zv)T-(ZL|)';

    expectEvents(toolLoop({ model: script(turn1, turn2), prompt })).toBe(story).having('z', { finish: 'error' }).having('v', { reason: 'Busy.' });
  }));

  it('takes content behind a finish for an error, and shows neither [131]', loopMarbles(({ turn, script, expectEvents }) => {
    const turn1 = turn(' ----t-(zt|)     ');
    const all = '        (Ss)t-#     ';

    expectEvents(toolLoop({ model: script(turn1), prompt, policy: { streamFailure: 'fail' } }), null, { lane: 'all' }).toBe(all, {}, { code: 'model-protocol', message: /sent "text" after its finish/ });
  }));
});
