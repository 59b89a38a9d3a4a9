/**
 * A path as one line: a name may hold line breaks, and a model should not take the second half for another file.
 *
 * @internal
 */
export function shownPath(path: string): string {
  return /[\u0000-\u001f\u007f]/.test(path) ? JSON.stringify(path) : path;
}
