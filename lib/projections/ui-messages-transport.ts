import { defer, fromEvent, NEVER, of, takeUntil } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Demand } from '../demand.ts';
import { toReadableStream } from './readable-stream.ts';
import type { UiMessage, UiMessageChunk } from './ui-messages-chunk.ts';

/** What a chat of the AI SDK asks of its transport. */
export interface UiSendRequest {
  readonly trigger: 'submit-message' | 'regenerate-message';
  readonly chatId: string;
  /** The message that is to be said again. */
  readonly messageId: string | undefined;
  readonly messages: readonly UiMessage[];
  readonly abortSignal: AbortSignal | undefined;
  readonly body?: object | undefined;
  readonly metadata?: unknown;
}

/** What makes a run: what the chat asks, and the demand to give it. */
export interface UiRunRequest extends Omit<UiSendRequest, 'abortSignal'> {
  readonly demand: Demand;
}

/** A `ChatTransport` of the AI SDK, by its structure. */
export interface UiMessageTransport {
  sendMessages(request: UiSendRequest): Promise<ReadableStream<UiMessageChunk>>;
  reconnectToStream(): Promise<null>;
}

/**
 * Runs in the page itself as the transport of `useChat`: no server in between.
 *
 * Contract:
 * - starts: a run for each message that the chat sends, when the stream is first read. The reader paces it.
 * - leaves: the chat's stop button, and cancelling the stream, leave the run in the same tick; the stream is then over.
 * - fails: {@link toUiMessages} tells what a run's error becomes; what `run` itself throws is the stream's error.
 *
 * There is nothing to reconnect to: a run that is left is gone.
 *
 * @param run - makes the chunks of a run from what the chat asks
 *
 * @example A chat without a server
 * ```ts
 * import { toolLoop, type Model, type Tool } from 'rx-tool-loop';
 * import { fromUiMessages, toUiMessages, uiMessageTransport } from 'rx-tool-loop/ui-messages';
 *
 * export function chatTransport(model: Model, tools: readonly Tool[]) {
 *   return uiMessageTransport(({ messages: posted, demand }) => {
 *     const { messages, messageId } = fromUiMessages(posted);
 *     return toolLoop({ model, tools, messages, demand }).pipe(toUiMessages({ messageId }));
 *   });
 * }
 * ```
 * @public
 */
export function uiMessageTransport(run: (request: UiRunRequest) => Observable<UiMessageChunk>): UiMessageTransport {
  return {
    sendMessages: ({ abortSignal, ...request }) =>
      Promise.resolve(toReadableStream((demand) => run({ ...request, demand }).pipe(takeUntil(aborted(abortSignal))))),
    reconnectToStream: () => Promise.resolve(null),
  };
}

function aborted(signal: AbortSignal | undefined): Observable<unknown> {
  if (signal === undefined) return NEVER;
  return defer(() => (signal.aborted ? of(undefined) : fromEvent(signal, 'abort')));
}
