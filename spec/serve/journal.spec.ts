import { describe, expect, it } from '@jest/globals';
import { Observable, of, Subject } from 'rxjs';
import type { Checkpoint, LogEntry, LoopEvent, RunLog } from '../../lib/index.ts';
import { Journal } from '../../lib/serve/journal.ts';

const event = (type: string, more: object = {}): LoopEvent => ({ type, runId: 'r1', step: 0, callId: 'c', ...(type === 'delta' && { delta: { type: 'text', block: 'b', text: 'a' } }), ...more }) as unknown as LoopEvent;
const at = (step: number): Checkpoint => ({ step }) as unknown as Checkpoint;
const ended: LogEntry = { error: { code: 'a', message: 'b', retryable: false } };

/** A log that tells what it is given; each write takes until `answer`, or no time. */
function journal(options: { readonly slow?: true; readonly fails?: unknown; readonly logged?: ReadonlySet<string> } = {}) {
  const writes: string[] = [];
  const writing: Subject<number>[] = [];
  const failures: unknown[] = [];
  const log = {
    append: (_runId: string, entries: readonly LogEntry[], checkpoint?: Checkpoint) =>
      new Observable<number>((subscriber) => {
        const told = entries.map((entry) => ('event' in entry ? entry.event.type : 'error')).join(' ');
        writes.push(`${told}${checkpoint === undefined ? '' : ` @${checkpoint.step}`}`.trim());
        if ('fails' in options) return subscriber.error(options.fails);
        const answer$ = new Subject<number>();
        writing.push(answer$);
        const answered = (options.slow ? answer$ : of(1)).subscribe(subscriber);
        return () => answered.unsubscribe();
      }),
  } as unknown as RunLog;
  const answer = (): void => {
    const answer$ = writing.shift();
    answer$?.next(1);
    answer$?.complete();
  };
  return { journal: new Journal(log, 'r1', (error) => failures.push(error), options.logged), writes, answer, failures };
}

describe('Journal', () => {
  it('writes each event at once while the log keeps up', () => {
    const { journal: one, writes } = journal();
    for (const type of ['run-start', 'step-start', 'delta', 'step-end']) one.push(event(type));
    expect(writes).toEqual(['run-start', 'step-start', 'delta', 'step-end']);
  });

  it('says when its first entry is written, or cannot be', async () => {
    const { journal: one, answer } = journal({ slow: true });
    let hasBegun = false;
    const begun = one.begun.then(() => (hasBegun = true));
    one.push(event('run-start'));
    await Promise.resolve();
    expect(hasBegun).toBe(false);
    answer();
    expect(await begun).toBe(true);

    const { journal: other, failures } = journal({ fails: new Error('full') });
    other.push(event('run-start'));
    await other.begun;
    expect(failures).toHaveLength(1);
  });

  it('says when what was said so far is kept, whatever comes after it', async () => {
    const { journal: one, answer } = journal({ slow: true });
    const said: string[] = [];
    await one.kept;
    one.push(event('run-start'));
    one.push(event('status'));
    void one.kept.then(() => said.push('kept'));
    answer();
    one.push(event('status'));
    await Promise.resolve();
    expect(said).toEqual([]);
    answer();
    await Promise.resolve();
    expect(said).toEqual(['kept']);
    const { journal: broken } = journal({ fails: 'full' });
    broken.push(event('run-start'));
    await broken.kept;
  });

  it('writes together what came while a write was under way', () => {
    const { journal: one, writes, answer } = journal({ slow: true });
    for (const type of ['run-start', 'step-start', 'delta']) one.push(event(type));
    expect(writes).toEqual(['run-start']);
    answer();
    expect(writes).toEqual(['run-start', 'step-start delta']);
  });

  it('writes at most 64 at once, and holds the run while more than 1,024 wait', () => {
    const { journal: one, writes, answer } = journal({ slow: true });
    let isReady = false;
    for (let n = 0; n < 1_500; n += 1) one.push(event('delta'));
    one.ready().subscribe(() => (isReady = true));
    expect(isReady).toBe(false);
    for (let n = 0; n < 30; n += 1) answer();
    expect(isReady).toBe(true);
    expect(Math.max(...writes.map((text) => text.split(' ').length))).toBe(64);
    expect(writes.join(' ').split(' ')).toHaveLength(1_500);
  });

  it('lets the run go on when its checkpoint is kept, and all that was said before it', () => {
    const { journal: one, writes, answer } = journal({ slow: true });
    let isKept = false;
    one.push(event('run-start'));
    one.push(event('status'));
    one.checkpoint(at(0)).subscribe(() => (isKept = true));
    one.push(event('status'));
    answer();
    expect([writes, isKept]).toEqual([['run-start', 'status @0'], false]);
    answer();
    expect([writes.length, isKept]).toEqual([3, true]);
  });

  it.each(['step-end', 'steering', 'compaction', 'correction'])('keeps %s, and what follows it, together with the checkpoint that has it', (type) => {
    const { journal: one, writes } = journal();
    one.checkpoint(at(0)).subscribe();
    for (const said of ['step-start', type, 'status']) one.push(event(said));
    expect(writes).toEqual(['@0', 'step-start']);
    one.checkpoint(at(1)).subscribe();
    expect(writes).toEqual(['@0', 'step-start', `${type} status @1`]);
  });

  it('shows no finish before its step-end, for without it a crash would withdraw the attempt', () => {
    const { journal: one, writes } = journal();
    const finish = (more: object = {}): LoopEvent => event('delta', { delta: { type: 'finish', reason: 'stop' }, ...more });
    one.checkpoint(at(0)).subscribe();
    one.push(event('delta'));
    one.push(finish({ parent: { runId: 'r0', callId: 'c' } }));
    expect(writes).toEqual(['@0', 'delta', 'delta']);
    one.push(finish());
    expect(writes).toHaveLength(3);
    one.push(event('step-end'));
    one.checkpoint(at(1)).subscribe();
    expect(writes.slice(3)).toEqual(['delta step-end @1']);
  });

  it('keeps more than 64 of those together', () => {
    const { journal: one, writes } = journal();
    one.checkpoint(at(0)).subscribe();
    one.push(event('step-end'));
    for (let n = 0; n < 200; n += 1) one.push(event('tool-result', { callId: `c${n}` }));
    one.checkpoint(at(1)).subscribe();
    expect(writes.map((text) => text.split(' ').length)).toEqual([1, 202]);
  });

  it('writes no tool-commit without its result', () => {
    const { journal: one, writes } = journal();
    one.push(event('tool-commit'));
    expect(writes).toEqual([]);
    one.push(event('tool-result'));
    expect(writes).toEqual(['tool-commit tool-result']);
  });

  it('writes nothing twice that the log of an earlier process has', () => {
    const logged = new Set(['run-start', 'tool-call r1 c', 'approval-request r1 q']);
    const { journal: one, writes } = journal({ logged });
    for (const said of [event('run-start'), event('tool-call'), event('tool-call', { callId: 'd' }), event('approval-request', { id: 'q' }), event('tool-start')]) one.push(said);
    expect(writes).toEqual(['tool-call', 'tool-start']);
  });

  it('tells when the ending is kept, with all that was held', () => {
    const { journal: one, writes, answer } = journal({ slow: true });
    let isOver = false;
    one.checkpoint(at(0)).subscribe();
    one.push(event('step-end'));
    one.end(ended, () => (isOver = true));
    answer();
    expect([writes, isOver]).toEqual([['@0', 'step-end error'], false]);
    answer();
    expect(isOver).toBe(true);
  });

  it('writes nothing after the log has failed', () => {
    const { journal: one, writes, failures } = journal({ fails: 'full' });
    one.push(event('run-start'));
    one.push(event('delta'));
    one.end(ended, () => expect(true).toBe(false));
    expect([writes, failures]).toEqual([['run-start'], ['full']]);
  });

  it('does not grow the stack', () => {
    const { journal: one, writes } = journal();
    for (let n = 0; n < 50_000; n += 1) one.checkpoint(at(n)).subscribe(() => one.push(event('delta')));
    expect(writes).toHaveLength(100_000);
  });
});
