import { concat, concatMap, EMPTY, from, map, NEVER, Observable, of, throwError, timer } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { ModelError } from '../../lib/index.ts';
import type { Delta, ToolContext } from '../../lib/index.ts';
import type { RandomTool, TimedTurn } from './random-scenario.ts';

/** What a turn says, in its own time. */
export function spoken({ said, end }: TimedTurn, scheduler: SchedulerLike): Observable<Delta> {
  const words$ = from(said).pipe(concatMap(([gapMs, delta]) => (gapMs === 0 ? of(delta) : timer(gapMs, scheduler).pipe(map(() => delta)))));
  if (end === 'never') return concat(words$, NEVER);
  return end instanceof Error ? concat(words$, throwError(() => end)) : words$;
}

/** The same words under the number of their exchange, so that no two exchanges say the same. */
export function signed(delta: Delta, number: number): Delta {
  return delta.type === 'text' && delta.text !== '' ? { ...delta, text: `${delta.text}${number} ` } : delta;
}

/** What comes of a tool's body; `throws` is for the caller to do. */
export function answered({ answer, delayMs }: RandomTool, { signal, progress }: ToolContext, scheduler: SchedulerLike): Observable<unknown> {
  const late = <T>(value: T, ms = delayMs): Observable<T> => (ms === 0 ? of(value) : timer(ms, scheduler).pipe(map(() => value)));
  switch (answer) {
    case 'value':
      return late({ ok: true });
    case 'progress':
      progress('begun');
      return concat(late('half'), late('whole'));
    case 'error':
      return concat(late('half'), throwError(() => new ModelError('model-transport', 'Cut off.')));
    case 'empty':
      return late(0).pipe(concatMap(() => EMPTY));
    case 'cycle': {
      const cycle: { self?: unknown } = {};
      cycle.self = cycle;
      return late(cycle);
    }
    case 'heeds':
      return new Observable<void>((subscriber) => {
        const fire = (): void => {
          subscriber.next();
          subscriber.complete();
        };
        signal.addEventListener('abort', fire);
        return () => signal.removeEventListener('abort', fire);
      }).pipe(concatMap(() => late('stopped')));
    default:
      return NEVER;
  }
}
