/**
 * Whether a text can be the id of a run behind a door: 1 to 128 letters, digits, `-` and `_`. Nothing else, because it
 * becomes part of addresses and the name of a file.
 *
 * @internal
 */
export function isRunId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(value);
}
