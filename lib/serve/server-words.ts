/**
 * What a server says is wrong, if it says so in JSON: the message in any of the shapes in use (`{ error: { message } }`,
 * `{ error: "..." }`, `{ message }`, `{ detail }`, a list of one of these). Nothing for a page of HTML or other text: it
 * was written for another reader.
 *
 * @internal
 */
export function serverWords(body: string | undefined): string {
  let value: unknown;
  try {
    value = JSON.parse(body ?? '');
  } catch {
    return '';
  }
  return wordsIn(Array.isArray(value) ? value[0] : value);
}

function wordsIn(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  if (typeof value !== 'object' || value === null) return '';
  const { error, message, detail } = value as { readonly [name: string]: unknown };
  return wordsIn(error) || wordsIn(message) || wordsIn(detail);
}
