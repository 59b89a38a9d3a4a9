import { nearest } from './nearest.ts';

/** What a model is told that called a tool which does not exist: what does. */
export function unknownToolText(name: string, known: readonly string[]): string {
  if (known.length === 0) return `There is no tool "${name}": no tools are available.`;
  const near = nearest(name, known);
  const meant = near.length === 0 ? '' : ` Did you mean ${near.map((one) => `"${one}"`).join(' or ')}?`;
  return `There is no tool "${name}".${meant} Available: ${known.join(', ')}.`;
}
