import { ConfigError } from '../index.ts';

/**
 * The words of a command line, as a shell would split them: white space stands between words, quotes of both kinds hold
 * words together, and a backslash takes the next character as it is (inside double quotes only before `"` and `\`).
 * Nothing else is special: no variable, no wildcard and no pipe, because no shell takes part.
 *
 * @throws ConfigError for a quote without its end
 * @internal
 */
export function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string;
    const next = line[at + 1];
    if (char === '\\' && next !== undefined && escapes(quote, next)) {
      word = (word ?? '') + next;
      at++;
    } else if (char === quote) quote = '';
    else if (quote === '' && (char === '"' || char === "'")) {
      quote = char;
      word ??= '';
    } else if (quote === '' && /\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== '') throw new ConfigError(`--mcp ${JSON.stringify(line)} has a ${quote} without its end.`);
  return word === undefined ? words : [...words, word];
}

function escapes(quote: string, next: string): boolean {
  return quote === '' || (quote === '"' && (next === '"' || next === '\\'));
}
