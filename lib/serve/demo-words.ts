/**
 * A text in pieces as a model streams them: a word each, with the white space behind it.
 *
 * @internal
 */
export function demoWords(text: string): string[] {
  return text.split(/(?<=\s)(?=\S)/);
}
