import { InjectionToken } from '@angular/core';
import type { ToolLoopSource } from './angular-source.ts';
import type { LoopStoreOptions } from './store-options.ts';

/** What `provideToolLoop` or `provideRemoteLoop` was told. */
export interface ToolLoopSettings {
  readonly source: ToolLoopSource;
  readonly strategy?: LoopStoreOptions['strategy'];
  readonly updates?: LoopStoreOptions['updates'];
  readonly onServer?: true;
  readonly cancelOnDestroy?: true;
}

/** @internal */
export const TOOL_LOOP = new InjectionToken<ToolLoopSettings>('rx-tool-loop: provideToolLoop() or provideRemoteLoop()');
