import { LoopError } from './errors.ts';
import type { ErrorInfo } from './errors.ts';

/**
 * An error that was told over a wire or by a log: of a run that failed elsewhere (`code` is the run's), or of a door that
 * refused. Doors say `run-gone`, `events-gone`, `run-exists`, `run-ended`, `request-not-open`, `unauthorized` and others.
 */
export class RemoteError extends LoopError {
  readonly code: string;
  override readonly retryable: boolean;
  /** HTTP status, where there was one. */
  readonly status: number | undefined;

  constructor({ code, message, retryable, status }: ErrorInfo, options?: ErrorOptions) {
    super('RemoteError', message, options);
    this.code = code;
    this.retryable = retryable;
    this.status = status;
  }

  override toJSON(): ErrorInfo {
    return this.status === undefined ? super.toJSON() : { ...super.toJSON(), status: this.status };
  }
}
