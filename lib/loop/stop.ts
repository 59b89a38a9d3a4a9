import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';

/** Why a run is told to stop. */
export type Stop = { readonly reason: 'aborted' | 'max-duration' } | { readonly error: unknown };

/**
 * The soft end of one run: set once, heard by whatever the run is at, also by what begins later.
 *
 * @internal
 */
export class StopSwitch {
  private readonly hearing = new Set<Subscriber<Stop>>();
  private stop: Stop | undefined;

  /** Emits once and completes: at once where the run has been stopped already. */
  readonly stop$ = new Observable<Stop>((subscriber) => {
    if (this.stop !== undefined) return tell(subscriber, this.stop);
    this.hearing.add(subscriber);
    return () => this.hearing.delete(subscriber);
  });

  get stopped(): Stop | undefined {
    return this.stop;
  }

  /** The first stop counts. */
  set(stop: Stop): void {
    if (this.stop !== undefined) return;
    this.stop = stop;
    for (const subscriber of [...this.hearing]) tell(subscriber, stop);
  }
}

function tell(subscriber: Subscriber<Stop>, stop: Stop): undefined {
  subscriber.next(stop);
  subscriber.complete();
  return undefined;
}
