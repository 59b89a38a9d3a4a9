import { ConfigError } from '../errors.ts';
import type { ToolCall } from '../message.ts';
import type { Schedule } from '../schedule.ts';
import type { Tool } from '../tool.ts';
import type { CallRecord } from './call-record.ts';

/** Calls that may run at the same time, at most `bound` of them. */
export interface Group {
  readonly records: readonly CallRecord[];
  readonly bound: number;
}

/**
 * The groups of a schedule, as far as their calls are still to be answered. What a call needs is kept in its record.
 *
 * @throws ConfigError for a schedule that does not hold every call once
 * @internal
 */
export function grouped(calls: readonly ToolCall[], records: readonly CallRecord[], schedule: Schedule, tools: ReadonlyMap<string, Tool>): readonly Group[] {
  const groups = schedule(calls.map((one) => ({ call: one, tool: tools.get(one.name) })));
  const queue = groups.flatMap((group) => group.calls);
  const scheduled = new Set(queue.map(({ call: one }) => one));
  if (queue.length !== calls.length || !calls.every((one) => scheduled.has(one))) throw new ConfigError('toolLoop: schedule must give every call back once.');
  const byCall = new Map(records.map((record) => [record.call, record]));
  for (const { call: one, after } of queue) {
    const record = byCall.get(one);
    if (record !== undefined && after !== undefined) record.after = after;
  }
  return groups.map(({ calls: group, bound }) => ({
    bound: Math.max(1, bound),
    records: group.flatMap(({ call: one }) => byCall.get(one) ?? []).filter(({ released }) => !released),
  }));
}

/** A call that this one needs and that has failed. */
export function neededBy({ after = [] }: CallRecord, records: readonly CallRecord[]): ToolCall | undefined {
  return records.find(({ call: { id }, settled }) => settled?.result.isError === true && after.includes(id))?.call;
}
