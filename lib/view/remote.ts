import { asyncScheduler, catchError, defer, of, retry, tap, throwError, timeout, timer } from 'rxjs';
import type { Observable } from 'rxjs';
import { alarm, LONGEST_MS } from '../alarm.ts';
import { sse } from '../bytes/sse.ts';
import type { FrameFold } from '../bytes/sse.ts';
import { ConfigError, RemoteError } from '../index.ts';
import { randomIds } from '../ids.ts';
import type { ErrorInfo, LoopEvent, Message, ModelError, RetryPolicy } from '../index.ts';
import { remoteErrorOf } from './remote-error-of.ts';
import { remoteOpen } from './remote-open.ts';
import type { RemotePlace } from './remote-place.ts';
import { remoteRun } from './remote-run.ts';

export { remoteRuns } from './remote-runs.ts';
export { remoteRun } from './remote-run.ts';
export type { RemotePlace } from './remote-place.ts';
export type { RemoteRunInfo } from './remote-runs.ts';
export type { RemoteRun } from './remote-run.ts';

/** What a run is asked for; other fields are between the page and its server. */
export interface RemoteBody {
  readonly prompt?: string;
  readonly messages?: readonly Message[];
  readonly threadId?: string;
  /** 1 to 128 letters, digits, `-` and `_`. Default: a random one for each subscription. */
  readonly runId?: string;
  readonly [field: string]: unknown;
}

export interface RemoteLoopOptions extends RemotePlace {
  /** Starts a run. Either this or `runId`. */
  readonly body?: RemoteBody;
  /** Watches this run. */
  readonly runId?: string;
  /** Of a run that is watched: the position from which on events are wanted. Default 0: all of them. */
  readonly after?: number;
  /** Whether leaving cancels the run; a function is asked then. Default: leaving stops watching, and the run goes on. */
  readonly cancelOnLeave?: boolean | (() => boolean);
  /**
   * How a lost connection is made again; every event begins to count anew. Default: without a bound on the number, from 500 ms
   * on, each wait twice as long, at most 15,000 ms, 300,000 ms together.
   */
  readonly retry?: Partial<Omit<RetryPolicy, 'classify'>>;
  /** Silence after which a connection is taken for lost; servers send a comment each 15 s. Default 45,000; 0 never, as what is longer than timers hold, 2,147,483,647. */
  readonly idleMs?: number;
  /** From 0 (included) to 1; for the jitter of waits. Default: none, which is 1. */
  readonly random?: () => number;
  /**
   * Is told `open` when the server answers, and `lost` when the connection is lost and will be made again, for each time that
   * it is tried. It must not throw. Default: nobody is told.
   */
  readonly onConnection?: (now: 'open' | 'lost') => void;
}

const RETRY = { count: Infinity, initialDelayMs: 500, factor: 2, maxDelayMs: 15_000, maxTotalMs: 300_000, jitter: 0.25, retryAfter: 'respect' } as const;

/** Waits for a run that is on its way to the server. */
const LATE_MS: readonly number[] = [500, 2_000];

/**
 * A run behind a door, as the same Observable of events that it is there. It survives lost connections: it asks again from
 * the last event on, so that there is no gap and nothing comes twice.
 *
 * Contract:
 * - starts: on subscribing. With `body` each subscription is a run of its own; with `runId` it watches that one.
 * - leaves: stops watching, in the same tick; with `cancelOnLeave` the run is cancelled.
 * - fails: the error of a run is a `RemoteError` with the run's `code`, after all that it said. So is a door that refuses
 *   (`run-gone`: the server does not know the run), and a connection that stays lost (`remote-transport`).
 * - order: the run's own. It completes after `done`; with `after` at the end of a run that has ended, with nothing.
 *
 * @throws ConfigError where neither or both of `body` and `runId` are given
 *
 * @example A run on a server
 * ```ts
 * import { toText } from 'rx-tool-loop';
 * import { remoteLoop } from 'rx-tool-loop/remote';
 *
 * remoteLoop({ url: 'https://app.example/runs', body: { prompt: 'Add 2 and 3.' } }).pipe(toText()).subscribe(console.log);
 * ```
 * @see {@link remoteRun} - to steer, answer and cancel it
 * @public
 */
export function remoteLoop(options: RemoteLoopOptions): Observable<LoopEvent> {
  const { body, idleMs = 45_000, scheduler = asyncScheduler, cancelOnLeave = false } = options;
  if ((body === undefined) === (options.runId === undefined)) {
    throw new ConfigError('remoteLoop: give either body, which starts a run, or runId, which watches one.');
  }
  return defer(() => {
    const runId = options.runId ?? body?.runId ?? randomIds('run');
    const reader = new Reader(runId, options.after ?? 0, body === undefined, options.onConnection);

    const connection$ = defer(() => {
      const headers = { accept: 'text/event-stream' };
      const asked = { isOver: () => reader.isOver(), onStatus: (status: number) => reader.status(status) };
      return reader.isStarted
        ? remoteOpen(options, `/${encodeURIComponent(runId)}/events`, { headers: { ...headers, ...(reader.after > 0 && { 'last-event-id': String(reader.after) }) }, ...asked })
        : remoteOpen(options, '', { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify({ ...body, runId }), ...asked });
    });
    return connection$.pipe(
      idleMs > 0 && idleMs <= LONGEST_MS ? timeout({ each: idleMs, scheduler }) : tap(),
      sse<LoopEvent>(() => reader),
      catchError((error: unknown) => throwError(() => (reader.isOver() ? error : remoteErrorOf(error)))),
      retry({ delay: (error: RemoteError) => again(error, reader, options) }),
      tap({
        unsubscribe: () => {
          // Nobody is left to hear what comes of it.
          const cancels = typeof cancelOnLeave === 'function' ? cancelOnLeave() : cancelOnLeave;
          if (cancels && !reader.isOver()) cancelled(runId, reader, options).subscribe({ error: () => undefined });
        },
      }),
    );
  });
}

/** A run that was left before its server was heard of may reach that later than the word that cancels it. */
function cancelled(runId: string, reader: Reader, options: RemoteLoopOptions): Observable<void> {
  const { scheduler = asyncScheduler } = options;
  const isOnItsWay = ({ code }: RemoteError): boolean => code === 'run-gone' && !reader.isStarted;
  return remoteRun({ ...options, runId })
    .cancel()
    .pipe(retry({ count: LATE_MS.length, delay: (error: RemoteError, count) => (isOnItsWay(error) ? timer(LATE_MS[count - 1] ?? 0, scheduler) : throwError(() => error)) }));
}

/** When to connect again; an error where that cannot help. */
function again(error: RemoteError, reader: Reader, { retry: given, scheduler = asyncScheduler, random = () => 1, onConnection }: RemoteLoopOptions): Observable<unknown> {
  if (reader.isOver()) return throwError(() => error);
  // The answer to the first request was lost, but the run has begun. The words of this one may be lost too.
  if (error.status === 409 && reader.wasLost && !reader.isStarted) {
    reader.isStarted = true;
    return of(undefined);
  }
  const policy = { ...RETRY, ...given };
  if (!error.retryable || reader.lost >= policy.count) return throwError(() => error);
  const backoff = Math.min(policy.initialDelayMs * policy.factor ** reader.lost, policy.maxDelayMs) * (1 - policy.jitter * random());
  const asked = (error.cause as Partial<ModelError> | undefined)?.retryAfterMs;
  const delayMs = Math.round(asked === undefined ? backoff : policy.retryAfter === 'clamp' ? Math.min(asked, policy.maxDelayMs) : asked);
  if (reader.waitedMs + delayMs > policy.maxTotalMs) return throwError(() => error);
  reader.waits(delayMs);
  onConnection?.('lost');
  return alarm(delayMs, scheduler);
}

const NO_CONTENT = 204;

/** Reads the frames of a run over all its connections. */
class Reader implements FrameFold<LoopEvent> {
  /** Position of the last event. */
  after: number;
  /** The server is known to have the run. */
  isStarted: boolean;
  /** Connections lost since the last event, and the waits for others. */
  lost = 0;
  waitedMs = 0;
  wasLost = false;
  private readonly runId: string;
  private readonly tell: RemoteLoopOptions['onConnection'];
  private isOpen = false;
  private over = false;

  constructor(runId: string, after: number, isStarted: boolean, tell: RemoteLoopOptions['onConnection']) {
    this.runId = runId;
    this.after = after;
    this.isStarted = isStarted;
    this.tell = tell;
  }

  frame(data: string, name: string, emit: (event: LoopEvent) => void, id = ''): void {
    if (name !== '' && name !== 'error') return;
    const said = parsed(data);
    this.opens();
    if (name === 'error') {
      this.over = true;
      throw new RemoteError(said as ErrorInfo);
    }
    const position = Number(id);
    if (!(position > this.after)) return;
    const event = said as LoopEvent;
    this.after = position;
    this.isStarted = true;
    this.lost = 0;
    this.waitedMs = 0;
    this.over = event.type === 'done' && event.runId === this.runId && event.parent === undefined;
    emit(event);
  }

  comment(): void {
    this.isStarted = true;
    this.opens();
  }

  status(status: number): void {
    if (status !== NO_CONTENT || !this.isStarted) return;
    // The run has ended where it was watched to.
    this.over = true;
    this.opens();
  }

  end(): void {
    throw broken();
  }

  isOver(): boolean {
    return this.over;
  }

  waits(delayMs: number): void {
    this.lost += 1;
    this.waitedMs += delayMs;
    this.wasLost = true;
    this.isOpen = false;
  }

  private opens(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    this.tell?.('open');
  }
}

/** A frame that is no JSON was cut: its connection broke. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    throw broken();
  }
}

function broken(): RemoteError {
  return new RemoteError({ code: 'remote-transport', message: 'The connection to the server of the run broke off. It may be made again.', retryable: true });
}
