import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { concat, EMPTY, from, NEVER, of, Subject, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { ModelError, RunError, ToolError } from '../../lib/index.ts';
import type { LoopEvent, RunRecord } from '../../lib/index.ts';
import { toLoopback } from '../../lib/projections/loopback.ts';
import type { LoopbackEvent, LoopbackOptions } from '../../lib/projections/loopback.ts';
import { delta, done, end, result, start, step, tool } from '../support/events.ts';
import { loopMarbles } from '../support/jest-marbles.ts';
import { turnLetters } from '../support/turn-letters.ts';

const text = (said: string): LoopEvent => delta(0, { type: 'text', block: 'b', text: said });
const events: Record<string, LoopEvent> = {
  S: start(),
  s: step(0),
  k: delta(0, { type: 'reasoning', block: 'r', text: 'k' }),
  t: text('t'),
  b: tool('tool-start', 0, 'c0'),
  r: result(0, 'c0'),
  y: end(0, { usage: { inputTokens: 9, outputTokens: 2 } }),
  L: done(1, 'tt'),
  A: done(1, 'tt', { reason: 'aborted' }),
  X: { type: 'an-event-of-tomorrow', runId: 'run1' } as never,
};
// prettier-ignore
describe('toLoopback', () => {
  it.each([
    ['tells a run as a turn', '                          S-k-t-b-r-t-(yL|) ', ' --k-t-b-r-t-(uf|) '],
    ['says nothing of a run that says nothing', '        S--               ', ' ---               '],
    ['says nothing where there is no run', '             ---|              ', ' ---|              '],
    ['says why, then flushes, where the run was stopped', 'S-t-(yA|)           ', ' --t-(uhf|)        '],
    ['ends the turn of a run that fails by a flush', '   S-t-#               ', ' --t-(shf|)        '],
    ['ends a turn whose run completes too early', '      S-t-b-|             ', ' --t-b-(rhf|)      '],
    ['ignores events that it does not know', '           S-X-t-L|            ', ' ----t-f|          '],
    ['shows no leftover after a flush', '                S-t-L-t-b|          ', ' --t-f----|        '],
    ['shows nothing before a run begins', '              t-S-t-L|            ', ' ----t-f|          '],
    ['tells run after run as turn after turn', '         S-t-L-S-t-L|        ', ' --t-f---t-f|      '],
    ['ends a turn when the next one takes its place', '  S-t-S-----t-L|      ', ' --t-(hf)--t-f|    '],
  ])('%s', (_name, run, turn) =>
    loopMarbles(({ cold, expectValues }) => {
      expectValues(cold(run.trim(), events).pipe(toLoopback(), turnLetters())).toBe(turn.trim());
    })());

  it('leaves the run with the subscriber, and flushes nothing to who has left', loopMarbles(({ cold, expectValues, expectSubscriptions }) => {
    const run = cold('S-t-t-t-', events);
    const leave = '   ----!   ';
    const turn = '    --t-    ';

    expectValues(run.pipe(toLoopback(), turnLetters()), leave).toBe(turn);
    expectSubscriptions(run).toBe('^---!');
  }));

  it('keeps the state of each subscription apart', loopMarbles(({ cold, expectValues }) => {
    const turns$ = cold('S-b-(L|)', events).pipe(toLoopback(), turnLetters());

    expectValues(turns$, '^---').toBe('     --b-(rf|)');
    expectValues(turns$, '---^-').toBe('    -----b-(rf|)');
  }));

  it('passes an error on that comes while no turn is open, as it is', loopMarbles(({ cold, expectValues }) => {
    const error = new Error('between');
    expectValues(cold('#', events, error).pipe(toLoopback(), turnLetters())).toBe('       #', undefined, error);
    expectValues(cold('S-L-#', events, error).pipe(toLoopback(), turnLetters())).toBe('   --f-#', undefined, error);
  }));
});

describe('toLoopback, event by event', () => {
  const record: RunRecord = { runId: 'run1', steps: [], usage: {}, messages: [], completion: { text: '', toolCalls: [] } };
  const turnOf = (run$: Observable<LoopEvent>, options?: LoopbackOptions): LoopbackEvent[] => {
    const heard: LoopbackEvent[] = [];
    run$.pipe(toLoopback(options)).subscribe((event) => heard.push(event));
    return heard;
  };
  const failing = (error: unknown): Observable<LoopEvent> => concat(of(start()), throwError(() => error));

  it.each([
    ['a provider', new RunError(new ModelError('model-http', 'The provider answered 401: key sk-123.'), record)],
    ['something else', new RunError(new Error('key sk-123'), record)],
    ['an operator above', new Error('key sk-123')],
  ])('masks what %s says of a failure', (_name, error) => {
    expect(turnOf(failing(error))).toEqual([{ type: 'status', text: 'The run failed.' }, { type: 'stop', hint: 'error' }, { type: 'flush' }]);
  });

  it('says of a failure what errorText makes of it', () => {
    const errorText: LoopbackOptions['errorText'] = (error) => ('code' in error ? `${error.code}: ${error.message}` : `${error.kind}: ${error.message}`);
    expect(turnOf(failing(new RunError(new ModelError('model-http', 'busy'), record)), { errorText })[0]).toEqual({ type: 'status', text: 'model-http: busy' });
    expect(turnOf(failing(new RunError(new Error('key'), record)), { errorText })[0]).toEqual({ type: 'status', text: 'other: The run failed.' });
    expect(turnOf(failing(new ToolError('other', 'thrown above')), { errorText })[0]).toEqual({ type: 'status', text: 'tool: thrown above' });
    const failed = { ...result(0, 'c0', true), result: { callId: 'c0', name: 'add', content: [], isError: true, error: { kind: 'network', message: 'gone', retryable: true } } } as LoopEvent;
    expect(turnOf(of(start(), failed), { errorText })).toContainEqual(expect.objectContaining({ type: 'tool-output', display: 'network: gone' }));
  });

  it('errors with what errorText throws', () => {
    const thrown = new Error('mine');
    const heard: unknown[] = [];
    const errorText = (): never => { throw thrown; };
    failing(new Error('x')).pipe(toLoopback({ errorText })).subscribe({ next: (event) => heard.push(event), error: (error: unknown) => heard.push(error) });
    expect(heard).toEqual([thrown]);
  });

  it('keeps the order where a reader makes the run say more within an event', () => {
    const run = new Subject<LoopEvent>();
    const heard: string[] = [];
    run.pipe(toLoopback()).subscribe(({ type }) => {
      heard.push(type);
      if (type === 'tool-start' && heard.length === 1) run.next(done());
    });
    run.next(start());
    run.next(result(0, 'c0'));
    expect(heard).toEqual(['tool-start', 'tool-output', 'flush']);
  });

  it('ends every turn by one flush with nothing of it behind, whatever came, and makes the same of the same', () => {
    const one = fc.constantFrom(...Object.values(events), tool('tool-start', 0, 'c1'), { ...start(), runId: 'run2' }, { ...done(), runId: 'run2' });
    const ending = fc.constantFrom<Observable<never>>(EMPTY, throwError(() => new Error('x')), NEVER);
    fc.assert(
      fc.property(fc.array(one, { maxLength: 20 }), ending, (list, last$) => {
        const run$ = concat(of(start()), from(list), last$);
        const heard: (LoopbackEvent | 'end')[] = [];
        run$.pipe(toLoopback()).subscribe({ next: (event) => heard.push(event), complete: () => heard.push('end'), error: () => heard.push('end') });
        const runs = 1 + list.filter(({ type }) => type === 'run-start').length;
        const flushes = heard.filter((event) => event !== 'end' && event.type === 'flush').length;
        // Of a run that goes on, the last turn may be open.
        expect(last$ === NEVER ? [runs, runs - 1] : [runs]).toContain(flushes);
        const open = new Set<string>();
        for (const [at, event] of heard.entries()) {
          if (event === 'end') expect(at).toBe(heard.length - 1);
          else if (event.type === 'stop') expect(heard[at + 1]).toEqual({ type: 'flush' });
          else if (event.type === 'tool-start') open.add(event.toolCallId);
          else if (event.type === 'tool-output') expect(open.delete(event.toolCallId)).toBe(true);
          else if (event.type === 'flush') expect([...open]).toEqual([]);
        }
        expect(turnOf(concat(of(start()), from(list)))).toEqual(turnOf(concat(of(start()), from(list))));
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('sends pieces of text as they come, empty ones left out', () => {
    expect(turnOf(of(start(), step(0), text('a'), text(''), text('b'), end(0), done(1, 'ab')))).toEqual([
      { type: 'chunk', text: 'a' }, { type: 'chunk', text: 'b' }, { type: 'flush' },
    ]);
  });
});
