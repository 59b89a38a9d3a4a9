import { describe, expect, it } from '@jest/globals';
import { concat, from, map, NEVER, of, take, tap, throwError } from 'rxjs';
import { ModelError, RunError, toolLoop } from '../../lib/index.ts';
import type { LoopEvent } from '../../lib/index.ts';
import { tape } from '../../lib/serve/tape.ts';
import { call, fakeTool, finish, script, text } from '../../marbles/index.ts';

const NOW = Date.UTC(2026, 0, 5, 5, 3, 9);
const about = { model: 'embedded', tools: ['add'] };
const text$ = (words: string): LoopEvent => ({ type: 'delta', runId: 'r', step: 0, delta: { type: 'text', block: 't', text: words } });

function recorded(run$: Parameters<ReturnType<typeof tape>>[0], now = () => NOW): string[] {
  const lines: string[] = [];
  run$.pipe(tape(about, now)).subscribe((line) => lines.push(line));
  return lines;
}

const parsed = (lines: readonly string[]): unknown[] => lines.map((line) => JSON.parse(line));

describe('tape', () => {
  it('begins with its version, when and with what', () => {
    expect(parsed(recorded(of()))).toEqual([{ tape: 1, startedAt: '2026-01-05T05:03:09.000Z', ...about }]);
  });

  it('begins before the run does', () => {
    const order: string[] = [];
    const run$ = of(text$('a')).pipe(tap({ subscribe: () => order.push('run') }));
    run$.pipe(tape(about, () => NOW)).subscribe((line) => order.push(line.slice(0, 8)));
    expect(order).toEqual(['{"tape":', 'run', '{"at":0,']);
  });

  it('tells whole milliseconds since the start, which never go back', () => {
    const times = [NOW, NOW + 1.6, NOW + 20, NOW - 5];
    const lines = parsed(recorded(from(['a', 'b', 'c']).pipe(map(text$)), () => times.shift() ?? 0)) as { at: number }[];
    expect(lines.slice(1).map(({ at }) => at)).toEqual([2, 20, 20]);
  });

  it('replays to the events of the run', () => {
    const events: LoopEvent[] = [];
    const run$ = toolLoop({
      model: script(
        of(text('Let me "see"\n\u2028\u009b31m…'), ...call('add', { a: 1 }), finish('tool-use')),
        of(text('3'), finish('stop')),
      ),
      prompt: 'hi',
      tools: [fakeTool(of({ sum: 3, ['__proto__']: 'x' }))],
    }).pipe(tap((event) => events.push(event)));

    const lines = recorded(run$);
    expect(lines.every((line) => line.endsWith('\n') && !/[\n\u007f-\u009f\u2028]/.test(line.slice(0, -1)))).toBe(true);
    const replayed = parsed(lines.slice(1)).map((line) => (line as { event: LoopEvent }).event);
    expect(replayed).toEqual(events);
    expect(replayed.at(-1)?.type).toBe('done');
  });

  it('ends with the error of a failed run, and completes', () => {
    const cause = new ModelError('model-http', 'answered 401', { status: 401 });
    const error = new RunError(cause, { runId: 'r', steps: [], usage: {}, messages: [], completion: { text: '', toolCalls: [] } });
    let completed = false;
    const lines: string[] = [];
    concat(of(text$('a')), throwError(() => error))
      .pipe(tape(about, () => NOW))
      .subscribe({ next: (line) => lines.push(line), complete: () => (completed = true) });
    expect(parsed(lines).at(-1)).toEqual({ at: 0, error: { code: 'model-http', message: 'answered 401', retryable: false, status: 401 } });
    expect(completed).toBe(true);
  });

  it('masks an error that is not the library\'s own', () => {
    const lines = recorded(throwError(() => new Error('a secret')));
    expect(parsed(lines).at(-1)).toEqual({ at: 0, error: { code: 'other', message: 'The run failed.', retryable: false } });
  });

  it('of a run that was left ends in neither', () => {
    const lines = recorded(concat(of(text$('a')), NEVER).pipe(take(1)));
    expect(parsed(lines)).toHaveLength(2);
    expect(parsed(lines).at(-1)).toHaveProperty('event');
  });
});
