import { defaultIfEmpty, defer, EMPTY, firstValueFrom, ignoreElements, lastValueFrom, takeWhile, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { answer } from '../answer.ts';
import { openRequests } from '../index.ts';
import type { ApprovalAnswer, ApprovalRequest, Checkpoint, ErrorInfo, LoggedRun, LoopEvent, RunAbout } from '../index.ts';
import { checkKind } from './check-kind.ts';
import { endingName } from './ending-name.ts';
import { goneError } from './gone-error.ts';
import type { HttpSettings } from './http-options.ts';
import { isRunId } from './run-id.ts';
import { withClientTools } from './client-tools.ts';
import { LiveRun } from './live-run.ts';
import type { Runner, RunSetup } from './loop-runner.ts';
import { Problem } from './problem.ts';
import { Restart } from './restart.ts';
import type { RunRequest } from './run-request.ts';

/** A run as the door knows it: from its log, and while it goes on. */
export interface KnownRun extends LoggedRun {
  readonly live: LiveRun | undefined;
}

/** How a run stands. */
export type Standing = 'running' | 'waiting' | ReturnType<typeof endingName>;

/**
 * The runs of one door: starts them, finds them, resumes them, and holds their subscriptions.
 *
 * @internal
 */
export class Runs {
  private readonly settings: HttpSettings;
  private readonly runner: Runner;
  private readonly live = new Map<string, LiveRun>();
  private readonly idle = new Set<() => void>();
  private readonly resuming = new Set<string>();
  private beginning = 0;
  private isClosed = false;

  constructor(settings: HttpSettings, runner: Runner) {
    this.settings = settings;
    this.runner = runner;
  }

  /** A `Response` where the host refuses. */
  async start(body: RunRequest, request: Request, subject: string | undefined): Promise<LiveRun | Response> {
    const runId = body.runId ?? this.settings.newId();
    const { threadId } = body;
    const about: RunAbout = { body, ...(subject !== undefined && { subject }), ...(threadId !== undefined && { threadId }) };
    return this.slot(async () => {
      const setup = await this.setup(about, runId, request);
      if (setup instanceof Response) return setup;
      const { log } = this.settings;
      // Made before the log is: options that are wrong leave no trace.
      const run = this.newRun(runId, about);
      const events$ = this.runner.start(setup, run.controls);
      await lastValueFrom(log.create(runId, about), { defaultValue: undefined });
      return this.begin(run, events$);
    });
  }

  /** A run of this subject; otherwise it is gone. */
  async find(runId: string, subject: string | undefined): Promise<KnownRun> {
    const run = await this.logged(runId, subject);
    if (run === undefined) throw goneError(runId);
    return this.known(runId, run);
  }

  known(runId: string, run: LoggedRun): KnownRun {
    return { ...run, live: this.live.get(runId) };
  }

  /** The checkpoint of a suspended run of this subject. */
  async suspended(runId: string, subject: string | undefined): Promise<Checkpoint | undefined> {
    if (!isRunId(runId) || this.live.has(runId)) return undefined;
    const run = await this.logged(runId, subject);
    return run && suspendedAt(run);
  }

  standing(run: KnownRun): Standing {
    if (run.ending !== undefined) return endingName(run.ending);
    return this.requests(run).length > 0 ? 'waiting' : 'running';
  }

  requests(run: KnownRun): readonly ApprovalRequest[] {
    const suspended = suspendedAt(run);
    return run.live?.requests ?? (suspended === undefined ? [] : openRequests(suspended));
  }

  /** Answers open requests: all, or none where one is not open. A suspended run goes on. */
  async answer(runId: string, run: KnownRun, answers: ReadonlyMap<string, ApprovalAnswer>): Promise<LiveRun | undefined> {
    const open = this.requests(run);
    const unknown = [...answers.keys()].find((id) => !open.some((request) => request.id === id));
    if (unknown !== undefined) {
      throw new Problem(409, 'request-not-open', `The request ${JSON.stringify(unknown.slice(0, 100))} is not open: it was answered already, or never made. GET the run for those that are.`);
    }
    for (const request of open) checkKind(request, answers.get(request.id));
    const checkpoint = suspendedAt(run);
    for (const [id, one] of answers) run.live?.answer(id, one);
    if (run.live !== undefined || checkpoint === undefined) return run.live;
    return this.resume('answered', runId, run.about, checkpoint, Object.fromEntries(answers));
  }

  /** Whether there was something to end. A suspended run goes on to its end, so that no later answer starts what waits. */
  async cancel(runId: string, run: KnownRun, hard: boolean): Promise<boolean> {
    const checkpoint = suspendedAt(run);
    if (run.live === undefined && checkpoint !== undefined) await this.resume('cancelled', runId, run.about, checkpoint, {});
    run.live?.cancel(hard);
    return run.live !== undefined || checkpoint !== undefined;
  }

  /** Goes on with the runs that another process has left unfinished; the number of them. */
  async recover(): Promise<number> {
    const runIds = await firstValueFrom(this.settings.log.unfinished());
    const left = runIds.filter((runId) => !this.live.has(runId));
    for (const runId of left) {
      try {
        await this.restart(runId);
      } catch (error) {
        this.settings.onError(error);
        await this.closeLog(runId, { code: 'restarted', message: 'The server was restarted, and the run could not go on.', retryable: true });
      }
    }
    return left.length;
  }

  /** Ends every run softly and waits for them; no other begins. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const run of this.live.values()) run.cancel(false);
    if (this.live.size > 0) await new Promise<void>((resolve) => this.idle.add(resolve));
  }

  private async logged(runId: string, subject: string | undefined): Promise<LoggedRun | undefined> {
    const run = await firstValueFrom(this.settings.log.load(runId), { defaultValue: undefined });
    return run?.about.subject === subject ? run : undefined;
  }

  private async restart(runId: string): Promise<void> {
    const { log, scheduler } = this.settings;
    const logged = await firstValueFrom(log.load(runId));
    if (logged === undefined) return;
    const { about, position, checkpoint } = logged;
    const restart = checkpoint && new Restart(runId, checkpoint.checkpoint, checkpoint.position);
    const types = new Set<string>();
    const read$ = log.read(runId, 0).pipe(
      tap((piece) => {
        for (const [at, entry] of piece.entries.entries()) {
          restart?.see(entry, piece.position + at);
          if ('event' in entry) types.add(entry.event.type);
        }
      }),
      takeWhile((piece) => piece.position + piece.entries.length - 1 < position),
    );
    await lastValueFrom(position === 0 ? EMPTY : read$, { defaultValue: undefined });
    if (restart !== undefined) {
      const { closing, checkpoint: from, answers, logged: known } = restart.end(scheduler.now());
      await this.resume('restarted', runId, about, from, answers, closing, known);
      return;
    }
    types.delete('run-start');
    if (types.size > 0) throw new Error(`The run ${runId} has no checkpoint.`);
    // It had not begun to ask: it starts as if for the first time.
    await this.slot(async () => {
      const setup = await this.ownSetup(about, runId);
      const run = this.newRun(runId, about, new Set(position === 0 ? [] : ['run-start']));
      return this.begin(run, this.runner.start(setup, run.controls));
    }, true);
  }

  private async resume(
    why: 'answered' | 'cancelled' | 'restarted', runId: string, about: RunAbout, checkpoint: Checkpoint, answers: Readonly<Record<string, ApprovalAnswer>>,
    closing: readonly LoopEvent[] = [], logged: ReadonlySet<string> = new Set(['run-start']),
  ): Promise<LiveRun> {
    if (this.resuming.has(runId) || this.live.has(runId)) throw new Problem(409, 'request-not-open', `The run ${runId} goes on already.`);
    this.resuming.add(runId);
    try {
      return await this.slot(async () => {
        const setup = await this.ownSetup(about, runId);
        const run = this.newRun(runId, about, logged);
        if (setup.approvals === undefined) run.expect(openRequests(checkpoint).filter(({ id }) => !Object.hasOwn(answers, id)));
        const events$ = this.runner.resume(checkpoint, answers, setup, run.controls);
        if (why === 'cancelled') run.cancel(false);
        return this.begin(run, events$, closing);
      }, why !== 'answered');
    } finally {
      this.resuming.delete(runId);
    }
  }

  /** @param isOld - of a run that has its place, or needs none for long: it is not refused where there is none */
  private async slot<T>(begin: () => Promise<T>, isOld = false): Promise<T> {
    const { maxRuns } = this.settings;
    if (this.isClosed) throw new Problem(503, 'closing', 'The server is about to end: try again later.', { 'retry-after': '5' });
    if (!isOld && this.live.size + this.beginning >= maxRuns) {
      throw new Problem(429, 'too-many-runs', `There are ${maxRuns} runs already: try again when one has ended.`, { 'retry-after': '5' });
    }
    this.beginning += 1;
    try {
      return await begin();
    } finally {
      this.beginning -= 1;
    }
  }

  private newRun(runId: string, about: RunAbout, logged?: ReadonlySet<string>): LiveRun {
    const over = (): void => {
      this.live.delete(runId);
      if (this.live.size > 0) return;
      for (const resolve of this.idle) resolve();
      this.idle.clear();
    };
    return new LiveRun(runId, about, this.settings, over, logged);
  }

  private begin(run: LiveRun, events$: Observable<LoopEvent>, closing: readonly LoopEvent[] = []): LiveRun {
    this.live.set(run.runId, run);
    run.begin(events$, closing);
    if (this.isClosed) run.cancel(false);
    return run;
  }

  private async setup(about: RunAbout, runId: string, request?: Request): Promise<RunSetup | Response> {
    const body = about.body as RunRequest;
    const context = { runId, ...(about.subject !== undefined && { subject: about.subject }), ...(request !== undefined && { request }) };
    const setup = await firstValueFrom(defer(() => answer(this.settings.start(body, context))).pipe(defaultIfEmpty(undefined)));
    if (setup === undefined) throw new Error('httpHandler: start answered with nothing; answer with the options of a run, or a Response.');
    if (setup instanceof Response) return setup;
    const equipped = withClientTools(setup, body.clientTools);
    if (setup.prompt !== undefined || setup.messages !== undefined) return equipped;
    const { prompt, messages } = body;
    return { ...equipped, ...(prompt !== undefined && { prompt }), ...(messages !== undefined && { messages }) };
  }

  private async ownSetup(about: RunAbout, runId: string): Promise<RunSetup> {
    const setup = await this.setup(about, runId);
    if (setup instanceof Response) throw new Error(`httpHandler: start refused the run ${runId}, which it had started before.`);
    return setup;
  }

  private async closeLog(runId: string, error: ErrorInfo): Promise<void> {
    const appended$ = defer(() => this.settings.log.append(runId, [{ error }])).pipe(ignoreElements());
    await lastValueFrom(appended$, { defaultValue: undefined }).catch((failure: unknown) => this.settings.onError(failure));
  }
}

function suspendedAt({ ending }: LoggedRun): Checkpoint | undefined {
  return ending !== undefined && 'event' in ending && ending.event.type === 'done' ? ending.event.outcome.checkpoint : undefined;
}
