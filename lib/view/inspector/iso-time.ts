/**
 * ISO 8601, UTC, of milliseconds since 1970.
 *
 * @internal
 */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
