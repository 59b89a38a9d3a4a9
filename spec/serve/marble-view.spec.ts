import { describe, expect, it } from '@jest/globals';
import { concat, of, Subject, tap, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import type { LoopEvent } from '../../lib/index.ts';
import { marbleView } from '../../lib/serve/marble-view.ts';

const runId = 'r';
const call = { id: 'c', name: 'add', arguments: { a: 1, b: 2 } };
const run: LoopEvent = { type: 'run-start', runId };
const start = (step: number): LoopEvent => ({ type: 'step-start', runId, step, attempt: 1, model: 'm' });
const text = (step: number, words = 'hi'): LoopEvent => ({ type: 'delta', runId, step, delta: { type: 'text', block: 't', text: words } });
const asks: LoopEvent = { type: 'delta', runId, step: 0, delta: { type: 'tool-call-end', index: 0, call } };
const end = (step: number, finish: 'tool-use' | 'stop'): LoopEvent => ({ type: 'step-end', runId, step, attempt: 1, usage: {}, finish, toolCalls: 0 });
const result: LoopEvent = {
  type: 'tool-result',
  runId,
  step: 0,
  callId: 'c',
  call,
  result: { callId: 'c', name: 'add', content: [{ type: 'text', text: '3' }], isError: false },
  elapsedMs: 5,
};
const done: LoopEvent = {
  type: 'done',
  runId,
  outcome: { reason: 'answer', completion: { text: 'hi', toolCalls: [] }, messages: [], steps: [], usage: {} },
};

type Timed = readonly [at: number, event: LoopEvent];

/** What the view writes of a run whose events come at these times; the run ends at the last of them. */
function pieces(events: readonly Timed[], options: { redraw?: boolean; columns?: number; fails?: boolean } = {}): string[] {
  let now = 0;
  const found: string[] = [];
  const told$: Observable<LoopEvent> = concat(...events.map(([at, event]) => of(event).pipe(tap({ subscribe: () => (now = at) }))));
  const run$ = options.fails === true ? concat(told$, throwError(() => new Error('x'))) : told$;
  marbleView({ redraw: options.redraw ?? false, columns: options.columns ?? 80, now: () => now })(run$).subscribe((piece) => found.push(piece));
  return found;
}

const page = (...events: readonly Timed[]): string => pieces(events).join('');

describe('marbleView', () => {
  it('draws a run of two steps over its legend', () => {
    const drawn = page(
      [0, run], [0, start(0)], [100, text(0)], [250, asks], [251, end(0, 'tool-use')], [251, result],
      [251, start(1)], [3_451, text(1)], [3_551, text(1)], [3_552, end(1, 'stop')], [3_552, done],
    );
    expect(drawn).toBe(
      [
        't = 0 text',
        'c = 0 call add {"a":1,"b":2}',
        'y = 0 end tool-use',
        '1 = 0 result add 3',
        'T = 1 text',
        'Z = 1 end stop',
        'L = done answer',
        '-t--c-(y1) 3.2s T-T-(ZL|)',
        '',
      ].join('\n'),
    );
  });

  it('writes a dash for each started tenth of a second, and a second as a time', () => {
    expect(page([0, text(0)], [1, text(0)], [101, text(0)], [202, text(0)], [1_201, text(0)], [2_201, text(0)])).toContain(
      '\nt-t-t--t----------t 1.0s (t!)\n',
    );
  });

  it('ends in # when the run fails and in ! when it is left', () => {
    expect(pieces([[0, run], [100, text(0)]], { fails: true }).at(-1)).toBe('-(t#)\n');
    expect(pieces([[0, run], [100, text(0)]]).at(-1)).toBe('-(t!)\n');
    expect(pieces([], { fails: true })).toEqual(['#\n']);
  });

  it('gives events that the alphabet has no letter for the free ones, each explained once', () => {
    const drawn = page([0, text(7)], [1, text(8)], [2, text(7)]);
    expect(drawn).toBe('9 = 7 text\nα = 8 text\n9-α-(9!)\n');
  });

  it('says so once when no letter is left', () => {
    const lines = page(...Array.from({ length: 60 }, (_, step): Timed => [step, text(step + 2)])).split('\n');
    expect(lines.filter((line) => line.startsWith('? = '))).toEqual(['? = an event for which no letter is left']);
    expect(new Set(lines.filter((line) => line.includes(' = ')).map((line) => line[0])).size).toBe(lines.filter((line) => line.includes(' = ')).length);
  });

  it('goes on in a new row when one is full', () => {
    const events = Array.from({ length: 25 }, (_, at): Timed => [at, text(0)]);
    const rows = pieces(events, { columns: 20 }).join('').split('\n').slice(1, -1);
    expect(rows.every((row) => row.length < 20)).toBe(true);
    expect(rows.join('')).toBe(`${'t-'.repeat(24)}(t!)`);
  });

  it('redraws the growing line below its legend', () => {
    const E = '\r\u001b[K';
    expect(pieces([[0, text(0)], [1, text(0)], [2, asks], [2, done]], { redraw: true })).toEqual([
      `${E}t = 0 text\nt`,
      `${E}t-t`,
      `${E}c = 0 call add {"a":1,"b":2}\nt-t-c`,
      `${E}L = done answer\nt-t-(cL)`,
      `${E}t-t-(cL|)\n`,
    ]);
  });

  it('keeps what a terminal would obey out of the legend', () => {
    const evil: LoopEvent = { ...result, result: { callId: 'c', name: 'add', isError: false, content: [{ type: 'text', text: '\u001b[2J\r\nx' }] } } as LoopEvent;
    expect(pieces([[0, evil]])[0]).toBe('1 = 0 result add x\n');
  });

  it('leaves the run when it is left itself', () => {
    const run$ = new Subject<LoopEvent>();
    const reading = marbleView({ redraw: false, columns: 80, now: () => 0 })(run$).subscribe();
    expect(run$.observed).toBe(true);
    reading.unsubscribe();
    expect(run$.observed).toBe(false);
  });
});
