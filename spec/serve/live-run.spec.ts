import { describe, expect, it } from '@jest/globals';
import { Observable, Subject, throwError, VirtualTimeScheduler } from 'rxjs';
import type { ApprovalAnswer, ApprovalRequest, LoopEvent, RunLog } from '../../lib/index.ts';
import { LiveRun } from '../../lib/serve/live-run.ts';
import type { LiveRunSettings } from '../../lib/serve/live-run.ts';
import { memoryRunLog } from '../../lib/serve/memory-run-log.ts';
import { about, textsOf } from './log-contract.ts';

const status = (text: string): LoopEvent => ({ type: 'status', runId: 'r1', text });
const done = { type: 'done', runId: 'r1', outcome: { reason: 'answer' } } as unknown as LoopEvent;
const cancelled = { error: { code: 'cancelled', message: 'The run was left before its end.', retryable: false } };

function live(changes: Partial<LiveRunSettings> = {}) {
  const log = memoryRunLog();
  log.create('r1', about).subscribe();
  const scheduler = new VirtualTimeScheduler();
  scheduler.maxFrames = 100_000;
  const said = { over: 0, errors: [] as unknown[] };
  const run = new LiveRun('r1', about, {
    log, scheduler, mask: () => ({ code: 'masked', message: 'm', retryable: false }), onError: (error) => said.errors.push(error),
    maxRunMs: Infinity, onAbandoned: 'run', abandonedAfterMs: 100, graceMs: 50, ...changes,
  }, () => (said.over += 1));
  const logged = () => {
    const texts: string[] = [];
    log.read('r1', 0).subscribe((piece) => texts.push(...textsOf([piece])));
    return texts;
  };
  return { run, log, scheduler, said, logged };
}

describe('LiveRun', () => {
  it('writes what the run says, and is over with its ending', () => {
    const { run, said, logged } = live();
    const events$ = new Subject<LoopEvent>();
    run.begin(events$, [status('before')]);
    events$.next(status('a'));
    events$.next(done);
    expect([logged(), said.over, events$.observed]).toEqual([['before', 'a', 'done'], 1, false]);
  });

  it('masks the error of a run, and tells it to the host', () => {
    const { run, log, said } = live();
    run.begin(throwError(() => 'secret'));
    let ending: unknown;
    log.load('r1').subscribe((one) => (ending = one?.ending));
    expect([ending, said.errors, said.over]).toEqual([{ error: { code: 'masked', message: 'm', retryable: false } }, ['secret'], 1]);
  });

  it('tells the run to stop, and leaves it the second time', () => {
    const { run, log, said } = live();
    const events$ = new Subject<LoopEvent>();
    let aborts = 0;
    run.controls.abort$.subscribe(() => (aborts += 1));
    run.begin(events$);
    run.cancel(false);
    expect([aborts, events$.observed, said.over]).toEqual([1, true, 0]);
    run.cancel(false);
    run.cancel(true);
    let ending: unknown;
    log.load('r1').subscribe((one) => (ending = one?.ending));
    expect([ending, events$.observed, said.over]).toEqual([cancelled, false, 1]);
  });

  it('tells a run that comes late to it that it was told to stop', () => {
    const { run } = live();
    run.begin(new Subject());
    run.cancel(false);
    let aborts = 0;
    run.controls.abort$.subscribe(() => (aborts += 1));
    expect(aborts).toBe(1);
  });

  it('waits for ever where its limits say so', () => {
    const { run, scheduler, said } = live({ onAbandoned: 'cancel', abandonedAfterMs: Infinity, graceMs: Infinity });
    run.begin(new Subject());
    run.cancel(false);
    scheduler.flush();
    expect(said.over).toBe(0);
  });

  it('gives a run that was told to stop before it began its grace', () => {
    const { run, scheduler, said } = live({ maxRunMs: 1_000 });
    run.cancel(false);
    run.begin(new Subject());
    scheduler.flush();
    expect([said.over, scheduler.now()]).toEqual([1, 50]);
  });

  it.each([
    ['its time is over', { maxRunMs: 1_000 }, 1_050],
    ['nobody watches it', { onAbandoned: 'cancel' }, 150],
  ] as const)('leaves a run that does not stop when %s', (_name, changes, at) => {
    const { run, scheduler, said } = live(changes);
    const left: number[] = [];
    run.begin(new Observable(() => () => void left.push(scheduler.now())));
    scheduler.flush();
    expect([left, said.over]).toEqual([[at], 1]);
  });

  it('counts its watchers, and is abandoned only without any', () => {
    const { run, scheduler, said } = live({ onAbandoned: 'cancel' });
    run.begin(new Subject());
    const watcher = run.watch$.subscribe();
    expect(run.watchers).toBe(1);
    scheduler.flush();
    expect(said.over).toBe(0);
    watcher.unsubscribe();
    expect(run.watchers).toBe(0);
    scheduler.flush();
    expect(said.over).toBe(1);
  });

  it('says when what it has said is kept', async () => {
    const { run, logged } = live();
    const events$ = new Subject<LoopEvent>();
    run.begin(events$);
    const kept = run.kept.then(logged);
    events$.next(status('a'));
    expect(await kept).toEqual(['a']);
  });

  it('asks whoever answers, once', () => {
    const { run } = live();
    const request = { id: 'q1', kind: 'approval', runId: 'r1' } as ApprovalRequest;
    const answers: unknown[] = [];
    const asking = (run.controls.approvals(request) as Observable<ApprovalAnswer>).subscribe({ next: (one) => answers.push(one), complete: () => answers.push('|') });
    expect(run.requests).toEqual([request]);
    run.answer('q1', { type: 'approve' });
    run.answer('q1', { type: 'decline' });
    expect([answers, run.requests, asking.closed]).toEqual([[{ type: 'approve' }, '|'], [], true]);
    (run.controls.approvals(request) as Observable<ApprovalAnswer>).subscribe().unsubscribe();
    expect(run.requests).toEqual([]);
  });

  it('takes answers to what a run that goes on has yet to ask again', () => {
    const { run } = live();
    const [one, other] = ['q1', 'q2'].map((id) => ({ id, kind: 'approval', runId: 'r1' }) as ApprovalRequest) as [ApprovalRequest, ApprovalRequest];
    run.expect([one, other]);
    expect(run.requests).toEqual([one, other]);
    run.answer('q1', { type: 'approve' });
    run.answer('q1', { type: 'decline' });
    expect(run.requests).toEqual([other]);
    const answers: unknown[] = [];
    for (const request of [one, other]) (run.controls.approvals(request) as Observable<ApprovalAnswer>).subscribe((given) => answers.push([request.id, given.type]));
    run.answer('q2', { type: 'decline' });
    expect([answers, run.requests]).toEqual([[['q1', 'approve'], ['q2', 'decline']], []]);
  });

  it('leaves the run where nothing can be kept, and tells its watchers', () => {
    const full = { append: () => throwError(() => 'full') } as unknown as RunLog;
    const { run, said } = live({ log: full });
    const heard: unknown[] = [];
    const events$ = new Subject<LoopEvent>();
    run.watch$.subscribe({ error: (error) => heard.push(error) });
    run.begin(events$);
    events$.next(status('a'));
    expect([heard, said.errors, said.over, events$.observed]).toEqual([['full'], ['full'], 1, false]);
  });
});
