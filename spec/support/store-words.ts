import type { LoopState } from '../../lib/index.ts';

/** What a screen shows of a state: its status and a line for each message, such as `user: hi`. */
export function wordsOf({ status, messages, calls }: LoopState): string[] {
  const said = messages.map(({ role, blocks }) => {
    const words = blocks.map((block) => ('text' in block ? block.text : block.type === 'tool-call' ? calls.find(({ callId }) => callId === block.callId)?.name : block.type));
    return `${role}: ${words.join(' ')}`;
  });
  return [status, ...said];
}
