import { defer, tap } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import type { Demand } from '../demand.ts';

/**
 * The reader's demand as one model call sees it, and a clock that stands still while the reader holds the stream: a slow
 * reader must not look like a silent model.
 *
 * @internal
 */
export class ReaderClock implements Demand {
  private readonly demand: Demand;
  private readonly scheduler: SchedulerLike;
  private heldMs = 0;
  private heldSince: number | undefined;

  constructor(demand: Demand, scheduler: SchedulerLike) {
    this.demand = demand;
    this.scheduler = scheduler;
  }

  ready(): Observable<void> {
    return defer(() => {
      this.heldSince = this.scheduler.now();
      return this.demand.ready().pipe(tap(() => this.release()));
    });
  }

  /** Milliseconds, without the time in which the reader held the stream. */
  now(): number {
    return (this.heldSince ?? this.scheduler.now()) - this.heldMs;
  }

  private release(): void {
    this.heldMs += this.scheduler.now() - (this.heldSince ?? this.scheduler.now());
    this.heldSince = undefined;
  }
}
