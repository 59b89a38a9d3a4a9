import type { Observable } from 'rxjs';
import type { LoopEvent } from '../index.ts';
import type { RemoteRun } from './remote-run.ts';
import type { StoreRun } from './store-options.ts';

/** Where the runs of a conversation come from. */
export interface ToolLoopSource {
  readonly open: (ending: SourceEnding) => ToolLoopRuns;
}

/** What a source is told of the conversation's end. */
export interface SourceEnding {
  /** Whether a run that is left is also to be cancelled where it is: not by a page that goes away, unless it was told to, nor by who watches it anew. */
  readonly cancels: (runId: string) => boolean;
}

/** The runs of one conversation. */
export interface ToolLoopRuns {
  readonly run: (run: StoreRun) => Observable<LoopEvent>;
  /** For runs that are elsewhere. */
  readonly control?: (runId: string) => RemoteRun;
  /** A run that has begun already. */
  readonly watch?: (runId: string) => Observable<LoopEvent>;
}
