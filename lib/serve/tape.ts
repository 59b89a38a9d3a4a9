import { catchError, defer, map, of, startWith } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import { errorInfo } from '../errors.ts';
import type { LoopEvent } from '../index.ts';
import type { TapeHeader, TapeLine } from '../../marbles/index.ts';

/**
 * A run as JSON lines: the header, then a line an event; a failure becomes a last line with `error`, and the output
 * completes. A tape that ends in neither `done` nor `error` is of a run that was left.
 *
 * @param now - milliseconds since 1970
 * @internal
 */
export function tape(about: Pick<TapeHeader, 'model' | 'tools'>, now: () => number): OperatorFunction<LoopEvent, string> {
  return (run$) =>
    defer(() => {
      const startedAt = now();
      let last = 0;
      // A clock may be set back while the run goes on; a tape's times never are.
      const at = (): number => (last = Math.max(last, Math.round(now() - startedAt)));
      const header: TapeHeader = { tape: 1, startedAt: new Date(startedAt).toISOString(), ...about };
      return run$.pipe(
        map((event) => line({ at: at(), event })),
        catchError((error: unknown) => of(line({ at: at(), error: errorInfo(error) }))),
        startWith(line(header)),
      );
    });
}

function line(value: TapeHeader | TapeLine): string {
  return `${JSON.stringify(value).replace(UNSAFE, escaped)}\n`;
}

// JSON leaves these as they are, but a terminal obeys some of them and some readers of lines break at others.
const UNSAFE = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
