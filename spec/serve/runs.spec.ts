import { describe, expect, it } from '@jest/globals';
import { concat, map, NEVER, of } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Checkpoint, LogEntry, LoopEvent, RunLog } from '../../lib/index.ts';
import { readHttpOptions } from '../../lib/serve/http-options.ts';
import type { RunControls } from '../../lib/serve/loop-runner.ts';
import { memoryRunLog } from '../../lib/serve/memory-run-log.ts';
import { Runs } from '../../lib/serve/runs.ts';
import type { KnownRun } from '../../lib/serve/runs.ts';
import { append, checkpoint, done, load, textsOf } from './log-contract.ts';
import { allOf } from './door.ts';

const about = { body: { prompt: 'hi' } };
const event = (type: string, more: object = {}): LogEntry => ({ event: { type, runId: 'r1', ...more } as unknown as LoopEvent });
const answer$ = of((done() as { event: LoopEvent }).event);

/** The runs of a log that an earlier process has left, and what was asked of the loop. */
async function recovered(entries: readonly LogEntry[], at?: Checkpoint, start: () => unknown = () => ({})) {
  const log: RunLog = memoryRunLog();
  log.create('r1', about).subscribe();
  if (entries.length > 0 || at !== undefined) await append(log, entries, at);
  const asked: unknown[] = [];
  const errors: unknown[] = [];
  const runs = new Runs(readHttpOptions({ start: start as never, log, onError: (error) => errors.push(error) }), {
    start: (_setup, { runId }) => (asked.push(['start', runId]), concat(of({ type: 'run-start', runId } as LoopEvent), answer$)),
    resume: (from, answers) => (asked.push(['resume', from.step, answers]), concat(of({ type: 'run-start', runId: 'r1', resumed: true } as LoopEvent), answer$)),
  });
  const count = await runs.recover();
  return { log, asked, errors, count, texts: textsOf(await allOf(log.read('r1', 0))) };
}

const full = { ...checkpoint(3), attempt: 1, counters: { calls: 0 }, ids: { calls: [], blocks: [] } } as unknown as Checkpoint;

describe('Runs.recover', () => {
  it('resumes from the checkpoint, and writes the first event once', async () => {
    const { asked, count, texts } = await recovered([event('run-start')], full);
    expect([asked, count, texts]).toEqual([[['resume', 3, {}]], 1, ['run-start', 'done']]);
  });

  it.each([['nothing', []], ['its first event alone', [event('run-start')]]])('starts a run again that had said %s', async (_name, entries) => {
    const { asked, texts } = await recovered(entries);
    expect([asked, texts]).toEqual([[['start', 'r1']], ['run-start', 'done']]);
  });

  it('ends a run that has no checkpoint to go on from', async () => {
    const { asked, errors, log } = await recovered([event('run-start'), event('step-start')]);
    expect(asked).toEqual([]);
    expect(errors).toEqual([new Error('The run r1 has no checkpoint.')]);
    expect(await load(log)).toMatchObject({ ending: { error: { code: 'restarted' } } });
  });

  it.each([['throws', () => { throw new Error('no'); }], ['refuses', () => new Response()], ['says nothing', () => undefined]])('ends a run whose host %s', async (_name, start) => {
    const { errors, log } = await recovered([event('run-start')], full, start);
    expect(errors).toHaveLength(1);
    expect(await load(log)).toMatchObject({ ending: { error: { code: 'restarted', message: expect.stringContaining('restarted') } } });
  });

  it('leaves runs alone that have ended', async () => {
    const { asked, count } = await recovered([event('run-start'), done()]);
    expect([asked, count]).toEqual([[], 0]);
  });
});

describe('Runs', () => {
  it('goes on with a suspended run once, whoever answers twice', async () => {
    const log = memoryRunLog();
    log.create('r1', about).subscribe();
    const suspended = { batch: { calls: [{ request: { id: 'q1', kind: 'approval' } }] } };
    await append(log, [event('run-start'), event('done', { outcome: { reason: 'suspended', checkpoint: suspended } })]);
    let resumed = 0;
    const runner = { start: () => NEVER, resume: () => ((resumed += 1), NEVER) };
    const runs = new Runs(readHttpOptions({ start: () => Promise.resolve({ model: [] }), log, limits: { graceMs: 0 } }), runner);
    const run = await runs.find('r1', undefined);
    const answer = () => runs.answer('r1', run, new Map([['q1', { type: 'approve' as const }]]));
    const both = await Promise.allSettled([answer(), answer()]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(resumed).toBe(1);
    await runs.close();
  });

  it('goes on once, also for who has looked at it before', async () => {
    const { runs, resumed, answer } = await suspended();
    const early = await runs.find('r1', undefined);
    await answer(early);
    await expect(answer(early)).rejects.toMatchObject({ status: 409, code: 'request-not-open' });
    expect(resumed).toEqual([{ q1: { type: 'approve' } }]);
    await runs.close();
  });

  it('needs a place for a suspended run that goes on', async () => {
    const { runs, resumed, answer } = await suspended({ maxRuns: 0 });
    await expect(answer(await runs.find('r1', undefined))).rejects.toMatchObject({ status: 429, code: 'too-many-runs' });
    expect(resumed).toEqual([]);
  });

  it('ends a suspended run that is cancelled, so that nobody can answer it later', async () => {
    const { runs, answer } = await suspended({ maxRuns: 0 }, (controls) => controls.abort$.pipe(map(() => (done() as { event: LoopEvent }).event)));
    expect(await runs.cancel('r1', await runs.find('r1', undefined), false)).toBe(true);
    const ended = await runs.find('r1', undefined);
    expect([runs.standing(ended), runs.requests(ended)]).toEqual(['done', []]);
    await expect(answer(ended)).rejects.toMatchObject({ code: 'request-not-open' });
    expect(await runs.cancel('r1', ended, false)).toBe(false);
  });
});

/** A run that was suspended with one request. */
async function suspended(limits: object = {}, goOn: (controls: RunControls) => Observable<LoopEvent> = () => NEVER) {
  const log = memoryRunLog();
  log.create('r1', about).subscribe();
  const checkpoint = { batch: { calls: [{ request: { id: 'q1', kind: 'approval' } }] } };
  await append(log, [event('run-start'), event('done', { outcome: { reason: 'suspended', checkpoint } })]);
  const resumed: unknown[] = [];
  const runs = new Runs(readHttpOptions({ start: () => ({ model: [] }), log, limits: { graceMs: 0, ...limits } }), {
    start: () => NEVER,
    resume: (_from, answers, _setup, controls) => (resumed.push(answers), goOn(controls)),
  });
  return { runs, resumed, answer: (run: KnownRun) => runs.answer('r1', run, new Map([['q1', { type: 'approve' as const }]])) };
}
