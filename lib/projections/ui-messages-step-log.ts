import type { UiMessageChunk } from './ui-messages-chunk.ts';

/**
 * What the client holds of the attempt that is being written. The protocol takes back a step only as a whole, so whatever
 * stays has to be said again. Pieces of one part are joined.
 *
 * @internal
 */
export class UiStepLog {
  private readonly chunks: UiMessageChunk[] = [];

  add(chunk: UiMessageChunk): void {
    const last = this.chunks.at(-1);
    if (chunk.type === 'text-delta' && last?.type === 'text-delta' && last.id === chunk.id) last.delta += chunk.delta;
    else if (chunk.type === 'tool-input-delta' && last?.type === 'tool-input-delta' && last.toolCallId === chunk.toolCallId) last.inputTextDelta += chunk.inputTextDelta;
    else if (!NO_PART.has(chunk.type) && !isReasoning(chunk) && !('transient' in chunk)) this.chunks.push({ ...chunk });
  }

  /** Everything but the reasoning, to be said again. */
  take(): UiMessageChunk[] {
    return this.chunks.splice(0);
  }

  /** What host events left, to be said again: they are no part of the attempt. */
  takeData(): UiMessageChunk[] {
    return this.take().filter(({ type }) => type.startsWith('data-'));
  }

  clear(): void {
    this.chunks.length = 0;
  }
}

/** Chunks that make no part of the message. */
const NO_PART: ReadonlySet<string> = new Set(['start', 'start-step', 'reset-step', 'finish-step', 'finish', 'message-metadata', 'abort', 'error']);

/** Never said again: what replaces reasoning replaces all of it. Only a block that is not shown stays. */
function isReasoning(chunk: UiMessageChunk): boolean {
  return chunk.type.startsWith('reasoning-') && 'id' in chunk && !chunk.id?.startsWith('opaque-');
}
