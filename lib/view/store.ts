import type { Observable } from 'rxjs';
import { ConfigError } from '../errors.ts';
import type { ApprovalAnswer, LoopEvent, LoopState, Message, UserMessage } from '../index.ts';
import type { StoreControls } from './store-desk.ts';
import type { LoopStoreOptions } from './store-options.ts';
import { StoreRuns } from './store-runs.ts';

export type { StoreUpdates } from './store-board.ts';
export type { StoreControls } from './store-desk.ts';
export type { LoopStoreOptions, StoreRun } from './store-options.ts';

/** A conversation for a screen. No function needs `this`. */
export interface LoopStore {
  /**
   * Calls back at once with the state on show, and whenever that changes; returns what ends it. React's
   * `useSyncExternalStore` and Svelte's `$store` take it as it is.
   */
  readonly subscribe: (listener: (state: LoopState) => void) => () => void;
  /** The state on show: the same object until readers are told of another, and what did not change in it too. */
  readonly getSnapshot: () => LoopState;
  /** The state before the first run, for hydration. */
  readonly getServerSnapshot: () => LoopState;
  /** What the next run will be given. */
  readonly getMessages: () => readonly Message[];
  /**
   * Begins a run, whose prompt is on show from then on.
   *
   * @returns false where it was refused (`exhaust`)
   */
  readonly run: (prompt: string | UserMessage) => boolean;
  /**
   * Shows a run that somebody else began: on a server, or from a checkpoint. It takes its turn like the others.
   *
   * @param run - the run, or a function that makes it from the controls to give it
   * @returns false where it was refused (`exhaust`)
   */
  readonly watch: (run: Observable<LoopEvent<any>> | ((controls: StoreControls) => Observable<LoopEvent<any>>)) => boolean;
  /**
   * Says something into the run.
   *
   * @returns false where no run hears it
   */
  readonly steer: (message: string | UserMessage) => boolean;
  /**
   * Answers open requests by their ids: all of them, or none where one is not open (any more).
   *
   * @returns false where none was given
   */
  readonly answer: (answers: Readonly<Record<string, ApprovalAnswer>>) => boolean;
  /**
   * Ends the run softly, so that what was said is kept, and drops the runs that wait. A run that does not hear it is left; so
   * is any run the second time, or with `hard`.
   *
   * @returns false where there is no run
   */
  readonly cancel: (options?: { readonly hard?: boolean }) => boolean;
  /** Leaves the run and drops those that wait, at once. The store keeps its readers and may run again. */
  readonly dispose: () => void;
}

const OPTIONS: ReadonlySet<string> = new Set(['run', 'control', 'messages', 'strategy', 'updates', 'cancelOnLeave', 'onFault'] satisfies (keyof LoopStoreOptions)[]);
const STRATEGIES: ReadonlySet<unknown> = new Set([undefined, 'switch', 'concat', 'exhaust'] satisfies LoopStoreOptions['strategy'][]);

/**
 * A conversation as a store: `subscribe` and `getSnapshot` over the state of its runs, one after another.
 *
 * ```marbles
 * asked    a----b-------
 * turn1    -t-t-t-t-
 * turn2         -t-(z|)
 * ```
 *
 * Contract:
 * - starts: nothing before `run` or `watch`, on a server neither. A run goes on without readers.
 * - leaves: `dispose()`, `cancel()`, and the next run by `strategy`. A run that was left leaves no trace: neither it nor its
 *   prompt is on show or in the messages of the next one.
 * - fails: never. A run's error is a state with status `error`, masked as `errorAsDone()` does it, and what was said is kept.
 *   An error that does not tell what the run had come to (one of a server, say) is shown as well, until the next run begins
 *   from where this one had begun.
 * - order: one run at a time. All readers are told of a state in one go, and `getSnapshot` says no other meanwhile.
 *
 * @throws ConfigError for an option that does not exist or a wrong one
 *
 * @example A chat
 * ```ts
 * import { toolLoop } from 'rx-tool-loop';
 * import { embedded } from 'rx-tool-loop/embedded';
 * import { createLoopStore } from 'rx-tool-loop/store';
 *
 * const store = createLoopStore({ run: (run) => toolLoop({ model: embedded(), ...run }) });
 * store.subscribe(({ status, messages }) => console.log(status, messages.length));
 * store.run('Add 2 and 3.');
 * ```
 * @public
 */
export function createLoopStore(options: LoopStoreOptions): LoopStore {
  const unknown = Object.keys(options).find((name) => !OPTIONS.has(name));
  if (unknown !== undefined) throw new ConfigError(`createLoopStore: there is no option \`${unknown}\`; there are ${[...OPTIONS].join(', ')}.`);
  if (typeof options.run !== 'function') throw new ConfigError('createLoopStore: `run` must be a function that makes a run, such as (run) => toolLoop({ model, ...run }).');
  if (!STRATEGIES.has(options.strategy)) throw new ConfigError(`createLoopStore: \`strategy\` is ${String(options.strategy)}; give switch, concat or exhaust.`);
  return new StoreRuns(options);
}
