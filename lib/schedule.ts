import type { ToolCall } from './message.ts';
import type { Tool } from './tool.ts';

/** A call as a schedule sees it; `tool` is absent where the model named one that does not exist. */
export interface Scheduled {
  readonly call: ToolCall;
  readonly tool: Tool | undefined;
}

/** Calls that may run at the same time, at most `bound` of them; 0 acts as 1. */
export interface CallGroup {
  readonly calls: readonly Scheduled[];
  readonly bound: number;
}

/**
 * The port that orders a step's calls: groups run one after another, the calls of a group together. Every call must stand
 * in exactly one group; whatever the groups are, results come in call order.
 */
export type Schedule = (calls: readonly Scheduled[]) => readonly CallGroup[];

/** One call after another. */
export const sequential: Schedule = (calls) => [{ calls, bound: 1 }];

/** All calls at once, at most `bound` of them. */
export function concurrent(bound: number): Schedule {
  return (calls) => [{ calls, bound }];
}

/** Runs of `parallelSafe` tools together, at most `bound` of them; any other call is a barrier and runs alone. */
export function parallelSafe(bound: number): Schedule {
  return (calls) => {
    const groups: { calls: Scheduled[]; bound: number; safe: boolean }[] = [];
    for (const one of calls) {
      const safe = one.tool?.parallelSafe === true;
      const last = groups.at(-1);
      if (safe && last?.safe === true) last.calls.push(one);
      else groups.push({ calls: [one], bound, safe });
    }
    return groups;
  };
}
