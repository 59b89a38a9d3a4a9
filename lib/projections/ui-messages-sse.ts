import { endWith, map, pipe } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import type { UiMessageChunk } from './ui-messages-chunk.ts';

/**
 * What a response with {@link uiMessageSse} in its body must say in its headers.
 *
 * @public
 */
export const UI_MESSAGE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'x-vercel-ai-ui-message-stream': 'v1',
  // Of a proxy in between, which would hold the stream until it is over.
  'x-accel-buffering': 'no',
} as const;

/**
 * Chunks as the text of server-sent events, with the protocol's end mark.
 *
 * ```marbles
 * chunks            -a-b-|
 * uiMessageSse()    -x-y-(z|)
 * ```
 *
 * Contract:
 * - fails: as its source does, without an end mark; {@link toUiMessages} does not fail.
 *
 * @returns one string for each chunk, then `data: [DONE]`
 * @see {@link UI_MESSAGE_HEADERS} - for the response's headers
 * @public
 */
export function uiMessageSse(): OperatorFunction<UiMessageChunk, string> {
  return pipe(
    map((chunk: UiMessageChunk) => `data: ${JSON.stringify(chunk)}\n\n`),
    endWith('data: [DONE]\n\n'),
  );
}
