import { afterEach, describe, expect, it } from '@jest/globals';
import { Subject } from 'rxjs';
import type { LoopEvent } from '../../lib/index.ts';
import { closeFaultServers, faultServer } from './fault-server.ts';
import type { Reply } from './fault-server.ts';
import { handClock, KEY, runAgainst, wires } from './fault-script.ts';
import type { Run, Wire } from './fault-script.ts';

afterEach(closeFaultServers);

const isWhole = ({ faults, openSockets }: Run): readonly unknown[] => [faults, openSockets];
const WHOLE = [[], 0];
const CALLS = [{ id: 'call_1', input: ['{"a":', '1}'] }, { id: 'call_2', input: ['{"a":2', '}'] }];
const REPEATED = ['step 0', 'retry 1/3', 'text', 'end stop', 'done answer'];
const CORRECTED = ['step 0', 'text', 'end error', 'correction 1/3', 'step 1', 'text', 'end stop', 'done answer'];

/** An end to wait for, and what brings it about: the first text that the reader has. */
function onceRead(): { readonly until: Promise<void>; readonly onEvent: (event: LoopEvent) => void } {
  const read$ = new Subject<void>();
  const until = new Promise<void>((resolve) => read$.subscribe(() => resolve()));
  return { until, onEvent: (event) => event.type === 'delta' && event.delta.type === 'text' && read$.next() };
}

const frames = (wire: Wire, count: number): string => wire.text('hel', 'lo').slice(0, count).join('');

describe.each(wires)('a stream on the wire of $name', (wire) => {
  const text = wire.text('hel', 'lo').join('');
  // The text has begun in both: the head of the answer, the start of its block on the one wire, its first piece.
  const begun = frames(wire, 3);

  it.each<[string, Reply]>([
    ['before its head', { headless: true, ending: 'stall' }],
    ['before its first frame', { ending: 'stall' }],
    ['inside its first frame', { body: text, cutAt: 20, ending: 'stall' }],
    ['before a late head', { body: text, delayMs: 50 }],
  ])('that stalls %s is asked for again', async (_where, reply) => {
    const { scheduler, pass } = handClock();
    const server = await faultServer((request) => {
      if (request > 0) return { body: text };
      // The limit, and the wait before the next request.
      setImmediate(() => pass(60_001));
      return reply;
    });
    const run = await runAgainst(server, wire, { scheduler });
    expect([run.story, server.requests.length, ...isWhole(run)]).toEqual([REPEATED, 2, ...WHOLE]);
    expect(run.events.find(({ type }) => type === 'retry')).toMatchObject({ reason: expect.stringContaining('timeouts.firstDeltaMs') });
  });

  it('that is late, but in time, is an answer', async () => {
    const server = await faultServer([{ body: text, delayMs: 30 }]);
    const run = await runAgainst(server, wire, { timeouts: { firstDeltaMs: 5_000 } });
    expect([run.story, server.requests.length, ...isWhole(run)]).toEqual([['step 0', 'text', 'end stop', 'done answer'], 1, ...WHOLE]);
  });

  it('that stalls after it has begun is told of', async () => {
    const { scheduler, pass } = handClock();
    const server = await faultServer([{ body: begun, ending: 'stall' }, { body: text }]);
    const { until, onEvent } = onceRead();
    void until.then(() => setImmediate(() => pass(120_000)));
    const run = await runAgainst(server, wire, { scheduler }, onEvent);
    expect([run.story, server.requests.length, server.aborted(), ...isWhole(run)]).toEqual([CORRECTED, 2, 1, ...WHOLE]);
    expect(run.events.find(({ type }) => type === 'correction')).toMatchObject({ reason: expect.stringContaining('timeouts.idleMs') });
  });

  it('that goes on with signs of life alone is told of when it has had nothing to show for too long', async () => {
    const { scheduler, pass } = handClock();
    let signs = 0;
    // Between two of these, many signs are read: alone, none of the times is over the limit for silence.
    const onRepeat = (): void => {
      signs += 1;
      if (signs % 10 === 0 && signs <= 60) pass(100_000);
    };
    const server = await faultServer([{ body: begun, ending: { repeat: wire.alive, everyMs: 1, onRepeat } }, { body: text }]);
    const run = await runAgainst(server, wire, { scheduler });
    expect([run.story, server.requests.length, server.aborted(), ...isWhole(run)]).toEqual([CORRECTED, 2, 1, ...WHOLE]);
    expect(run.events.find(({ type }) => type === 'correction')).toMatchObject({ reason: expect.stringContaining('timeouts.stallMs') });
  });

  it('that never ends is ended by the time of the run, and what it said is kept', async () => {
    const { scheduler, pass } = handClock();
    const repeat = wire.text('hel', 'lo').find((frame) => frame.includes('"hel"')) ?? '';
    const server = await faultServer([{ body: begun, ending: { repeat, everyMs: 1 } }]);
    let texts = 0;
    const run = await runAgainst(server, wire, { scheduler, budget: { maxDurationMs: 50_000 } }, (event) => {
      if (event.type === 'delta' && (texts += 1) === 20) setImmediate(() => pass(50_000));
    });
    expect(run.story).toEqual(['step 0', 'text', 'end aborted', 'done max-duration']);
    expect(run.outcome?.completion.text).toMatch(/^hel(hel|lo)+$/);
    expect([server.requests.length, server.aborted(), ...isWhole(run)]).toEqual([1, 1, ...WHOLE]);
  });

  it('whose connection stays open behind the end marker is over at the marker', async () => {
    const server = await faultServer([{ body: text, ending: 'stall' }]);
    const run = await runAgainst(server, wire);
    expect([run.story, run.outcome?.completion.text, server.requests.length, ...isWhole(run)]).toEqual([['step 0', 'text', 'end stop', 'done answer'], 'hello', 1, ...WHOLE]);
  });

  it.each(['reset', 'close'] as const)('that ends in a socket %s is asked for again before it has begun, told of after', async (ending) => {
    const early = await faultServer([{ headless: true, ending }, { ending }, { body: text, cutAt: 10, ending }, { body: text }]);
    const run = await runAgainst(early, wire);
    expect([run.story, early.requests.length, ...isWhole(run)]).toEqual([['step 0', 'retry 1/3', 'retry 2/3', 'retry 3/3', 'text', 'end stop', 'done answer'], 4, ...WHOLE]);

    const { until, onEvent } = onceRead();
    const late = await faultServer([{ body: begun, until, ending }, { body: text }]);
    const second = await runAgainst(late, wire, {}, onEvent);
    expect([second.story, late.requests.length, ...isWhole(second)]).toEqual([CORRECTED, 2, ...WHOLE]);
  });

  it('that cannot be had at all is asked for so often and no more', async () => {
    const server = await faultServer([]);
    await server.close();
    const run = await runAgainst(server, wire, { policy: { streamFailure: 'fail' } });
    expect(run.story).toEqual(['step 0', 'retry 1/3', 'retry 2/3', 'retry 3/3', 'error model-transport']);
    expect(run.error?.toJSON()).toMatchObject({ retryable: true });
  });

  it('that ends in order anywhere before its end marker is never taken for an answer', async () => {
    const whole = wire.calls(...CALLS).join('');
    const marker = wire.name === 'anthropic' ? '{"type":"message_stop"}' : '"finish_reason":"tool_calls"}]}';
    for (let at = 0; at < whole.length; at += 13) {
      const server = await faultServer([{ body: whole, cutAt: at }, { body: text }]);
      const run = await runAgainst(server, wire);
      const { story } = run;
      const ran = run.add.calls.length > 0;
      // On the one wire not every server sends an end marker: the reason is enough, if nothing behind it is cut.
      const isOver = ran && whole.slice(0, at).includes(marker);
      const row = story.includes('retry 1/3') ? REPEATED : story.filter((word) => word !== 'call' && word !== 'failed cancelled' && word !== 'tool-call');
      expect([at, ...row]).toEqual([at, ...(story.includes('retry 1/3') ? REPEATED : isOver ? row : CORRECTED)]);
      expect([at, ran, server.requests.length, ...isWhole(run)]).toEqual([at, isOver, 2, ...WHOLE]);
      await server.close();
    }
  });

  it('that ends without its end marker has calls that are answered and do not run, and the model is told so', async () => {
    // Everything but the end: on the one wire even the reason is missing, on the other only the marker.
    const all = wire.calls(...CALLS);
    const body = all.slice(0, all.length - (wire.name === 'anthropic' ? 1 : 3)).join('');
    const server = await faultServer([{ body }, { body: text }]);
    const run = await runAgainst(server, wire);
    expect(run.add.calls).toEqual([]);
    const results = run.events.filter(({ type }) => type === 'tool-result');
    expect(results).toMatchObject(results.map(() => ({ elapsedMs: 0, result: { isError: true, error: { kind: 'cancelled' } } })));
    expect([results.length, run.story.at(-1), server.requests.length, ...isWhole(run)]).toEqual([wire.name === 'anthropic' ? 2 : 1, 'done answer', 2, ...WHOLE]);
    const { messages } = server.requests[1]?.body as { messages: readonly object[] };
    expect(JSON.stringify(messages.at(-1))).toContain('Your last response failed and was not completed');
    expect(JSON.stringify(messages).match(/Not executed: the response broke off/g)).toHaveLength(results.length);
  });

  it.each<[string, string[], string]>([
    ['may pass', ['overloaded_error', 'api_error', 'rate_limit_error', 'server_error'], 'passes'],
    ['stays', ['invalid_request_error', 'authentication_error', 'insufficient_quota', 'permission_error'], 'stays'],
  ])('with an error inside a 200 that %s ends in the row of that error', async (_what, types, kind) => {
    for (const type of types) {
      const first = await faultServer([{ body: wire.errorFrame(type) }, { body: text }]);
      const unseen = await runAgainst(first, wire);
      expect([type, ...unseen.story]).toEqual([type, ...(kind === 'passes' ? REPEATED : ['step 0', 'error model-stream'])]);
      expect([first.requests.length, ...isWhole(unseen)]).toEqual([kind === 'passes' ? 2 : 1, ...WHOLE]);

      const later = await faultServer([{ body: begun + wire.errorFrame(type) }, { body: text }]);
      const seen = await runAgainst(later, wire);
      expect([type, ...seen.story]).toEqual([type, ...(kind === 'passes' ? CORRECTED : ['step 0', 'text', 'error model-stream'])]);
      expect([later.requests.length, ...isWhole(seen)]).toEqual([kind === 'passes' ? 2 : 1, ...WHOLE]);
    }
  });

  it.each<[string, Reply]>([
    ['a page', { headers: { 'content-type': 'text/html' }, body: '<!doctype html>\n<html>\n<body>Sign in</body>\n</html>\n' }],
    ['a page in one line', { headers: { 'content-type': 'text/html' }, body: '<html><body>Sign in</body></html>' }],
    ['nothing', {}],
    ['no content (204)', { status: 204 }],
    ['no content type', { headers: { 'content-type': '' }, body: '' }],
    ['the end marker of another wire', { body: wire.name === 'anthropic' ? 'data: [DONE]\n\n' : 'event: message_stop\ndata: {"type":"message_stop"}\n\n' }],
    ['bytes that are no text', { body: Uint8Array.from({ length: 999 }, (_, at) => (at * 7) % 256) }],
  ])('that is %s in place of an answer is asked for again, and never an answer', async (_what, reply) => {
    const server = await faultServer([reply, { body: text }]);
    const run = await runAgainst(server, wire);
    expect([run.story, server.requests.length, ...isWhole(run)]).toEqual([REPEATED, 2, ...WHOLE]);
  });

  it.each(['application/json', 'text/plain', 'application/octet-stream', 'text/event-stream;charset=utf-8', ''])('is read whatever its content type says (%j)', async (type) => {
    const server = await faultServer([{ headers: { 'content-type': type }, body: text }]);
    const run = await runAgainst(server, wire);
    expect([run.story, run.outcome?.completion.text, server.requests.length, ...isWhole(run)]).toEqual([['step 0', 'text', 'end stop', 'done answer'], 'hello', 1, ...WHOLE]);
  });

  it.each([301, 302, 303, 307, 308])('that is elsewhere (%i) is not followed, and no key leaves with it', async (status) => {
    const elsewhere = await faultServer(() => ({ body: text }));
    for (const location of [elsewhere.origin + wire.path, '/v2/elsewhere']) {
      const server = await faultServer([{ status, headers: { location } }, { body: text }]);
      const run = await runAgainst(server, wire);
      expect([run.story, server.requests.map(({ path }) => path), ...isWhole(run)]).toEqual([['step 0', 'error model-http'], [wire.path], ...WHOLE]);
      expect(run.error?.toJSON()).toMatchObject({ status, retryable: false });
      expect(String(server.requests[0]?.headers[wire.keyHeader])).toContain(KEY);
    }
    expect(elsewhere.requests).toEqual([]);
  });
});
