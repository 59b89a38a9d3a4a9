import { readUIMessageStream } from 'ai-v6';
import type { UIMessage, UIMessageChunk } from 'ai-v6';
import { from, lastValueFrom, throwError, toArray, concat } from 'rxjs';
import { toUiMessages } from '../../lib/projections/ui-messages.ts';
import type { UiMessageChunk, UiMessageOptions } from '../../lib/projections/ui-messages.ts';
import type { LoopEvent } from '../../lib/index.ts';

/** The chunks of a run that says these events, and fails with `error` where one is given. */
export function chunksOf(events: readonly LoopEvent[], options: UiMessageOptions = {}, error?: unknown): Promise<UiMessageChunk[]> {
  const run$ = error === undefined ? from(events) : concat(from(events), throwError(() => error));
  return lastValueFrom(run$.pipe(toUiMessages(options), toArray()));
}

/** What a client of version 6 holds in the end, and the first error that it met. */
export async function heldBy6(chunks: readonly UiMessageChunk[], message?: UIMessage): Promise<{ message: UIMessage | undefined; error: unknown }> {
  // JSON carries them: what it leaves out does not arrive.
  const sent = JSON.parse(JSON.stringify(chunks)) as UIMessageChunk[];
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of sent) controller.enqueue(chunk);
      controller.close();
    },
  });
  let error: unknown;
  let last = message;
  const onError = (met: unknown): void => void (error ??= met);
  for await (const state of readUIMessageStream({ stream, onError, ...(message && { message: structuredClone(message) }) })) last = state;
  return { message: last === undefined ? undefined : (JSON.parse(JSON.stringify(last)) as UIMessage), error };
}
