/** Longer ones say nothing more. */
const MAX_SHOWN = 200;

/**
 * A name from outside as it may stand in a message: in quotes, control characters written out, not longer than 200.
 *
 * @internal
 */
export function quoted(text: string): string {
  return JSON.stringify(text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`);
}
