import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';
import type { Demand } from '../demand.ts';

/** Events that may wait for a reader; default of `pull`, `paced` and `toReadableStream`. */
export const HIGH_WATER_MARK = 16;

/**
 * A demand that is open while fewer than so many values wait. One gate belongs to one reader.
 *
 * @internal
 */
export class Gate implements Demand {
  private readonly highWaterMark: number;
  private readonly asking = new Set<Subscriber<void>>();
  private waiting = 0;

  /** @param highWaterMark - 1 or more; 0 acts as 1, because a gate that never opens would hang the run */
  constructor(highWaterMark: number) {
    this.highWaterMark = Math.max(1, highWaterMark);
  }

  ready(): Observable<void> {
    return new Observable((subscriber) => {
      this.asking.add(subscriber);
      subscriber.add(() => this.asking.delete(subscriber));
      this.open();
    });
  }

  /** A value waits for the reader. */
  came(): void {
    this.waiting += 1;
  }

  /** The reader has taken one. */
  went(): void {
    this.waiting -= 1;
    this.open();
  }

  private open(): void {
    for (const subscriber of this.asking) {
      if (this.waiting >= this.highWaterMark) return;
      // First: what comes of the answer may ask and open again.
      this.asking.delete(subscriber);
      subscriber.next();
      subscriber.complete();
    }
  }
}
