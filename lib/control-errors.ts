/** Errors of what an application decides in the middle of a run: its hooks, answers, output and checkpoints. */
import { LoopError } from './errors.ts';

/** A hook, or the `compact`, `onCheckpoint` or `title` port, threw or answered what it may not. */
export class HookError extends LoopError {
  readonly code = 'hook';

  constructor(message: string, options?: ErrorOptions) {
    super('HookError', message, options);
  }
}

/** The model called a tool that does not exist, and the policy or a hook lets the run fail. */
export class UnknownToolError extends LoopError {
  readonly code = 'unknown-tool';
  readonly toolName: string;
  readonly available: readonly string[];

  constructor(toolName: string, available: readonly string[]) {
    const has = available.length === 0 ? 'no tools are available' : `the step has ${available.join(', ')}`;
    super('UnknownToolError', `The model called the tool "${toolName}", but ${has}.`);
    this.toolName = toolName;
    this.available = available;
  }
}

/** The answer is not the output that was asked for, and all repairs are spent. Never holds the output itself. */
export class OutputError extends LoopError {
  readonly code = 'output';
  /** Where in the output, such as `items[2].price`; empty at its root. */
  readonly path: string;

  constructor(path: string, reason: string) {
    const where = path === '' || reason.startsWith(`${path}: `) ? '' : `${path}: `;
    super('OutputError', `The output that was asked for did not come: ${where}${reason}`);
    this.path = path;
  }
}

/** An answer to an open request cannot be taken: it is of another kind, or its arguments do not fit. Nothing has run. */
export class ApprovalError extends LoopError {
  readonly code = 'approval';
  readonly requestId: string;

  constructor(requestId: string, message: string, options?: ErrorOptions) {
    super('ApprovalError', message, options);
    this.requestId = requestId;
  }
}

/** A checkpoint cannot be resumed: it is of another version or shape, or does not fit the options. */
export class CheckpointError extends LoopError {
  readonly code = 'checkpoint';

  constructor(message: string) {
    super('CheckpointError', `resumeToolLoop: ${message}`);
  }
}
