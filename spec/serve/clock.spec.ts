import { describe, expect, it } from '@jest/globals';
import { clock } from '../../lib/serve/clock.ts';

const NOW = Date.UTC(2026, 0, 5, 5, 3, 9);
const read = (timeZone: string, now = NOW): unknown => clock(() => now).run({ timeZone } as never, {} as never);

describe('clock', () => {
  it.each([
    ['Asia/Tokyo', '2026-01-05 14:03:09 Monday, Asia/Tokyo (UTC+09:00)'],
    ['UTC', '2026-01-05 05:03:09 Monday, UTC (UTC+00:00)'],
    ['Europe/London', '2026-01-05 05:03:09 Monday, Europe/London (UTC+00:00)'],
    ['America/St_Johns', '2026-01-05 01:33:09 Monday, America/St_Johns (UTC-03:30)'],
    ['America/Los_Angeles', '2026-01-04 21:03:09 Sunday, America/Los_Angeles (UTC-08:00)'],
    ['Asia/Kolkata', '2026-01-05 10:33:09 Monday, Asia/Kolkata (UTC+05:30)'],
  ])('%s', (zone, text) => {
    expect(read(zone)).toBe(text);
  });

  it('writes midnight as hour 00, and follows summer time', () => {
    expect(read('UTC', Date.UTC(2026, 6, 1))).toBe('2026-07-01 00:00:00 Wednesday, UTC (UTC+00:00)');
    expect(read('Europe/Paris', Date.UTC(2026, 6, 1))).toBe('2026-07-01 02:00:00 Wednesday, Europe/Paris (UTC+02:00)');
  });

  it.each([
    ['asia/tokyo', 'Asia/Tokyo'],
    ['Tokyo', 'Asia/Tokyo'],
    ['new york', 'America/New_York'],
    [' utc ', 'UTC'],
  ])('takes %s for %s', (given, zone) => {
    expect(read(given)).toContain(`, ${zone} (`);
  });

  it.each(['Mars/Olympus', '', 'Tokio', '../etc', 'Asia'])('refuses "%s" by name', (zone) => {
    expect(() => read(zone)).toThrow(`There is no time zone ${JSON.stringify(zone)}. Give an IANA name such as Asia/Tokyo.`);
    expect(() => read(zone)).toThrow(expect.objectContaining({ kind: 'invalid-input' }));
  });

  it('reads UTC when no zone is given', () => {
    expect(clock().input['~standard'].validate({})).toEqual({ value: { timeZone: 'UTC' } });
    expect(clock().parameters['required'] ?? []).toEqual([]);
  });

  it('reads the clock at each call', () => {
    let now = NOW;
    const tool = clock(() => now);
    const first = tool.run({ timeZone: 'UTC' } as never, {} as never);
    now += 1_000;
    expect(first).toContain('05:03:09');
    expect(tool.run({ timeZone: 'UTC' } as never, {} as never)).toContain('05:03:10');
  });
});
