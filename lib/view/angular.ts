import { inject, Injector, runInInjectionContext } from '@angular/core';
import type { EnvironmentProviders } from '@angular/core';
import { toolLoop } from '../index.ts';
import type { Tool, ToolLoopOptions } from '../index.ts';
import type { ToolLoopFeature } from './angular-features.ts';
import { providersOf } from './angular-providers.ts';
import type { ToolLoopSource } from './angular-source.ts';

export { injectToolLoop } from './angular-loop.ts';
export type { InjectToolLoopOptions, ToolLoopRef } from './angular-loop.ts';
export { withCancelOnDestroy, withServerRendering, withStrategy, withUpdates } from './angular-features.ts';
export type { ToolLoopFeature } from './angular-features.ts';
export { provideRemoteLoop } from './angular-remote.ts';
export type { RemoteSourceOptions } from './angular-remote.ts';

/**
 * The options of runs in the page, but for those that belong to the conversation. With `approvals` of its own nothing waits for
 * `answer()`.
 */
export type LocalLoopOptions<T extends Tool = Tool> = Omit<ToolLoopOptions<T>, 'prompt' | 'messages' | 'abort$' | 'steering$'>;

/**
 * Says once, among the providers of an application or a route, what the runs of `injectToolLoop()` are made of: of `toolLoop`, in the page. {@link provideRemoteLoop} is for runs on a server.
 *
 * Contract:
 * - starts: nothing.
 * - fails: as `toolLoop` does for a wrong option, when a run starts: then that is the `error` of the run.
 *
 * @param config - options of `toolLoop` for runs in the page, or a function that makes them, called in an injection context
 * for each run
 * @param features - `withStrategy()`, `withUpdates()`, `withServerRendering()`, `withCancelOnDestroy()`
 * @throws ConfigError for a feature that is given twice
 *
 * @example An application
 * ```ts
 * import type { ApplicationConfig } from '@angular/core';
 * import { provideToolLoop, withStrategy } from 'rx-tool-loop/angular';
 * import { embedded } from 'rx-tool-loop/embedded';
 *
 * export const appConfig: ApplicationConfig = {
 *   providers: [provideToolLoop({ model: embedded() }, withStrategy('concat'))],
 * };
 * ```
 * @public
 */
export function provideToolLoop<T extends Tool = Tool>(config: LocalLoopOptions<T> | (() => LocalLoopOptions<T>), ...features: readonly ToolLoopFeature[]): EnvironmentProviders {
  return providersOf('provideToolLoop', local(config), features);
}

function local<T extends Tool>(config: LocalLoopOptions<T> | (() => LocalLoopOptions<T>)): ToolLoopSource {
  return {
    open: () => {
      const injector = inject(Injector);
      return {
        run: (run) => {
          const options = typeof config === 'function' ? runInInjectionContext(injector, config) : config;
          return toolLoop({ ...options, ...run, approvals: options.approvals ?? run.approvals });
        },
      };
    },
  };
}
