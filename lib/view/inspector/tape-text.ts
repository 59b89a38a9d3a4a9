import type { Tape } from '../../../marbles/index.ts';

/**
 * A tape as JSON lines, as `readTape` reads it.
 *
 * @internal
 */
export function tapeText({ header, lines }: Tape): string {
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}
