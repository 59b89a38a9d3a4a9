import { randomIds } from '../ids.ts';
import type { Message, UserMessage } from '../index.ts';
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
 * Runs on a server, behind `httpHandler`, instead of in the page: the first argument of `provideToolLoop`.
 *
 * A prompt that supersedes a run, and `cancel()`, cancel it at the server. A view that is destroyed, and a page that goes away,
 * only stop watching, unless `withCancelOnDestroy()` says otherwise.
 *
 * @param options - as of `remoteLoop`, or a function that makes them, called in an injection context for each conversation
 * @public
 */
export function withRemote(options: RemoteSourceOptions | (() => RemoteSourceOptions)): ToolLoopSource {
  return {
    open: ({ cancels }) => {
      const { body, ...place } = typeof options === 'function' ? options() : options;
      const leaving = { ...place, cancelOnLeave: cancels };
      return {
        run: ({ messages, prompt }) => {
          const asked = body?.(messages, prompt) ?? { messages: [...messages, prompt] };
          return remoteLoop({ ...leaving, body: { runId: randomIds('run'), ...asked } });
        },
        control: (runId) => remoteRun({ ...place, runId }),
        watch: (runId) => remoteLoop({ ...leaving, runId }),
      };
    },
  };
}
