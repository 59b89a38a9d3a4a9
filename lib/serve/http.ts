import { EMPTY, firstValueFrom, from, of } from 'rxjs';
import { isLoopError } from '../index.ts';
import type { PostedRun } from '../projections/posted-run.ts';
import { access } from './access.ts';
import { corsHeaders, preflight } from './cors.ts';
import { answersRequest, runRequest, steerRequest } from './run-request.ts';
import { eventsGoneError } from './events-gone-error.ts';
import type { Format } from './format.ts';
import { readHttpOptions } from './http-options.ts';
import type { HttpOptions, HttpSettings } from './http-options.ts';
import { jsonBody } from './json-body.ts';
import { listRuns } from './list-runs.ts';
import type { LiveRun } from './live-run.ts';
import { loopRunner } from './loop-runner.ts';
import { negotiate } from './negotiate.ts';
import { nativeFormat } from './native-format.ts';
import { Problem } from './problem.ts';
import { route } from './route.ts';
import { Runs } from './runs.ts';
import type { KnownRun } from './runs.ts';
import { Snapshots } from './snapshots.ts';
import { watch } from './watch.ts';

export { memoryRunLog } from './memory-run-log.ts';
export type { ClientTool } from './client-tools.ts';
export type { Format } from './format.ts';
export type { PostedRun, SuspendedRun } from '../projections/posted-run.ts';
export type { HttpLimits, HttpOptions, StartContext } from './http-options.ts';
export type { RunSetup } from './loop-runner.ts';
export type { MemoryRunLogOptions } from './memory-run-log.ts';
export type { RunRequest } from './run-request.ts';

/** A door: answers requests, and holds the runs that they have started. */
export interface HttpHandler {
  (request: Request): Promise<Response>;
  /** Whether it checks who asks; without that it is for this machine alone. */
  readonly isGuarded: boolean;
  /** Call it once before the first request: resumes the runs that an earlier process has left unfinished. How many. */
  recover(): Promise<number>;
  /** Ends all runs softly; resolves when their endings are in the log. Requests to start others get 503 from now on. */
  close(): Promise<void>;
}

/**
 * Runs behind HTTP, as a function from a web `Request` to a `Response`: for Bun, Deno, workers, and Node through
 * `nodeListener` of `rx-tool-loop/node-listener`.
 *
 * | request | answer |
 * |---|---|
 * | `POST /runs` | starts a run; its events, or 202 with its id, as `Accept` or `?format=` asks |
 * | `GET /runs` | the runs of who asks, where the option `list` is set |
 * | `GET /runs/:id` | where it stands |
 * | `GET /runs/:id/events` | its events from the start, or from `Last-Event-ID` or `?after=` on |
 * | `POST /runs/:id/steer` | says something to it |
 * | `POST /runs/:id/answers` | answers its open requests |
 * | `POST /runs/:id/cancel` | ends it: softly, the second time or with `?hard=1` at once |
 *
 * The server holds the subscription of a run: a watcher that leaves changes nothing, and each reads the log at its own pace.
 *
 * Contract:
 * - starts: calling does nothing; each accepted `POST /runs` is one run.
 * - leaves: an answer that is cancelled stops watching.
 * - fails: never; whatever is wrong with a request is an answer of `application/problem+json` with a `code`.
 * - order: watchers see what the log holds, in its order: an event is in the log before anybody sees it.
 *
 * @throws ConfigError for wrong options
 * @public
 */
export function httpHandler(options: HttpOptions): HttpHandler {
  const settings = readHttpOptions(options);
  const runs = new Runs(settings, loopRunner);
  const door = new Door(settings, runs);
  const handle = async (request: Request): Promise<Response> => {
    if (request.method === 'OPTIONS') return preflight(request, settings.cors);
    const response = await door.answer(request).catch((error: unknown) => {
      const problem = Problem.of(error);
      if (problem.status === 500) settings.onError(error);
      return problem.response();
    });
    for (const [name, value] of Object.entries(corsHeaders(request, settings.cors))) response.headers.set(name, value);
    return response;
  };
  return Object.assign(handle, { isGuarded: settings.authorize !== undefined, recover: () => runs.recover(), close: () => runs.close() });
}

const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };

class Door {
  private readonly settings: HttpSettings;
  private readonly runs: Runs;
  private readonly snapshots: Snapshots | undefined;

  constructor(settings: HttpSettings, runs: Runs) {
    this.settings = settings;
    this.runs = runs;
    this.snapshots = settings.snapshot && new Snapshots(settings.log, settings.snapshot);
  }

  async answer(request: Request): Promise<Response> {
    const subject = await access(request, this.settings);
    const asked = route(request, this.settings.path, this.settings.list);
    if (asked.action === 'start') return this.start(request, subject);
    if (asked.action === 'list') return json({ runs: await listRuns(this.settings.log, subject, (runId, run) => this.runs.standing(this.runs.known(runId, run))) });
    // Asked again behind a body: while that came, the run may have ended, or gone on.
    const now = (): Promise<KnownRun> => this.runs.find(asked.runId, subject);
    const run = await now();
    switch (asked.action) {
      case 'status':
        return this.status(asked.runId, run);
      case 'events':
        return this.events(request, asked.runId, run);
      case 'steer': {
        const message = steerRequest(await jsonBody(request, this.settings));
        live(asked.runId, await now()).steer(message);
        return json({ runId: asked.runId, status: 'steered' }, 202);
      }
      case 'answers': {
        const answers = answersRequest(await jsonBody(request, this.settings));
        const alive = await this.runs.answer(asked.runId, await now(), answers);
        // Who hears that an answer was taken relies on it, also where this process ends now.
        await alive?.kept;
        return json({ runId: asked.runId, status: 'answered' }, 202);
      }
      case 'cancel': {
        await jsonBody(request, this.settings, true);
        const hasMore = await this.runs.cancel(asked.runId, await now(), new URL(request.url).searchParams.get('hard') === '1');
        return json({ runId: asked.runId, status: hasMore ? 'cancelling' : 'ended' }, 202);
      }
    }
  }

  private async start(request: Request, subject: string | undefined): Promise<Response> {
    const format = negotiate(request, this.settings.formats, false);
    const sent = await jsonBody(request, this.settings);
    const posted = await this.posted(sent, format, subject);
    const body = runRequest(posted?.body ?? sent);
    if (format !== undefined && posted?.goesOn !== undefined) return this.goOn(posted, posted.goesOn, format, subject);
    const run = await this.runs.start(body, request, subject);
    if (run instanceof Response) return run;
    const { runId } = run;
    // There may have been another run of this id, which the log no longer has.
    this.snapshots?.forget(runId);
    const location = `${this.settings.path}/${runId}`;
    if (format === undefined) return json({ runId, events: `${location}/events` }, 202, { location });
    return this.stream(runId, run, posted === undefined ? format : { ...format, encode: posted.encode }, 0, { location });
  }

  /** What a body says in the words of another protocol. */
  private async posted(sent: unknown, format: Format | undefined, subject: string | undefined): Promise<PostedRun | undefined> {
    const read$ = format?.read?.(sent, (runId) => from(this.runs.suspended(runId, subject))) ?? of(undefined);
    const posted = await firstValueFrom(read$).catch((error: unknown) => {
      throw isLoopError(error) && error.code === 'config' ? new Problem(400, 'invalid-body', error.message) : error;
    });
    if (posted?.isLost !== true) return posted;
    throw new Problem(409, 'request-not-open', 'No suspended run waits for this answer: it was answered already, or the run is gone.');
  }

  private async goOn({ encode }: PostedRun, { runId, answers }: NonNullable<PostedRun['goesOn']>, format: Format, subject: string | undefined): Promise<Response> {
    const run = await this.runs.find(runId, subject);
    const alive = await this.runs.answer(runId, run, new Map(Object.entries(answers)));
    // Until then the log ends where the run was suspended, and so would its stream.
    await alive?.begun;
    // What was said before is with the client: the format begins where the run goes on.
    return this.stream(runId, alive, { ...format, encode, stateless: true }, run.position, { location: `${this.settings.path}/${runId}` });
  }

  private status(runId: string, run: KnownRun): Response {
    const { about, position, live: alive } = run;
    const requests = this.runs.requests(run);
    return json({
      runId,
      ...(about.threadId !== undefined && { threadId: about.threadId }),
      status: this.runs.standing(run),
      position,
      requests,
      watchers: alive?.watchers ?? 0,
    });
  }

  private async events(request: Request, runId: string, run: KnownRun): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const format = negotiate(request, this.settings.formats, true) as Format;
    const asked = request.headers.get('last-event-id') ?? searchParams.get('after');
    const after = asked === null ? 0 : positionIn(asked, run.position);
    if (run.live !== undefined && run.live.watchers >= this.settings.maxWatchers) {
      throw new Problem(429, 'too-many-watchers', `This run has ${this.settings.maxWatchers} watchers: try again when one has left.`, { 'retry-after': '5' });
    }
    if (searchParams.get('snapshot') !== '1' || asked !== null) {
      const from = format.stateless === true ? after : 0;
      // So that who asks again whenever a stream ends, as browsers do, stops asking. Other formats have an end of their own to say.
      if (format === nativeFormat && run.live === undefined && run.ending !== undefined && after === run.position) return new Response(null, { status: 204 });
      if (run.dropped !== undefined && from < run.dropped) throw eventsGoneError(from, run.dropped);
      return this.stream(runId, run.live, format, after);
    }
    if (this.snapshots === undefined) throw new Problem(400, 'no-snapshots', 'This server makes no snapshots: leave out snapshot, and read all events.');
    const { position, state } = await this.snapshots.of(runId, run.position);
    return this.stream(runId, run.live, format, position, {}, `event: snapshot\nid: ${position}\ndata: ${JSON.stringify(state)}\n\n`);
  }

  private stream(runId: string, alive: LiveRun | undefined, format: Format, after: number, headers: Readonly<Record<string, string>> = {}, first?: string): Response {
    const { log, heartbeatMs, scheduler } = this.settings;
    const watch$ = alive?.watch$ ?? EMPTY;
    const body = watch({ log, runId, after, format, watch$, heartbeatMs, scheduler, ...(first !== undefined && { first }) });
    return new Response(body, { headers: { ...STREAM, ...format.headers, ...headers } });
  }
}

function live(runId: string, { live: run }: KnownRun): LiveRun {
  if (run !== undefined) return run;
  throw new Problem(409, 'run-ended', `The run ${runId} has ended: start another one.`);
}

function positionIn(text: string, last: number): number {
  const position = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (position <= last) return position;
  throw new Problem(400, 'invalid-position', `Last-Event-ID and after take an id that this run has sent: a whole number from 0 to ${last}.`);
}

function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { ...headers, 'content-type': 'application/json', 'cache-control': 'no-store' } });
}
