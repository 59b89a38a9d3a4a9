import { describe, expect, it } from '@jest/globals';
import { concat, from, NEVER, of, Subject, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import type { Delta, LoopEvent } from '../../lib/index.ts';
import { userMessage } from '../../lib/index.ts';
import { liveView } from '../../lib/serve/live-view.ts';

const runId = 'r';
const step = 0;
const call = { id: 'c', name: 'add', arguments: { a: 1 } };
const stepStart: LoopEvent = { type: 'step-start', runId, step, attempt: 1, model: 'm' };
const stepEnd: LoopEvent = { type: 'step-end', runId, step, attempt: 1, usage: {}, finish: 'stop', toolCalls: 0 };
const toolStart: LoopEvent = { type: 'tool-start', runId, step, callId: 'c', call, startedAt: 0 };
const done: LoopEvent = {
  type: 'done',
  runId,
  outcome: { reason: 'answer', completion: { text: 'hi', toolCalls: [] }, messages: [], steps: [], usage: { inputTokens: 3, outputTokens: 2 } },
};

const said = (delta: Delta): LoopEvent => ({ type: 'delta', runId, step, delta });
const text = (words: string, block = 't'): LoopEvent => said({ type: 'text', block, text: words });
const thought = (words: string, block = 'k'): LoopEvent => said({ type: 'reasoning', block, text: words });
const result = (words: string, fault?: 'network'): LoopEvent => ({
  type: 'tool-result',
  runId,
  step,
  callId: 'c',
  call,
  elapsedMs: 1_234,
  result: {
    callId: 'c',
    name: 'add',
    content: [{ type: 'text', text: words }],
    isError: fault !== undefined,
    ...(fault === undefined ? {} : { error: { kind: fault, message: words, retryable: true } }),
  },
});

const plain = { colours: false, spinner: false, columns: 80, now: () => 0 };

/** All that the view of a synchronous run writes. */
function written(run$: Observable<LoopEvent>, options: Partial<Parameters<typeof liveView>[0]> = {}): string {
  let page = '';
  liveView({ ...plain, ...options })(run$).subscribe((piece) => (page += piece));
  return page;
}

const view = (...events: readonly LoopEvent[]): string => written(from(events));

describe('liveView', () => {
  it.each<[string, readonly LoopEvent[], string]>([
    ['words as they come', [text('Hel'), text('lo.'), stepEnd], 'Hello.\n'],
    ['no empty line after words that end one', [text('Hello.\n'), stepEnd], 'Hello.\n'],
    ['a line for each block', [text('a', 't1'), text('b', 't2')], 'a\nb\n'],
    ['thinking apart from words', [thought('hm'), thought(' so'), text('hi')], 'thinking: hm so\nhi\n'],
    ['thinking of many lines, announced once', [thought('a\n'), thought('b')], 'thinking: a\nb\n'],
    ['replaced thinking', [thought('a'), said({ type: 'reasoning-replace', text: 'b' })], 'thinking: a\nthinking: b\n'],
    ['a refusal', [said({ type: 'refusal', block: 'r', text: 'no' })], 'refused: no\n'],
    ['a call and its result', [text('Let me see'), stepEnd, toolStart, result('3')], 'Let me see\n→ add {"a":1}\n← add 3 (1.2 s)\n'],
    ['a call that fails', [toolStart, result('no net', 'network')], '→ add {"a":1}\n← add failed (network): no net (1.2 s)\n'],
    ['the arguments of a call that never started', [result('no net', 'network')], '→ add {"a":1}\n← add failed (network): no net (1.2 s)\n'],
    ['a result on one line', [toolStart, result('a\n  b')], '→ add {"a":1}\n← add a b (1.2 s)\n'],
    ['progress', [toolStart, { type: 'tool-progress', runId, step, callId: 'c', progress: { at: 5 } }], '→ add {"a":1}\n  {"at":5}\n'],
    [
      'a retry',
      [{ type: 'retry', runId, step, attempt: 1, count: 1, max: 3, reason: 'answered 529', delayMs: 500, by: 'loop' }],
      '↻ retry 1 of 3 in 500 ms: answered 529\n',
    ],
    [
      'another model that takes over',
      [{ type: 'fallback', runId, step, from: 'large', to: 'small', reason: 'answered 401' }],
      '↷ large failed, going on with small: answered 401\n',
    ],
    [
      'words that are withdrawn',
      [text('Hel'), { type: 'step-retract', runId, step, attempt: 1, reason: 'broke off', blocks: ['b'], callIds: [], usage: {} }, text('Hello')],
      'Hel\n⨯ what was said in this step is withdrawn: broke off\nHello\n',
    ],
    [
      'what the model is told of a failure',
      [{ type: 'correction', runId, step, cause: 'stream', count: 1, max: 3, reason: 'broke off', message: userMessage('again') }],
      '↻ the model is told that its response failed (1 of 3): broke off\n',
    ],
    ['a status, and nothing where it is cleared', [{ type: 'status', runId, text: 'no seed here' }, { type: 'status', runId, text: '' }], '· no seed here\n'],
    ['usage at the end', [text('hi'), done], 'hi\n0 steps, tokens: 3 in, 2 out, 0 ms\n'],
    ['nothing for what it does not know', [{ type: 'title', runId } as unknown as LoopEvent, said({ type: 'alive' })], ''],
  ])('shows %s', (_name, events, page) => {
    expect(view(...events)).toBe(page);
  });

  it('says how long the run took', () => {
    let now = 5_000;
    const run$ = concat(of(text('hi')), of(done));
    expect(written(run$, { now: () => (now += 1_500) - 1_500 })).toContain('2 out, 1.5 s');
  });

  it('leaves out what a terminal would obey', () => {
    const page = view(text('\u001b[2Jhi\u0007'), toolStart, result('\u001b]0;t\u0007\r3'), done);
    expect(page).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(page).toContain('hi\n');
    expect(page).toContain('← add 3 ');
  });

  it('shows the beginning of a long result', () => {
    expect(view(toolStart, result('x'.repeat(10_000)))).toMatch(/← add x{299}… /);
  });

  it('breaks the open line when the run fails or is left', () => {
    expect(written(concat(of(text('Hel')), throwError(() => new Error('x'))))).toBe('Hel\n');
    expect(written(of(text('Hel')))).toBe('Hel\n');
  });

  it('colours on request, and closes every colour in the piece that opens it', () => {
    const page = written(from([thought('hm'), text('hi'), stepEnd, toolStart, result('3'), result('x', 'network'), done]), { colours: true });
    expect(page).toContain('\u001b[2mthinking: hm\u001b[22m');
    expect(page).toContain('\nhi\n');
    expect(page).toContain('\u001b[36m→ add {"a":1}\u001b[39m\n');
    expect(page).toContain('\u001b[32m← add 3 (1.2 s)\u001b[39m\n');
    expect(page).toContain('\u001b[31m← add failed (network): x (1.2 s)\u001b[39m\n');
  });

  it('leaves the run when it is left itself', () => {
    const run$ = new Subject<LoopEvent>();
    const reading = liveView(plain)(run$).subscribe();
    expect(run$.observed).toBe(true);
    reading.unsubscribe();
    expect(run$.observed).toBe(false);
  });
});

describe("liveView's spinner", () => {
  const ERASE = '\r\u001b[K';

  /** Pieces and the frames at which they were written, in virtual time. */
  function pieces(run: (scheduler: TestScheduler) => Observable<LoopEvent>): [number, string][] {
    const scheduler = new TestScheduler(() => undefined);
    const found: [number, string][] = [];
    scheduler.run(({ flush }) => {
      const spun = { ...plain, spinner: true, scheduler };
      liveView(spun)(run(scheduler)).subscribe((piece) => found.push([scheduler.now(), piece]));
      flush();
    });
    return found;
  }

  it('turns while nothing is written, and is gone before the next piece', () => {
    const found = pieces((scheduler) => scheduler.createColdObservable('s 199ms (tez|)', { s: stepStart, t: text('hi'), e: stepEnd, z: done }));
    expect(found).toEqual([
      [80, `${ERASE}⠋ waiting for m`],
      [160, `${ERASE}⠙ waiting for m`],
      [200, `${ERASE}hi`],
      [200, '\n'],
      [200, '0 steps, tokens: 3 in, 2 out, 0 ms\n'],
    ]);
  });

  it('stands still inside a line and when nothing is awaited', () => {
    const open = pieces((scheduler) => scheduler.createColdObservable('t 999ms |', { t: text('hi') }));
    expect(open).toEqual([[0, 'hi'], [1_000, '\n']]);
    const idle = pieces((scheduler) => scheduler.createColdObservable('e 999ms |', { e: stepEnd }));
    expect(idle).toEqual([]);
  });

  it('names the tool that runs', () => {
    const found = pieces((scheduler) => scheduler.createColdObservable('s 99ms (r|)', { s: toolStart, r: result('3') }));
    expect(found[1]).toEqual([80, `${ERASE}⠋ running add`]);
    expect(found[2]).toEqual([100, `${ERASE}← add 3 (1.2 s)\n`]);
  });

  it('erases itself when the run fails', () => {
    const found = pieces((scheduler) => scheduler.createColdObservable('s 99ms #', { s: stepStart }));
    expect(found.at(-1)).toEqual([100, ERASE]);
  });

  it('fits the screen', () => {
    const scheduler = new TestScheduler(() => undefined);
    let last = '';
    scheduler.run(() => {
      const long: LoopEvent = { ...stepStart, model: 'm'.repeat(100) } as LoopEvent;
      const narrow = { ...plain, spinner: true, columns: 20, scheduler };
      const reading = liveView(narrow)(concat(of(long), NEVER)).subscribe((piece) => (last = piece));
      scheduler.schedule(() => reading.unsubscribe(), 100);
    });
    expect(last).toBe(`${ERASE}⠋ waiting for mmmm…`);
  });
});
