import { asyncScheduler } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { LONGEST_MS } from '../alarm.ts';
import { errorInfo } from '../errors.ts';
import { randomIds } from '../ids.ts';
import { ConfigError } from '../index.ts';
import type { Answer, ErrorInfo, Ids, LoopEvent, RunLog } from '../index.ts';
import { amount } from './amount.ts';
import type { Format } from './format.ts';
import type { RunSetup } from './loop-runner.ts';
import { memoryRunLog } from './memory-run-log.ts';
import { nativeFormat } from './native-format.ts';
import type { RunRequest } from './run-request.ts';

/** What `start` is told beside the body. */
export interface StartContext {
  readonly runId: string;
  /** Who asks, as `authorize` has said. */
  readonly subject?: string;
  /** Absent where a run goes on after a restart, or after it was suspended. */
  readonly request?: Request;
}

/** See {@link httpHandler}. Limits take Infinity for none; waits are at most 2,147,483,647 ms, or Infinity. */
export interface HttpOptions {
  /**
   * Decides what a run is made of. A `Response` refuses. After a restart it is asked again with the same body, so it must
   * come to the same: the model, the tools and the limits. `prompt` and `messages` come from the body where it gives none.
   */
  readonly start: (body: RunRequest, context: StartContext) => Answer<RunSetup | Response>;
  /**
   * Who may ask: `true`, or the subject that runs belong to; others do not see them. Anything else is 401. Without it only
   * requests to this machine's own names (`localhost`, `127.0.0.1`, `[::1]`) are answered.
   */
  readonly authorize?: (request: Request) => Answer<boolean | { readonly subject: string } | undefined>;
  /** Default: `memoryRunLog()`. */
  readonly log?: RunLog;
  /** By the name that `?format=` asks for, beside `events`, the native one. */
  readonly formats?: Readonly<Record<string, Format>>;
  /** Folds events to what a late watcher gets in place of them with `?snapshot=1`. */
  readonly snapshot?: { readonly initial: () => unknown; readonly fold: (state: never, event: LoopEvent) => unknown };
  /** Origins of pages that may ask, such as `https://app.example`. Default: none but the door's own. */
  readonly cors?: readonly string[];
  /** Whether `GET` of the runs lists those of who asks. Default false: a run is known to who knows its id. */
  readonly list?: boolean;
  /** Where the runs are. Default `/runs`. */
  readonly path?: string;
  /** What watchers are told of an error. Default: of this library's errors their `toJSON()`, of others nothing but that there was one. */
  readonly mask?: (error: unknown) => ErrorInfo;
  /** Told of the errors of runs, of the log and of ports. Default: nobody is. */
  readonly onError?: (error: unknown) => void;
  /** Whether a run that nobody watches goes on. Default `run`. */
  readonly onAbandoned?: 'run' | 'cancel';
  /** Default 60,000. */
  readonly abandonedAfterMs?: number;
  /** Between comments that keep a connection alive. Default 15,000. */
  readonly heartbeatMs?: number;
  readonly limits?: Partial<HttpLimits>;
  /** Makes the ids of runs. Default: random UUIDs. */
  readonly ids?: Ids;
  /** Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

export interface HttpLimits {
  /** Default 1 MiB; more is 413. */
  readonly maxBodyBytes: number;
  /** Until a body is there. Default 10,000; later is 408. */
  readonly bodyTimeoutMs: number;
  /** Runs at the same time. Default 100; more is 429. */
  readonly maxRuns: number;
  /** Until a run is ended softly. Default 3,600,000. */
  readonly maxRunMs: number;
  /** Watchers of one run. Default 1,000; more is 429. */
  readonly maxWatchers: number;
  /** How long a run that was ended softly may take. Default 10,000. */
  readonly graceMs: number;
}

const LIMITS: HttpLimits = { maxBodyBytes: 1_048_576, bodyTimeoutMs: 10_000, maxRuns: 100, maxRunMs: 3_600_000, maxWatchers: 1_000, graceMs: 10_000 };

/** The options with everything decided. */
export interface HttpSettings extends Required<Omit<HttpOptions, 'authorize' | 'limits' | 'snapshot' | 'ids'>>, HttpLimits, Pick<HttpOptions, 'authorize' | 'snapshot'> {
  readonly newId: () => string;
}

/**
 * @throws ConfigError that names the option and says what would be right
 * @internal
 */
export function readHttpOptions(options: HttpOptions): HttpSettings {
  const { start, list = false, path = '/runs', formats = {}, cors = [], onAbandoned = 'run', ids = randomIds } = options;
  if (typeof start !== 'function') throw wrong('start', 'is no function', 'give one that answers with the options of a run');
  if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(path)) throw wrong('path', `is ${JSON.stringify(path)}`, 'give one such as /runs or /api/runs');
  if (onAbandoned !== 'run' && onAbandoned !== 'cancel') throw wrong('onAbandoned', `is ${JSON.stringify(onAbandoned)}`, 'give "run" or "cancel"');
  for (const origin of cors) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) throw wrong('cors', `has ${JSON.stringify(origin)}`, 'give origins such as https://app.example');
  }
  for (const name of Object.keys(options.limits ?? {})) {
    if (!Object.hasOwn(LIMITS, name)) throw wrong(`limits.${name}`, 'is no limit', `the limits are ${Object.keys(LIMITS).join(', ')}`);
  }
  const limits = Object.entries({ ...LIMITS, ...options.limits }).map(([name, value]) => [name, (name.endsWith('Ms') ? wait : amount)('httpHandler', `limits.${name}`, value, 0)]);
  return {
    ...(Object.fromEntries(limits) as unknown as HttpLimits),
    start,
    ...(options.authorize !== undefined && { authorize: options.authorize }),
    ...(options.snapshot !== undefined && { snapshot: options.snapshot }),
    log: options.log ?? memoryRunLog(),
    formats: { events: nativeFormat, ...formats },
    cors,
    list,
    path,
    mask: options.mask ?? errorInfo,
    onError: options.onError ?? (() => undefined),
    onAbandoned,
    abandonedAfterMs: wait('httpHandler', 'abandonedAfterMs', options.abandonedAfterMs ?? 60_000, 0),
    heartbeatMs: wait('httpHandler', 'heartbeatMs', options.heartbeatMs ?? 15_000),
    newId: () => ids('run'),
    scheduler: options.scheduler ?? asyncScheduler,
  };
}

function wait(owner: string, option: string, value: number, least?: number): number {
  if (amount(owner, option, value, least) <= LONGEST_MS || value === Infinity) return value;
  throw wrong(option, `is ${value}`, `give ${LONGEST_MS}, which is 24 days, or less, or Infinity for none`);
}

function wrong(option: string, what: string, todo: string): ConfigError {
  return new ConfigError(`httpHandler: ${option} ${what}; ${todo}.`);
}
