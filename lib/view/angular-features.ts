import type { ToolLoopSettings } from './angular-settings.ts';
import type { LoopStoreOptions } from './store-options.ts';

/** An argument of `provideToolLoop` and `provideRemoteLoop`, made by one of the `with...` functions. */
export interface ToolLoopFeature {
  /** Of the function that made it. */
  readonly name: string;
  /** @internal */
  readonly settings: Partial<Omit<ToolLoopSettings, 'source'>>;
}

/**
 * What becomes of a prompt that comes while a run is going: `switch` leaves that run and starts anew, `concat` lets the
 * prompt wait its turn, `exhaust` refuses it. Without this feature it is `switch`.
 *
 * @public
 */
export function withStrategy(strategy: NonNullable<LoopStoreOptions['strategy']>): ToolLoopFeature {
  return { name: 'withStrategy', settings: { strategy } };
}

/**
 * How long signals may lag behind the run: `{ ms }`, `{ frame }`, or `none`, which sets them for each event. Without this
 * feature they are set at the next animation frame; where none comes, as in a tab that nobody sees, after 100 ms.
 *
 * @public
 */
export function withUpdates(updates: NonNullable<LoopStoreOptions['updates']>): ToolLoopFeature {
  return { name: 'withUpdates', settings: { updates } };
}

/**
 * Lets runs start while a server renders the page, which then waits for their end. Without this feature `run()` and
 * `watch()` do nothing there.
 *
 * @public
 */
export function withServerRendering(): ToolLoopFeature {
  return { name: 'withServerRendering', settings: { onServer: true } };
}

/**
 * Cancels a remote run when the view that watches it is destroyed. Without this feature such a view only stops watching,
 * and the run goes on. A run in the page itself always ends with its view.
 *
 * @public
 */
export function withCancelOnDestroy(): ToolLoopFeature {
  return { name: 'withCancelOnDestroy', settings: { cancelOnDestroy: true } };
}
