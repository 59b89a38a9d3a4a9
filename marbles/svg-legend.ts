import type { ChartMark } from './chart-lane.ts';
import { svgText } from './svg-text.ts';

/** About the width of a character of 12 pixels. */
const CHARACTER = 5.8;
const ROW = 24;

/**
 * What the letters of a drawing mean, in rows from `top` on.
 *
 * @internal
 */
export function svgLegend(marks: readonly ChartMark[], left: number, top: number, width: number): { readonly parts: readonly string[]; readonly height: number } {
  const entries = new Map<string, ChartMark>();
  for (const mark of marks) {
    // By what they mean: results have a digit each, and one entry.
    if (mark.letter !== '' && !entries.has(mark.meaning)) entries.set(mark.meaning, mark);
  }
  let [x, y] = [left, top];
  const parts = [...entries.values()].map(({ letter, meaning, tone }) => {
    const needed = 34 + meaning.length * CHARACTER;
    if (x > left && x + needed > width) [x, y] = [left, y + ROW];
    const place = Math.round(x);
    x += needed;
    const shape = tone === 'error' ? `<path class="error" d="M${place + 9} ${y - 10}l10 10l-10 10l-10 -10z"/>` : `<circle class="${tone}" cx="${place + 9}" cy="${y}" r="8"/>`;
    return `${shape}<text class="letter" x="${place + 9}" y="${y + 4}">${svgText(letter)}</text><text class="small" x="${place + 22}" y="${y + 4}">${svgText(meaning)}</text>`;
  });
  return { parts, height: entries.size === 0 ? 0 : y - top + ROW };
}
