import { signal } from '@angular/core';
import type { LoopEvent } from 'rx-tool-loop';

/** An attempt that was withdrawn: a state forgets it, this page shows that it was there. */
export interface Withdrawn {
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
  readonly reason: string;
  readonly text: string;
  readonly calls: readonly string[];
}

export interface Corrected {
  readonly runId: string;
  readonly step: number;
  readonly cause: string;
  readonly count: number;
  readonly max: number;
  readonly reason: string;
}

/** What events tell and a state does not keep. */
export class Trail {
  readonly withdrawn = signal<readonly Withdrawn[]>([]);
  readonly corrected = signal<readonly Corrected[]>([]);
  /** What the open attempt of each run has said. */
  private readonly open = new Map<string, { text: string; calls: string[] }>();

  hear(event: LoopEvent): void {
    const { runId } = event;
    const open = this.open.get(runId);
    switch (event.type) {
      case 'step-start':
        this.open.set(runId, { text: '', calls: [] });
        break;
      case 'delta': {
        const { delta } = event;
        if (open === undefined) break;
        if (delta.type === 'text' || delta.type === 'refusal') open.text += delta.text;
        if (delta.type === 'tool-call-start') open.calls.push(delta.name);
        break;
      }
      case 'step-retract': {
        const { step, attempt, reason } = event;
        this.open.delete(runId);
        this.withdrawn.update((all) => [...all, { runId, step, attempt, reason, text: open?.text ?? '', calls: open?.calls ?? [] }]);
        break;
      }
      case 'correction': {
        const { step, cause, count, max, reason } = event;
        this.corrected.update((all) => [...all, { runId, step, cause, count, max, reason }]);
        break;
      }
      case 'done':
        this.open.delete(runId);
    }
  }
}
