import type { Observable, OperatorFunction } from 'rxjs';
import type { LoopEvent } from '../index.ts';
import type { PostedRun, SuspendedRun } from '../projections/posted-run.ts';

/** How a run is written to its watchers. */
export interface Format {
  /** In addition to those of a stream of server-sent events. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Makes complete frames of the events, each with the blank line at its end, and in the same tick as its event. The door
   * writes the `id:` of the position before the last frame of an event. A run that failed is an error notification, always
   * a `RemoteError`; what `encode` passes on of it is written as a native error frame.
   */
  readonly encode: OperatorFunction<LoopEvent, string>;
  /** Every event makes its frames by itself. Then what a watcher has is not read again for it. Default: false. */
  readonly stateless?: boolean;
  /**
   * Reads a body of `POST /runs` in the protocol's own words, as one value; `undefined` for one in the door's. A `ConfigError` of it is an
   * answer with status 400. Default: all bodies are in the door's words.
   *
   * @param suspended - the checkpoint of a suspended run that belongs to who asks
   */
  readonly read?: (body: unknown, suspended: SuspendedRun) => Observable<PostedRun | undefined>;
}
