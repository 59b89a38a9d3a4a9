import type { ToolCall, ToolResult } from '../message.ts';

/** How often the last steps were the same, in two respects. */
export interface Repeats {
  readonly text: Repeated;
  readonly calls: Repeated;
}

interface Repeated {
  readonly key: string;
  /** Steps in a row, this one included. */
  readonly count: number;
}

export const NO_REPEATS: Repeats = { text: { key: '', count: 0 }, calls: { key: '', count: 0 } };

/** After a step that said this text and whose calls came to these results. Ids do not count. */
export function repeated(before: Repeats, text: string, calls: readonly ToolCall[], results: readonly ToolResult[]): Repeats {
  const asked = calls.map(({ name, arguments: args }) => [name, args]);
  const given = results.map(({ content, isError }) => [content, isError]);
  return {
    text: again(before.text, text),
    calls: again(before.calls, calls.length === 0 ? '' : JSON.stringify([asked, given])),
  };
}

/** The longer of the two rows. */
export function repeatCount({ text, calls }: Repeats): number {
  return Math.max(text.count, calls.count);
}

function again({ key, count }: Repeated, now: string): Repeated {
  if (now === '') return { key: '', count: 0 };
  return { key: now, count: now === key ? count + 1 : 1 };
}
