import type { SchedulerLike } from 'rxjs';

/** Where the runs of a server are, and how to ask it. */
export interface RemotePlace {
  /** Of the runs, such as `https://app.example/runs`; in a page also a path, such as `/runs`. */
  readonly url: string;
  /** Default: the global `fetch`, looked up for each request. */
  readonly fetch?: typeof globalThis.fetch;
  /** Sent with each request; a function is asked each time, for tokens that expire. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  /** Clock and timers. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}
