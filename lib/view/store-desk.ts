import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';
import type { ApprovalAnswer, ApprovalPort, UserMessage } from '../index.ts';

/** What one run hears from its store; the names are those of the options of `toolLoop`. */
export interface StoreControls {
  readonly abort$: Observable<void>;
  readonly steering$: Observable<string | UserMessage>;
  readonly approvals: ApprovalPort;
}

/**
 * Where a store speaks to one run. Each word says whether somebody was there to hear it, because a run may not have taken
 * the controls that it was offered, and a screen is always a little late.
 *
 * @internal
 */
export class StoreDesk {
  private readonly aborting = new Set<Subscriber<void>>();
  private readonly steered = new Set<Subscriber<string | UserMessage>>();
  private readonly asked = new Map<string, Subscriber<ApprovalAnswer>>();

  readonly controls: StoreControls = {
    abort$: heard(this.aborting),
    steering$: heard(this.steered),
    approvals: ({ id }) =>
      new Observable((subscriber) => {
        this.asked.set(id, subscriber);
        return () => void (this.asked.get(id) === subscriber && this.asked.delete(id));
      }),
  };

  abort(): boolean {
    return say(this.aborting, undefined);
  }

  steer(message: string | UserMessage): boolean {
    return say(this.steered, message);
  }

  /** All of them, or none where one answers what is not asked. */
  answer(answers: Readonly<Record<string, ApprovalAnswer>>): boolean {
    const given = Object.entries(answers);
    if (given.length === 0 || !given.every(([id]) => this.asked.has(id))) return false;
    for (const [id, answer] of given) {
      const subscriber = this.asked.get(id);
      subscriber?.next(answer);
      subscriber?.complete();
    }
    return true;
  }
}

function heard<T>(listeners: Set<Subscriber<T>>): Observable<T> {
  return new Observable((subscriber) => {
    listeners.add(subscriber);
    return () => listeners.delete(subscriber);
  });
}

function say<T>(listeners: ReadonlySet<Subscriber<T>>, value: T): boolean {
  const now = [...listeners];
  for (const subscriber of now) subscriber.next(value);
  return now.length > 0;
}
