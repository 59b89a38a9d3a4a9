import { printable } from './printable.ts';

/**
 * Any value as one printable line of at most `width` characters; what is longer is cut and ends in `…`.
 *
 * @internal
 */
export function oneLine(value: unknown, width: number): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  // Cut once before it is cleaned: a result may be megabytes, and cleaning only shortens by white space and sequences.
  const clean = printable(text.slice(0, width * 8)).replace(/\s+/g, ' ').trim();
  const characters = [...clean];
  return characters.length <= width && text.length <= width * 8 ? clean : `${characters.slice(0, width - 1).join('')}…`;
}
