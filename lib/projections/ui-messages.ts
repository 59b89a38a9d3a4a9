import { catchError, concat, concatMap, defer, pipe, takeWhile } from 'rxjs';
import type { Observable, OperatorFunction } from 'rxjs';
import { ConfigError } from '../errors.ts';
import type { LoopEvent } from '../event.ts';
import type { UiMessageChunk } from './ui-messages-chunk.ts';
import { UiMessageFold } from './ui-messages-fold.ts';
import type { UiSettings } from './ui-messages-fold.ts';
import { maskOf } from './ui-messages-mask.ts';
import { UI_MESSAGE_HEADERS, uiMessageSse } from './ui-messages-sse.ts';
import type { UiFailure } from './ui-messages-mask.ts';
import { uiMessagesPosted } from './ui-messages-posted.ts';
import type { PostedRun, SuspendedRun } from './posted-run.ts';

export type { UiFinishReason, UiJson, UiMessage, UiMessageChunk, UiProviderMetadata } from './ui-messages-chunk.ts';
export type { UiFailure } from './ui-messages-mask.ts';
export { fromUiMessages } from './ui-messages-input.ts';
export type { UiConversation } from './ui-messages-input.ts';
export { UI_MESSAGE_HEADERS, uiMessageSse } from './ui-messages-sse.ts';
export { uiMessageTransport } from './ui-messages-transport.ts';
export type { UiMessageTransport, UiRunRequest, UiSendRequest } from './ui-messages-transport.ts';

export interface UiMessageOptions {
  /**
   * The client's version of the AI SDK. One that gets a chunk that it does not know fails for good, so this must not be
   * newer than the client. Default 7.
   */
  readonly version?: 6 | 7;
  /**
   * Of the assistant's message; one that goes on needs the id that it has (`fromUiMessages(...).messageId`). Default: the
   * `runId`, which a resumed run has in common with the one before.
   */
  readonly messageId?: string | undefined;
  /**
   * What a person reads of a failure. `true`: that it failed, and of which kind; `false`: its own words; a function makes
   * the text. Words of tools and providers may hold what nobody outside is to read. Default `true`.
   */
  readonly mask?: boolean | ((failure: UiFailure) => string);
  /** Whether reasoning is sent, and what a provider wants back with it. Default `true`. */
  readonly reasoning?: boolean;
  /** Whether tools are `dynamic-tool` parts; `false`: `tool-<name>`, for clients that have types for them. Default `true`. */
  readonly dynamic?: boolean;
}

const OPTIONS: ReadonlySet<string> = new Set(['version', 'messageId', 'mask', 'reasoning', 'dynamic'] satisfies (keyof UiMessageOptions)[]);

/**
 * A run as one assistant message of the AI SDK's UI: the chunks that `useChat` reads.
 *
 * ```marbles
 * events            r-s-t----(ZL|)
 * toUiMessages()    a-b-(cd)-(efg|)
 * ```
 *
 * Text and reasoning are parts that never interleave, with counted ids. A step's tool outputs stand before its
 * `finish-step`. What is withdrawn is taken back: version 7 has `reset-step`; version 6 has nothing of the kind, so the step
 * keeps its parts and gets a part `data-retract`, which says not to show them.
 *
 * Contract:
 * - starts: with each subscription to its source; each is a message of its own.
 * - leaves: the run, in the same tick.
 * - fails: not as the run does. An error of the run is the last chunk, `error`, masked. What a `mask` function throws is an
 *   error notification; a bad option throws a {@link ConfigError} here.
 * - order: the run's own. Every path ends with `finish`, `abort` or `error`, and nothing follows; a source that is cut short
 *   ends with `abort`.
 *
 * @returns many chunks; feed them to {@link uiMessageSse}
 *
 * @example Answer a request
 * ```ts
 * import { toReadableStream, toolLoop, type Model } from 'rx-tool-loop';
 * import { fromUiMessages, toUiMessages, UI_MESSAGE_HEADERS, uiMessageSse, type UiMessage } from 'rx-tool-loop/ui-messages';
 *
 * export async function POST(request: Request, model: Model): Promise<Response> {
 *   const { messages } = (await request.json()) as { messages: UiMessage[] };
 *   const conversation = fromUiMessages(messages);
 *   const body = toReadableStream((demand) => toolLoop({ model, messages: conversation.messages, demand }).pipe(toUiMessages({ messageId: conversation.messageId }), uiMessageSse()));
 *   return new Response(body.pipeThrough(new TextEncoderStream()), { headers: UI_MESSAGE_HEADERS });
 * }
 * ```
 * @public
 */
export function toUiMessages(options: UiMessageOptions = {}): OperatorFunction<LoopEvent<any>, UiMessageChunk> {
  const settings = settingsOf(options);
  return (events$) =>
    defer(() => {
      const message = new UiMessageFold(settings);
      return concat(
        events$.pipe(
          // Whatever a source says after the ending is no part of this message.
          takeWhile((event) => event.type !== 'done' || event.parent !== undefined, true),
          concatMap((event) => message.said(event)),
          catchError((error: unknown) => message.failed(error)),
        ),
        defer(() => message.ended()),
      );
    });
}

function settingsOf(options: UiMessageOptions): UiSettings {
  const { version = 7, messageId, mask = true, reasoning = true, dynamic = true } = options;
  const unknown = Object.keys(options).find((name) => !OPTIONS.has(name));
  if (unknown !== undefined) throw new ConfigError(`toUiMessages: there is no option \`${unknown}\`; there are ${[...OPTIONS].join(', ')}.`);
  if (version !== 6 && version !== 7) throw new ConfigError(`toUiMessages: \`version\` is ${String(version)}; give 6 or 7, the client's version of the AI SDK.`);
  return { version, messageId, reasoning, dynamic, isMasked: mask !== false, text: maskOf(mask) };
}

/**
 * The stream of the AI SDK as a format of the door `rx-tool-loop/http`: `formats: { 'ai-sdk-ui': uiMessageFormat() }`. The
 * `api` of a chat's transport is then `/runs?format=ai-sdk-ui`: what it posts is read as its messages, and answers in them go
 * on with the run that is suspended.
 *
 * @param options - as for {@link toUiMessages}
 * @public
 */
export function uiMessageFormat(options: UiMessageOptions = {}): {
  readonly headers: Readonly<Record<string, string>>;
  readonly encode: OperatorFunction<LoopEvent, string>;
  readonly read: (body: unknown, suspended: SuspendedRun) => Observable<PostedRun | undefined>;
} {
  const write = (messageId: string | undefined): OperatorFunction<LoopEvent, string> => pipe(toUiMessages({ ...options, ...(messageId !== undefined && { messageId }) }), uiMessageSse());
  return { headers: UI_MESSAGE_HEADERS, encode: write(undefined), read: (body, suspended) => uiMessagesPosted(body, suspended, write) };
}
