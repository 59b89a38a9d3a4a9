import { afterEach, describe, expect, it } from '@jest/globals';
import { Subject } from 'rxjs';
import type { ModelError, ToolLoopOptions } from '../../lib/index.ts';
import { closeFaultServers, faultServer } from './fault-server.ts';
import type { Reply } from './fault-server.ts';
import { handClock, KEY, runAgainst, wires } from './fault-script.ts';
import type { Run } from './fault-script.ts';

afterEach(closeFaultServers);

const PAGE = '<!doctype html><html><head><title>502 Bad Gateway</title></head><body>\n<h1>nginx</h1>\n</body></html>\n';
const TRANSIENT = new Set([408, 409, 425, 429, ...Array.from({ length: 30 }, (_, at) => 500 + at)]);
/** `fetch` keeps two to itself: the demand of a proxy is a broken connection, and a misdirected request is sent again. */
const OF_FETCH = new Set([407, 421]);
const STATUSES = Array.from({ length: 130 }, (_, at) => 400 + at).filter((status) => !OF_FETCH.has(status));

const isWhole = ({ faults, openSockets }: Run): readonly unknown[] => [faults, openSockets];
const WHOLE = [[], 0];
const causeOf = ({ error }: Run): ModelError => error?.cause as ModelError;

describe.each(wires)('a failure status on the wire of $name', (wire) => {
  const text = wire.text('hel', 'lo').join('');
  const json = (type: string): Reply => ({ headers: { 'content-type': 'application/json' }, body: wire.errorBody(type) });
  const page: Reply = { headers: { 'content-type': 'text/html' }, body: PAGE };

  it.each([['JSON', json('some_error')], ['a page', page], ['no body', {}]])('is asked again if it may pass, else reported once, with %s', async (_what, body) => {
    for (const status of STATUSES) {
      const server = await faultServer([{ ...body, status }, { body: text }]);
      const run = await runAgainst(server, wire);
      const passes = TRANSIENT.has(status);
      expect([status, ...run.story]).toEqual([status, 'step 0', ...(passes ? ['retry 1/3', 'text', 'end stop', 'done answer'] : ['error model-http'])]);
      expect([status, server.requests.length, ...isWhole(run)]).toEqual([status, passes ? 2 : 1, ...WHOLE]);
      if (!passes) expect(run.error?.toJSON()).toMatchObject({ code: 'model-http', status, retryable: false });
      await server.close();
    }
  });

  it('that stays is asked for so often and no more, in each step', async () => {
    const server = await faultServer(() => ({ ...json('overloaded_error'), status: 503 }));
    const run = await runAgainst(server, wire);
    const retries = ['retry 1/3', 'retry 2/3', 'retry 3/3'];
    expect(run.story).toEqual([
      'step 0', ...retries, 'end error', 'correction 1/3',
      'step 1', ...retries, 'end error', 'correction 2/3',
      'step 2', ...retries, 'end error', 'correction 3/3',
      'step 3', ...retries, 'error model-http',
    ]);
    expect([server.requests.length, ...isWhole(run)]).toEqual([16, ...WHOLE]);
    expect(run.error?.toJSON()).toMatchObject({ code: 'model-http', status: 503, retryable: true });
  });

  it.each<[string, number, Partial<ToolLoopOptions>]>([
    ['with `streamFailure: "fail"`', 4, { policy: { streamFailure: 'fail' } }],
    ['with the preset `strict`', 1, { preset: 'strict', retry: { count: 0 } }],
    ['without retries', 4, { retry: { count: 0 } }],
    ['with one step', 4, { budget: { maxSteps: 1 } }],
  ])('that stays is asked for so often and no more %s', async (_what, count, options) => {
    const server = await faultServer(() => ({ ...page, status: 500 }));
    const run = await runAgainst(server, wire, options);
    expect([run.story.at(-1), server.requests.length, ...isWhole(run)]).toEqual(['error model-http', count, ...WHOLE]);
  });

  it('is a new attempt with `streamFailure: { retract }`', async () => {
    const server = await faultServer([{ status: 500 }, { status: 500 }, { body: text }]);
    const run = await runAgainst(server, wire, { retry: { count: 1 }, policy: { streamFailure: { retract: 3 } } });
    expect(run.story).toEqual(['step 0', 'retry 1/1', 'step-retract', 'step 0', 'retry 1/1', 'text', 'end stop', 'done answer']);
    expect([server.requests.length, ...isWhole(run)]).toEqual([3, ...WHOLE]);
  });

  it('comes with a body that never ends, and is asked again in time', async () => {
    const { scheduler, pass } = handClock();
    const server = await faultServer((request) => {
      if (request > 0) return { body: text };
      // The limit, and the wait before the next request.
      setImmediate(() => pass(60_001));
      return { status: 503, body: PAGE, ending: 'stall' };
    });
    const run = await runAgainst(server, wire, { scheduler });
    expect(run.story).toEqual(['step 0', 'retry 1/3', 'text', 'end stop', 'done answer']);
    expect([server.requests.length, server.aborted(), ...isWhole(run)]).toEqual([2, 1, ...WHOLE]);
  });

  it('comes with a body of 10 MB, of which a little is kept, and never the key', async () => {
    const server = await faultServer([{ ...page, status: 400, body: `<p>${KEY}</p>${'x'.repeat(10_000_000)}` }]);
    const run = await runAgainst(server, wire);
    expect([run.story, server.requests.length, ...isWhole(run)]).toEqual([['step 0', 'error model-http'], 1, ...WHOLE]);
    expect(causeOf(run).detail).toHaveLength(2_000);
    expect(`${causeOf(run).detail}${String(run.error)}${JSON.stringify(run.error)}`).not.toContain(KEY);
  });

  it('is asked again for a server that is too busy (529)', async () => {
    const server = await faultServer([{ ...json('overloaded_error'), status: 529 }, { body: text }]);
    const run = await runAgainst(server, wire);
    expect(run.story).toEqual(['step 0', 'retry 1/3', 'text', 'end stop', 'done answer']);
    expect(run.outcome?.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
  });

  it.each(['insufficient_quota', 'billing_error', 'billing_hard_limit_reached'])('is fatal for an empty account (%s), also with 429 and a Retry-After', async (type) => {
    for (const status of [400, 402, 403, 429]) {
      const { headers, body } = json(type);
      const server = await faultServer([{ status, headers: { ...headers, 'retry-after': '1' }, body: body ?? '' }]);
      const run = await runAgainst(server, wire);
      expect([status, run.story, server.requests.length, ...isWhole(run)]).toEqual([status, ['step 0', 'error model-http'], 1, ...WHOLE]);
      expect(run.error?.toJSON()).toMatchObject({ status, retryable: false });
      expect(causeOf(run)).toMatchObject({ type, retryAfterMs: undefined });
    }
  });
});

describe.each(wires)('the wait that a server asks for on the wire of $name', (wire) => {
  const text = wire.text('hello').join('');
  const waited = ([first, second]: readonly { at: number; answeredAt: number }[]): number => (second?.at ?? 0) - (first?.answeredAt ?? 0);

  it.each<[string, Record<string, string>, number]>([
    ['seconds', { 'retry-after': '1' }, 1_000],
    ['parts of a second', { 'retry-after': '0.15' }, 150],
    ['milliseconds', { 'retry-after-ms': '120' }, 120],
    ['milliseconds before seconds', { 'retry-after-ms': '130', 'retry-after': '60' }, 130],
  ])('in %s is kept', async (_form, headers, delayMs) => {
    const server = await faultServer([{ status: 429, headers }, { body: text }]);
    const run = await runAgainst(server, wire);
    expect(run.events.filter(({ type }) => type === 'retry')).toMatchObject([{ count: 1, delayMs, retryAfter: true }]);
    expect(run.story.at(-1)).toBe('done answer');
    expect(waited(server.requests)).toBeGreaterThanOrEqual(delayMs);
  });

  it('until a date is kept', async () => {
    let date = 0;
    const server = await faultServer((request) => {
      if (request > 0) return { body: text };
      const header = new Date(Date.now() + 1_200).toUTCString();
      date = Date.parse(header);
      return { status: 503, headers: { 'retry-after': header } };
    });
    const run = await runAgainst(server, wire);
    expect(run.story).toEqual(['step 0', 'retry 1/3', 'text', 'end stop', 'done answer']);
    expect(server.requests[1]?.at).toBeGreaterThanOrEqual(date);
  });

  it('is the usual one where it cannot be read', async () => {
    for (const value of ['soon', '-5', '', '1e3', 'Mon, 99 Foo 2026 00:00:00 GMT']) {
      const server = await faultServer([{ status: 429, headers: { 'retry-after': value } }, { body: text }]);
      const run = await runAgainst(server, wire);
      expect([value, run.events.find(({ type }) => type === 'retry'), run.story.at(-1)]).toMatchObject([value, { delayMs: 1 }, 'done answer']);
    }
  });

  it('is the end where it is longer than the retries may take: nothing is sent before it is over', async () => {
    const server = await faultServer(() => ({ status: 429, headers: { 'retry-after': '60' } }));
    const run = await runAgainst(server, wire);
    expect([run.story, server.requests.length]).toEqual([['step 0', 'error model-http'], 1]);
    expect(causeOf(run)).toMatchObject({ status: 429, retryable: true, retryAfterMs: 60_000 });
  });

  it('is kept by every request that follows, also once the retries are spent', async () => {
    const server = await faultServer(() => ({ status: 429, headers: { 'retry-after-ms': '60' } }));
    const run = await runAgainst(server, wire, { retry: { count: 1 } });
    const waits = server.requests.slice(1).map(({ at }, before) => at - (server.requests[before]?.answeredAt ?? 0));
    expect(waits.filter((ms) => ms < 60)).toEqual([]);
    expect([run.story.at(-1), ...isWhole(run)]).toEqual(['error model-http', ...WHOLE]);
  });

  it('is no longer than the longest own one with `retryAfter: "clamp"`', async () => {
    const server = await faultServer([{ status: 429, headers: { 'retry-after': '60' } }, { body: text }]);
    const run = await runAgainst(server, wire, { retry: { retryAfter: 'clamp', maxDelayMs: 20 } });
    expect(run.events.filter(({ type }) => type === 'retry')).toMatchObject([{ delayMs: 20, retryAfter: true }]);
    expect([run.story.at(-1), server.requests.length]).toEqual(['done answer', 2]);
    expect(waited(server.requests)).toBeGreaterThanOrEqual(20);
  });

  it('ends at once when the run is told to stop, and nothing is sent after it', async () => {
    const server = await faultServer([{ status: 429, headers: { 'retry-after': '10' } }]);
    const abort$ = new Subject<void>();
    const run = await runAgainst(server, wire, { abort$ }, ({ type }) => type === 'retry' && abort$.next());
    expect(run.story).toEqual(['step 0', 'retry 1/3', 'end aborted', 'done aborted']);
    expect([server.requests.length, ...isWhole(run)]).toEqual([1, ...WHOLE]);
  });
});
