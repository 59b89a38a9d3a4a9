import { palette } from './palette.ts';
import type { Palette } from './palette.ts';

/**
 * The style sheet of a drawing: colours are variables, so that a page that holds the drawing may set its own.
 *
 * @param theme - `auto` follows the reader's system
 * @internal
 */
export function svgStyle(theme: 'auto' | 'light' | 'dark'): string {
  const first = palette[theme === 'dark' ? 'dark' : 'light'];
  const other = theme === 'auto' ? `@media (prefers-color-scheme:dark){.rx-marbles{${variables(palette.dark)}}}` : '';
  const tones = Object.keys(first.tones).map((tone) => `.rx-marbles .${tone}{fill:var(--${tone});stroke:var(--${tone}-edge)}`);
  return [`.rx-marbles{${variables(first)}}`, other, RULES, ...tones].join('');
}

function variables({ tones, ...plain }: Palette): string {
  const pairs = Object.entries(plain).map(([name, colour]) => [name, colour as string]);
  const toned = Object.entries(tones).flatMap(([tone, { fill, edge }]) => [[tone, fill], [`${tone}-edge`, edge]]);
  return [...pairs, ...toned].map(([name, colour]) => `--${name}:${colour}`).join(';');
}

const RULES = [
  '{font-family:system-ui,sans-serif;font-size:12px}',
  ' text{fill:var(--ink);stroke:none}',
  ' .small{font-size:10.5px;fill:var(--faint)}',
  ' .title{font-size:14px;font-weight:600}',
  ' .letter{font-family:ui-monospace,monospace;font-size:12px;text-anchor:middle}',
  ' .paper{fill:var(--paper)}',
  ' .lane{stroke:var(--line);stroke-width:1.5;fill:none}',
  ' .band{fill:var(--band)}',
  ' .wait{fill:none;stroke:var(--asked-edge);stroke-dasharray:3 3}',
  ' .pause{fill:none;stroke:var(--trouble-edge);stroke-width:2;stroke-dasharray:2 4}',
  ' .end{stroke-width:1.5}',
  ' .strike{stroke:var(--trouble-edge);stroke-width:2}',
  ' .over{stroke:var(--ink);stroke-width:2.5}',
  ' .fault{stroke:var(--error-edge);stroke-width:2.5;fill:none}',
  ' .withdrawn{opacity:.5}',
].map((rule) => `.rx-marbles${rule}`).join('');
