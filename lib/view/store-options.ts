import type { Observable } from 'rxjs';
import type { LoopEvent, Message, UserMessage } from '../index.ts';
import type { RemoteRun } from './remote-run.ts';
import type { StoreUpdates } from './store-board.ts';
import type { StoreControls } from './store-desk.ts';

/** What a run is made from; all of it goes into the options of `toolLoop` as it is. */
export interface StoreRun extends StoreControls {
  /** What the runs before came to. */
  readonly messages: readonly Message[];
  readonly prompt: UserMessage;
}

export interface LoopStoreOptions {
  /** Makes the run of a prompt. It is called when the run begins. */
  readonly run: (run: StoreRun) => Observable<LoopEvent<any>>;
  /**
   * How to speak to a run that is elsewhere, such as `(runId) => remoteRun({ url, runId })`. Default: through the controls
   * that the run was given.
   */
  readonly control?: (runId: string) => RemoteRun;
  /** The conversation before the first prompt. Default: none. */
  readonly messages?: readonly Message[];
  /**
   * What becomes of a run that is asked for while another is going: `switch` leaves that one, `concat` lets the new one wait
   * its turn, `exhaust` refuses it. Default `switch`.
   */
  readonly strategy?: 'switch' | 'concat' | 'exhaust';
  /**
   * How long a change may wait, so that readers are told of many at once. Default `{ frame: true }`: until the next
   * animation frame, at most 100 ms, which a tab in the background needs.
   */
  readonly updates?: StoreUpdates;
  /** Whether the last reader's leaving leaves the run, unless another comes in the same tick. Default: the run goes on. */
  readonly cancelOnLeave?: boolean;
  /**
   * Is told what no state can tell: what a reader or the code around a run threw, and why a run elsewhere could not be
   * reached. Default: as RxJS reports errors that nobody handles.
   */
  readonly onFault?: (error: unknown) => void;
}
