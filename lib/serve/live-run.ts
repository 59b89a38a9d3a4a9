import { Observable, of } from 'rxjs';
import type { SchedulerLike, Subscriber, Subscription } from 'rxjs';
import { alarm } from '../alarm.ts';
import type { ApprovalAnswer, ApprovalRequest, ErrorInfo, LoopEvent, RunAbout, RunLog, UserMessage } from '../index.ts';
import { Journal } from './journal.ts';
import type { RunControls } from './loop-runner.ts';

/** What a run behind a door is bound by. */
export interface LiveRunSettings {
  readonly log: RunLog;
  readonly scheduler: SchedulerLike;
  readonly mask: (error: unknown) => ErrorInfo;
  readonly onError: (error: unknown) => void;
  readonly maxRunMs: number;
  readonly onAbandoned: 'run' | 'cancel';
  readonly abandonedAfterMs: number;
  /** After a soft end, until the run is left. */
  readonly graceMs: number;
}

const CANCELLED: ErrorInfo = { code: 'cancelled', message: 'The run was left before its end.', retryable: false };

/**
 * A run whose subscription the server holds. Watchers come and go without it noticing, but for `onAbandoned`; what it says
 * goes into the log, and nowhere else.
 *
 * @internal
 */
export class LiveRun {
  readonly runId: string;
  readonly about: RunAbout;
  readonly controls: RunControls;
  private readonly settings: LiveRunSettings;
  private readonly journal: Journal;
  private readonly over: () => void;
  private readonly aborting = new Set<Subscriber<void>>();
  private readonly steered = new Set<Subscriber<UserMessage>>();
  private readonly open = new Map<string, { readonly request: ApprovalRequest; readonly asking?: Subscriber<ApprovalAnswer> }>();
  private readonly early = new Map<string, ApprovalAnswer>();
  private readonly hurt = new Set<Subscriber<never>>();
  private watching = 0;
  private isCancelled = false;
  private isOver = false;
  private subscription: Subscription | undefined;
  private deadline: Subscription | undefined;
  private abandoned: Subscription | undefined;

  /** @param over - called once, when the ending is in the log or the log has failed */
  constructor(runId: string, about: RunAbout, settings: LiveRunSettings, over: () => void, logged?: ReadonlySet<string>) {
    this.runId = runId;
    this.about = about;
    this.settings = settings;
    this.over = over;
    this.journal = new Journal(settings.log, runId, (error) => this.fail(error), logged);
    const { onRequest } = (about.body ?? {}) as { readonly onRequest?: unknown };
    this.controls = {
      runId,
      ...(about.threadId !== undefined && { threadId: about.threadId }),
      abort$: new Observable<void>((subscriber) => {
        if (this.isCancelled) subscriber.next();
        return this.listed(this.aborting, subscriber);
      }),
      steering$: new Observable((subscriber) => this.listed(this.steered, subscriber)),
      demand: this.journal,
      approvals: (request) => {
        const early = this.early.get(request.id);
        this.open.delete(request.id);
        if (early !== undefined || onRequest === 'suspend') return of(early ?? { type: 'suspend' });
        return new Observable((asking) => {
          this.open.set(request.id, { request, asking });
          return () => this.open.delete(request.id);
        });
      },
      onCheckpoint: (checkpoint) => this.journal.checkpoint(checkpoint),
    };
  }

  /** Requests that nobody has answered. */
  get requests(): readonly ApprovalRequest[] {
    return [...this.open.values()].map(({ request }) => request);
  }

  /** Resolves when the log has more than before, or has failed. */
  get begun(): Promise<void> {
    return this.journal.begun;
  }

  /** Resolves when the log has what the run has said so far, or has failed. */
  get kept(): Promise<void> {
    return this.journal.begun.then(() => this.journal.kept);
  }

  get watchers(): number {
    return this.watching;
  }

  /** @param before - events that come first, such as those that close what a crash has cut */
  begin(events$: Observable<LoopEvent>, before: readonly LoopEvent[] = []): void {
    const { maxRunMs } = this.settings;
    for (const event of before) this.journal.push(event);
    if (!this.isCancelled) this.deadline = this.after(maxRunMs, () => this.cancel(false));
    this.left();
    this.subscription = events$.subscribe({
      next: (event) => {
        if (event.type === 'done' && event.parent === undefined) this.end({ event });
        else this.journal.push(event);
      },
      error: (error: unknown) => {
        this.settings.onError(error);
        this.end({ error: this.settings.mask(error) });
      },
      // After `done` it is over already.
      complete: () => this.end({ error: CANCELLED }),
    });
    if (this.isOver) this.subscription.unsubscribe();
  }

  /** The first time softly, unless `hard`: the run ends by itself, with `done` `aborted`. The second time it is left. */
  cancel(hard: boolean): void {
    if (this.isOver) return;
    if (hard || this.isCancelled) return this.end({ error: CANCELLED });
    this.isCancelled = true;
    this.deadline?.unsubscribe();
    this.deadline = this.after(this.settings.graceMs, () => this.end({ error: CANCELLED }));
    for (const subscriber of [...this.aborting]) subscriber.next();
  }

  /** Requests that the run makes again when it has come that far. They are open from now on, and an answer to one waits for it. */
  expect(requests: readonly ApprovalRequest[]): void {
    for (const request of requests) this.open.set(request.id, { request });
  }

  steer(message: UserMessage): void {
    for (const subscriber of [...this.steered]) subscriber.next(message);
  }

  answer(id: string, answer: ApprovalAnswer): void {
    const open = this.open.get(id);
    this.open.delete(id);
    if (open !== undefined && open.asking === undefined) this.early.set(id, answer);
    open?.asking?.next(answer);
    open?.asking?.complete();
  }

  /** Errors where the log has failed; completes with nothing where the run is over. Counts as a watcher meanwhile. */
  get watch$(): Observable<never> {
    return new Observable((subscriber) => {
      this.watching += 1;
      this.abandoned?.unsubscribe();
      this.hurt.add(subscriber);
      return () => {
        this.watching -= 1;
        this.hurt.delete(subscriber);
        this.left();
      };
    });
  }

  private left(): void {
    const { onAbandoned, abandonedAfterMs } = this.settings;
    if (onAbandoned === 'run' || this.watching > 0 || this.isOver) return;
    this.abandoned?.unsubscribe();
    this.abandoned = this.after(abandonedAfterMs, () => this.cancel(false));
  }

  private after(ms: number, act: () => void): Subscription {
    return alarm(ms, this.settings.scheduler).subscribe(act);
  }

  private end(ending: { readonly event: LoopEvent } | { readonly error: ErrorInfo }): void {
    if (this.isOver) return;
    this.stop();
    this.journal.end(ending, this.over);
  }

  /** The log has failed: nothing can be kept, so nothing goes on. */
  private fail(error: unknown): void {
    this.settings.onError(error);
    this.stop();
    for (const subscriber of [...this.hurt]) subscriber.error(error);
    this.over();
  }

  private stop(): void {
    this.isOver = true;
    this.deadline?.unsubscribe();
    this.abandoned?.unsubscribe();
    this.subscription?.unsubscribe();
  }

  private listed<T>(list: Set<T>, one: T): () => void {
    list.add(one);
    return () => list.delete(one);
  }
}
