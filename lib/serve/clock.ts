import * as z from 'zod';
import { defineTool, ToolError } from '../index.ts';

/**
 * The date and time in a time zone, such as `2026-01-05 14:03:09 Monday, Asia/Tokyo (UTC+09:00)`.
 *
 * @param now - milliseconds since 1970; default: the system's clock
 */
export function clock(now: () => number = Date.now) {
  return defineTool({
    name: 'clock',
    description: 'Tells the current date, time and weekday in a time zone.',
    input: z.object({
      timeZone: z.string().default('UTC').describe('An IANA time zone such as Asia/Tokyo, or its city. Default: UTC.'),
    }),
    run: ({ timeZone }) => timeIn(zoneNamed(timeZone), now()),
  });
}

function timeIn(timeZone: string, now: number): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  const part = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
  // Greenwich's own offset is written `GMT` alone.
  const offset = part['timeZoneName']?.replace('GMT', '') || '+00:00';
  const date = `${part['year']}-${part['month']}-${part['day']}`;
  const time = `${part['hour']}:${part['minute']}:${part['second']}`;
  return `${date} ${time} ${part['weekday']}, ${timeZone} (UTC${offset})`;
}

/** The zone's own spelling. Models often say the city alone; one that only one zone bears is taken. */
function zoneNamed(given: string): string {
  const written = given.trim().replaceAll(' ', '_');
  const wanted = written.toLowerCase();
  const known = Intl.supportedValuesOf('timeZone');
  const named = known.find((zone) => zone.toLowerCase() === wanted);
  if (named !== undefined) return named;
  const [city, another] = known.filter((zone) => zone.toLowerCase().endsWith(`/${wanted}`));
  if (city !== undefined && another === undefined) return city;
  try {
    // Aliases such as `UTC` or `Asia/Kolkata` are known to the formatter, but not listed.
    new Intl.DateTimeFormat('en-GB', { timeZone: written });
  } catch {
    throw new ToolError('invalid-input', `There is no time zone ${JSON.stringify(given)}. Give an IANA name such as Asia/Tokyo.`);
  }
  return wanted === 'utc' ? 'UTC' : written;
}
