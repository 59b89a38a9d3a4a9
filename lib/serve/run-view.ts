import type { OperatorFunction } from 'rxjs';
import type { LoopEvent } from '../index.ts';
import type { TapeHeader } from '../../marbles/index.ts';
import type { Environment } from './api-key.ts';
import { liveView } from './live-view.ts';
import { marbleView } from './marble-view.ts';
import { tape } from './tape.ts';

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** What a view needs of the process. */
export interface ViewHost {
  readonly stdout: Output;
  readonly env: Environment;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface RunViewOptions extends Pick<TapeHeader, 'model' | 'tools'> {
  readonly view: 'live' | 'json' | 'marbles';
  /** Whether there is something to wait for. Default true. */
  readonly waits?: boolean;
}

/**
 * A run as what the command writes of it.
 *
 * @internal
 */
export function runView({ view, waits = true, ...about }: RunViewOptions, { stdout, env, now }: ViewHost): OperatorFunction<LoopEvent, string> {
  const terminal = stdout.isTTY === true && env['TERM'] !== 'dumb';
  // Some terminals do not know their size and say 0.
  const columns = stdout.columns || 80;
  switch (view) {
    case 'json':
      return tape(about, now);
    case 'marbles':
      return marbleView({ redraw: terminal && waits, columns, now });
    case 'live':
      // https://no-color.org: any value but an empty one.
      return liveView({ colours: terminal && !env['NO_COLOR'], spinner: terminal && waits, columns, now });
  }
}
