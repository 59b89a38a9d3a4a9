import { InjectionToken } from '@angular/core';
import type { Message, UserMessage } from 'rx-tool-loop';

/** What a reload needs: the conversation, and the run that was going. */
interface Conversation {
  readonly history: readonly Message[];
  readonly running?: { readonly runId: string; readonly prompt: UserMessage };
}

/** A conversation in `sessionStorage`: it belongs to its tab, and outlives a reload of it. */
export class Kept {
  constructor(private readonly key: string) {}

  read(): Conversation {
    try {
      return JSON.parse(sessionStorage.getItem(this.key) ?? '{"history":[]}') as Conversation;
    } catch {
      return { history: [] };
    }
  }

  /** A run begins: returns its id. */
  begin(history: readonly Message[], prompt: UserMessage): string {
    const runId = `run_${crypto.randomUUID()}`;
    this.write({ history, running: { runId, prompt } });
    return runId;
  }

  end(history: readonly Message[]): void {
    this.write({ history });
  }

  private write(conversation: Conversation): void {
    try {
      sessionStorage.setItem(this.key, JSON.stringify(conversation));
    } catch {
      // A full storage costs the reload its run, and this page nothing.
    }
  }
}

export const KEPT = new InjectionToken<Kept>('The conversation that is kept');
