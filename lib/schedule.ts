import type { ToolCall } from './message.ts';
import type { Tool } from './tool.ts';

/** A call as a schedule sees it; `tool` is absent where the model named one that does not exist. */
export interface Scheduled {
  readonly call: ToolCall;
  readonly tool: Tool | undefined;
  /**
   * Set by the schedule: ids of calls of earlier groups that this one needs. Where one of them has an error result, this
   * call does not run: its own error result names that one, and counts as a failure for whoever needs this call.
   */
  readonly after?: readonly string[];
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

/**
 * Calls that need nothing of each other together, at most `bound` of them; a call that needs another one in a later group,
 * once the other's group has settled. Where no call needs another it is {@link concurrent}.
 *
 * A call needs another of its step if a string anywhere in its arguments is the other's id, or the id that the provider
 * gave it, and if its tool's `dependsOn` names the other's tool. What it needs stands in `after`. Of calls that need each
 * other in a circle the first in call order does not wait for the rest of the circle; no call needs itself.
 *
 * @public
 */
export function dependencyTiers(bound: number): Schedule {
  return (calls) => {
    const needs = needsOf(calls);
    const groups: CallGroup[] = [];
    const open = new Set(calls.keys());
    while (open.size > 0) {
      const ready = [...open].filter((index) => ![...(needs[index] ?? [])].some((other) => open.has(other)));
      if (ready.length === 0) {
        breakCircle(open, needs);
        continue;
      }
      groups.push({ calls: ready.map((index) => linked(index, calls, needs)), bound });
      for (const index of ready) open.delete(index);
    }
    return groups;
  };
}

/** For each call the places of those that it needs. */
function needsOf(calls: readonly Scheduled[]): Set<number>[] {
  const byId = new Map<unknown, number[]>();
  const byTool = new Map<string, number[]>();
  const put = <K>(map: Map<K, number[]>, key: K, index: number): void => {
    const places = map.get(key);
    if (places === undefined) map.set(key, [index]);
    else places.push(index);
  };
  for (const [index, { call }] of calls.entries()) {
    // The model knows its calls by the ids that it sent, also where the run had to replace one.
    for (const id of new Set([call.id, call.meta?.['providerId']])) if (id !== undefined && id !== '') put(byId, id, index);
    put(byTool, call.name, index);
  }
  return calls.map(({ call, tool }, index) => {
    const needed = new Set((tool?.dependsOn ?? []).flatMap((name) => byTool.get(name) ?? []));
    for (const text of stringsIn(call.arguments)) for (const other of byId.get(text) ?? []) needed.add(other);
    needed.delete(index);
    return needed;
  });
}

/** Every string value, at any depth. A list and not a recursion: a model may nest deeper than the stack. */
function stringsIn(value: unknown): string[] {
  const values = [value];
  for (const one of values) if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) values.push(inner);
  return values.filter((one) => typeof one === 'string');
}

/** The first call that waits for itself no longer waits for those that wait for it. */
function breakCircle(open: ReadonlySet<number>, needs: readonly Set<number>[]): void {
  const waiting = new Map([...open].map((index) => [index, [...open].filter((other) => needs[other]?.has(index))]));
  for (const index of open) {
    const behind = new Set(waiting.get(index));
    // A set that grows while it is read: all who wait for it, at any distance.
    for (const one of behind) for (const other of waiting.get(one) ?? []) behind.add(other);
    if (!behind.has(index)) continue;
    for (const other of behind) needs[index]?.delete(other);
    return;
  }
}

function linked(index: number, calls: readonly Scheduled[], needs: readonly ReadonlySet<number>[]): Scheduled {
  const one = calls[index] as Scheduled;
  const after = [...(needs[index] ?? [])].sort((a, b) => a - b).map((other) => (calls[other] as Scheduled).call.id);
  return after.length === 0 ? one : { ...one, after };
}
