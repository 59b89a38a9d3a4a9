import { ToolError } from '../index.ts';
import { quoted } from './quoted.ts';

/** What systems take at most for a path. */
const MAX_PATH = 4_096;

/**
 * Reads a path that a model wrote, by its text alone: the names below the root, joined by `/`; the root itself is ''.
 *
 * @throws ToolError `permission-denied` for an absolute path and for `..`, even where it would stay inside;
 * `invalid-input` for what is no path on every system (a NUL, a backslash, over 4,096 characters).
 * @internal
 */
export function rootPath(path: string): string {
  if (path.length > MAX_PATH) throw new ToolError('invalid-input', `The path has ${path.length} characters; at most ${MAX_PATH} are taken.`);
  if (path.includes('\0')) throw new ToolError('invalid-input', `The path ${quoted(path)} holds a NUL character.`);
  if (path.includes('\\')) throw new ToolError('invalid-input', `The path ${quoted(path)} holds a backslash. Write / between names.`);
  // A drive without a slash (`C:x`) is a place of its own on Windows.
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) {
    throw new ToolError('permission-denied', `The path ${quoted(path)} is absolute. Give one relative to the root, such as src/index.ts.`);
  }
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw new ToolError('permission-denied', `The path ${quoted(path)} leads upwards with "..". Give one relative to the root.`);
  return names.join('/');
}
