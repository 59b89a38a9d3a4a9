import type { UserMessage } from '../message.ts';
import { userMessage } from '../message.ts';
import type { Outcome } from '../outcome.ts';

/** What a person may say into a run: a message, or its text. */
export type Said = string | UserMessage;

/**
 * What the user has said meanwhile, until a step reads it.
 *
 * @internal
 */
export class Inbox {
  private readonly steering: UserMessage[];
  private readonly followUp: UserMessage[];

  /** @param unread - what a run that is resumed has left */
  constructor(unread: Outcome['unread'] = { steering: [], followUp: [] }) {
    this.steering = [...unread.steering];
    this.followUp = [...unread.followUp];
  }

  steer(said: Said): void {
    this.steering.push(messageOf(said));
  }

  follow(said: Said): void {
    this.followUp.push(messageOf(said));
  }

  get isEmpty(): boolean {
    return this.steering.length === 0 && this.followUp.length === 0;
  }

  /** All that steers; at a boundary without tools also the next follow-up, if nothing steers. */
  read(afterAnswer: boolean): readonly UserMessage[] {
    if (this.steering.length > 0) return this.steering.splice(0);
    return afterAnswer ? this.followUp.splice(0, 1) : [];
  }

  /** What nobody has read; absent where there is nothing. */
  get unread(): { readonly steering: readonly UserMessage[]; readonly followUp: readonly UserMessage[] } | undefined {
    return this.isEmpty ? undefined : { steering: [...this.steering], followUp: [...this.followUp] };
  }
}

function messageOf(said: Said): UserMessage {
  return typeof said === 'string' ? userMessage(said) : said;
}
