import type { EnvironmentProviders } from '@angular/core';
import { randomIds } from '../ids.ts';
import type { Message, UserMessage } from '../index.ts';
import type { ToolLoopFeature } from './angular-features.ts';
import { providersOf } from './angular-providers.ts';
import type { ToolLoopSource } from './angular-source.ts';
import { remoteLoop, remoteRun } from './remote.ts';
import type { RemoteBody, RemoteLoopOptions } from './remote.ts';

export interface RemoteSourceOptions extends Omit<RemoteLoopOptions, 'body' | 'runId' | 'after' | 'cancelOnLeave'> {
  /**
   * What a run is asked for. Default: `{ messages }`, the conversation so far with the prompt as its last message.
   *
   * @param messages - what the runs before came to
   */
  readonly body?: (messages: readonly Message[], prompt: UserMessage) => RemoteBody;
}

/**
 * Says once, among the providers of an application or a route, that the runs of `injectToolLoop()` are on a server, behind
 * `httpHandler`. It takes the place of `provideToolLoop`, and the page carries no loop then.
 *
 * A prompt that supersedes a run, and `cancel()`, cancel it at the server. A view that is destroyed, and a page that goes away,
 * only stop watching, unless `withCancelOnDestroy()` says otherwise.
 *
 * Contract:
 * - starts: nothing.
 * - fails: as `remoteLoop` does, when a run starts: then that is the `error` of the run.
 *
 * @param options - as of `remoteLoop`, or a function that makes them, called in an injection context for each conversation
 * @param features - `withStrategy()`, `withUpdates()`, `withServerRendering()`, `withCancelOnDestroy()`
 * @throws ConfigError for a feature that is given twice
 *
 * @example An application
 * ```ts
 * import type { ApplicationConfig } from '@angular/core';
 * import { provideRemoteLoop } from 'rx-tool-loop/angular';
 *
 * export const appConfig: ApplicationConfig = {
 *   providers: [provideRemoteLoop({ url: '/runs' })],
 * };
 * ```
 * @public
 */
export function provideRemoteLoop(options: RemoteSourceOptions | (() => RemoteSourceOptions), ...features: readonly ToolLoopFeature[]): EnvironmentProviders {
  return providersOf('provideRemoteLoop', remote(options), features);
}

function remote(options: RemoteSourceOptions | (() => RemoteSourceOptions)): ToolLoopSource {
  return {
    open: ({ cancels }) => {
      const { body, ...place } = typeof options === 'function' ? options() : options;
      return {
        run: ({ messages, prompt }) => {
          const asked = body?.(messages, prompt) ?? { messages: [...messages, prompt] };
          const { runId = randomIds('run') } = asked;
          return remoteLoop({ ...place, body: { ...asked, runId }, cancelOnLeave: () => cancels(runId) });
        },
        control: (runId) => remoteRun({ ...place, runId }),
        watch: (runId) => remoteLoop({ ...place, runId, cancelOnLeave: () => cancels(runId) }),
      };
    },
  };
}
