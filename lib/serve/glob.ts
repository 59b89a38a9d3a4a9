import { ToolError } from '../index.ts';
import { quoted } from './quoted.ts';

const MAX_LENGTH = 500;
/** `{a,b}{c,d}` are four patterns. */
const MAX_ALTERNATIVES = 64;

/**
 * Reads a pattern of paths: `*` and `?` stand for any characters and any one character of a name, `**` for any folders,
 * `{a,b}` for one of these; everything else for itself. A pattern without `/` is one of names, in any folder.
 *
 * No regular expression is made of it: matching takes at most the pattern's length times the path's, whatever they hold.
 *
 * @throws ToolError `invalid-input` for one that is too long or whose braces do not match.
 * @internal
 */
export function glob(pattern: string): (path: string) => boolean {
  if (pattern === '' || pattern.length > MAX_LENGTH) throw refusal(pattern, `must have 1 to ${MAX_LENGTH} characters`);
  const wholes = alternatives(pattern, pattern).map((one) => {
    const names = one.split('/').filter((name) => name !== '' && name !== '.');
    return one.includes('/') ? names : ['**', ...names];
  });
  return (path) => {
    const names = path.split('/');
    return wholes.some((whole) => matches(whole, names, (one) => one === '**', nameMatches));
  };
}

/** Without braces. They do not nest. */
function alternatives(text: string, pattern: string): string[] {
  const open = text.indexOf('{');
  const close = text.indexOf('}');
  if (open < 0 && close < 0) return [text];
  const inner = text.slice(open + 1, close);
  if (open < 0 || close < open || inner.includes('{')) throw refusal(pattern, 'has braces that do not match, or nest');
  const rests = alternatives(text.slice(close + 1), pattern);
  const all = inner.split(',').flatMap((one) => rests.map((rest) => text.slice(0, open) + one + rest));
  if (all.length > MAX_ALTERNATIVES) throw refusal(pattern, `stands for more than ${MAX_ALTERNATIVES} patterns`);
  return all;
}

function nameMatches(pattern: string, name: string): boolean {
  return matches([...pattern], [...name], (one) => one === '*', (one, character) => one === '?' || one === character);
}

/** Greedy, and back to the last "any number" alone: an earlier one need not take more than it did. */
function matches(pattern: readonly string[], parts: readonly string[], isAny: (one: string) => boolean, fits: (one: string, part: string) => boolean): boolean {
  let [at, next, any, taken] = [0, 0, -1, 0];
  while (next < parts.length) {
    const one = pattern[at];
    if (one !== undefined && isAny(one)) {
      any = at++;
      taken = next;
    } else if (one !== undefined && fits(one, parts[next] ?? '')) {
      at++;
      next++;
    } else if (any >= 0) {
      at = any + 1;
      next = ++taken;
    } else return false;
  }
  while (at < pattern.length && isAny(pattern[at] ?? '')) at++;
  return at === pattern.length;
}

function refusal(pattern: string, why: string): ToolError {
  return new ToolError('invalid-input', `The glob ${quoted(pattern)} ${why}. Write such as *.ts, src/**/*.md or **/*.{js,ts}.`);
}
