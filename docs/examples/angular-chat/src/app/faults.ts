import { ErrorHandler, Injectable, signal } from '@angular/core';
import { isLoopError } from 'rx-tool-loop';

/** What no run tells of: a word for it that did not reach its server. */
@Injectable({ providedIn: 'root' })
export class Faults extends ErrorHandler {
  readonly last = signal<{ readonly message: string } | undefined>(undefined);

  override handleError(error: unknown): void {
    if (isLoopError(error)) this.last.set({ message: error.message });
    else super.handleError(error);
  }
}
