import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';
import type { Tool } from '../index.ts';

/**
 * The tools of all runs of the command: those that are there now, for whoever begins, and each later set, for whoever runs.
 *
 * @internal
 */
export class ToolList {
  private readonly readers = new Set<Subscriber<readonly Tool[]>>();
  private held: readonly Tool[];

  /** Emits the latest set at once, and each later one; never completes. */
  readonly latest$ = new Observable<readonly Tool[]>((subscriber) => {
    subscriber.next(this.held);
    if (subscriber.closed) return;
    this.readers.add(subscriber);
    subscriber.add(() => this.readers.delete(subscriber));
  });

  constructor(tools: readonly Tool[]) {
    this.held = tools;
  }

  get latest(): readonly Tool[] {
    return this.held;
  }

  set(tools: readonly Tool[]): void {
    this.held = tools;
    for (const reader of [...this.readers]) reader.next(tools);
  }
}
