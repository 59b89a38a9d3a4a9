/** Where in a run two events clash. */
export interface Clash {
  readonly runId: string;
  /** The earlier event, in short: `0 tool-start c0`. */
  readonly before: string;
  /** The event that cannot follow it, or `complete`. */
  readonly after: string;
  /** The rule, in words. */
  readonly rule: string;
}

/** Two events of a run cannot follow each other. */
export class VerifyEventsError extends Error {
  readonly code = 'verify-events';
  readonly clash: Clash;

  constructor(clash: Clash) {
    super(`Run ${clash.runId}: "${clash.after}" cannot follow "${clash.before}": ${clash.rule}.`);
    this.name = 'VerifyEventsError';
    this.clash = clash;
  }
}
