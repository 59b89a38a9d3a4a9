import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../lib/errors.ts';
import { CallRecord } from '../../lib/invoke/call-record.ts';
import { grouped, neededBy } from '../../lib/invoke/group.ts';
import { toolCall } from '../../lib/message.ts';
import { concurrent, sequential } from '../../lib/schedule.ts';
import type { Schedule } from '../../lib/schedule.ts';

const calls = ['a', 'b', 'c'].map((id) => toolCall(id, `tool-${id}`, '{}'));
const records = (): CallRecord[] => calls.map((call, at) => new CallRecord(call, at));
const ids = (groups: ReturnType<typeof grouped>): unknown => groups.map(({ records: group, bound }) => [group.map(({ call: { id } }) => id).join(''), bound]);
const result = (isError: boolean) => ({ call: calls[0] as never, elapsedMs: 0, ran: true, result: { callId: 'a', name: 'x', content: [], isError } });

describe('grouped', () => {
  it('is what the schedule says of the calls and their tools', () => {
    const seen: unknown[] = [];
    const schedule: Schedule = (given) => (seen.push(...given), sequential(given));
    expect(ids(grouped(calls, records(), schedule, new Map([['tool-b', { name: 'tool-b' } as never]])))).toEqual(ids(grouped(calls, records(), sequential, new Map())));
    expect(seen).toEqual([{ call: calls[0], tool: undefined }, { call: calls[1], tool: { name: 'tool-b' } }, { call: calls[2], tool: undefined }]);
    expect(ids(grouped(calls, records(), concurrent(2), new Map()))).toEqual([['abc', 2]]);
  });

  it('leaves out the calls whose results have been shown', () => {
    const all = records();
    (all[0] as CallRecord).released = true;
    expect(ids(grouped(calls, all, concurrent(2), new Map()))).toEqual([['bc', 2]]);
  });

  it('takes a bound of 0 for 1', () => {
    expect(ids(grouped(calls, records(), (given) => [{ calls: given, bound: 0 }], new Map()))).toEqual([['abc', 1]]);
  });

  it('keeps what a call needs in its record', () => {
    const all = records();
    grouped(calls, all, (given) => [{ calls: given.map((one, at) => (at === 2 ? { ...one, after: ['a'] } : one)), bound: 1 }], new Map());
    expect(all.map(({ after }) => after)).toEqual([undefined, undefined, ['a']]);
  });

  it.each<[string, Schedule]>([
    ['loses a call', (given) => [{ calls: given.slice(1), bound: 1 }]],
    ['gives one twice', (given) => [{ calls: [...given.slice(1), given[1] as never], bound: 1 }]],
    ['invents one', (given) => [{ calls: given.map((one, at) => (at === 0 ? { call: toolCall('x', 'x', ''), tool: undefined } : one)), bound: 1 }]],
  ])('refuses a schedule that %s', (_name, schedule) => {
    expect(() => grouped(calls, records(), schedule, new Map())).toThrow(new ConfigError('toolLoop: schedule must give every call back once.'));
  });
});

describe('neededBy', () => {
  it('is a call that this one needs and that has failed', () => {
    const all = records();
    const [a, b, c] = all as [CallRecord, CallRecord, CallRecord];
    c.after = ['a', 'b'];
    expect(neededBy(c, all)).toBeUndefined();
    b.settled = result(false);
    expect(neededBy(c, all)).toBeUndefined();
    a.settled = result(true);
    expect(neededBy(c, all)).toBe(a.call);
    expect(neededBy(b, all)).toBeUndefined();
  });
});
