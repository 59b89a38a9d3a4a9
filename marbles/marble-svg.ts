import { Chart } from './chart.ts';
import type { ChartLane } from './chart-lane.ts';
import { svgLane } from './svg-lane.ts';
import { svgLegend } from './svg-legend.ts';
import { svgStyle } from './svg-style.ts';
import { svgText } from './svg-text.ts';
import type { Tape } from './tape.ts';

export interface MarbleSvgOptions {
  /** Default: the model and the tools of the tape's header. */
  readonly title?: string;
  /** `auto` (the default) follows the reader's system. */
  readonly theme?: 'auto' | 'light' | 'dark';
  /** One lane for each `call` (the default), or for each `tool`, whose calls that come one after another share it. */
  readonly lanes?: 'call' | 'tool';
  /** Begins the ids in the drawing; give each its own where several stand in one page. Default `marbles`. */
  readonly idPrefix?: string;
}

const LANE = 48;
const TOP = 62;
const LABELS = 172;
const MARGIN = 20;
/** Between two times on the axis. */
const TICK = 84;

/**
 * A run as a marble diagram: a lane for the model, one for each tool call and each nested run below it. Letters are the
 * kit's of step 0, results are digits, and a legend explains those that occur. What was withdrawn is dimmed and struck
 * through, an error is a diamond, and a lane ends in a bar (done), a cross (failed) or an arrow (left).
 *
 * Events stand in their order with room for each: waits are wider than no waits, but not to scale; the axis below has times.
 *
 * Contract:
 * - comes out: one `<svg>` with `role="img"`, a title and a description, and a style sheet of its own for light and dark. It
 *   asks for nothing outside of itself, and every text of the tape is escaped.
 * - order: the same tape and options give the same text.
 *
 * @throws RangeError for an `idPrefix` that is no name
 *
 * @example A tape as an image in a file
 * ```ts
 * import { readTape, toMarbleSvg } from 'rx-tool-loop/marbles';
 *
 * export const image = (tape: string): string => toMarbleSvg(readTape(tape), { title: 'Two tools, one retry' });
 * ```
 * @public
 */
export function toMarbleSvg(tape: Tape, options: MarbleSvgOptions = {}): string {
  const { theme = 'auto', lanes = 'call', idPrefix = 'marbles' } = options;
  if (!/^[A-Za-z][\w-]*$/.test(idPrefix)) throw new RangeError(`toMarbleSvg: idPrefix is ${JSON.stringify(idPrefix)}; give letters, digits, - and _, with a letter first.`);
  const chart = new Chart({ lanes });
  for (const line of tape.lines) chart.add(line);

  const left = LABELS + MARGIN;
  const width = Math.max(560, Math.ceil(left + chart.end.x + 3 * MARGIN));
  const axisAt = TOP + chart.lanes.length * LANE + 8;
  const legend = svgLegend(chart.marks, MARGIN, axisAt + 44, width - MARGIN);
  const height = axisAt + 34 + legend.height;
  const { header } = tape;
  const title = options.title ?? `A run of ${header.model}${header.tools.length === 0 ? '' : ` with ${header.tools.join(', ')}`}`;
  const ids = { title: `${idPrefix}-title`, about: `${idPrefix}-about` };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="rx-marbles" role="img" aria-labelledby="${ids.title} ${ids.about}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title id="${ids.title}">${svgText(title)}</title>`,
    `<desc id="${ids.about}">${svgText(summary(chart), 1_000)}</desc>`,
    `<style>${svgStyle(theme)}</style>`,
    `<rect class="paper" width="${width}" height="${height}" rx="8"/>`,
    `<text class="title" x="${MARGIN}" y="26">${svgText(title)}</text>`,
    ...chart.lanes.flatMap((lane, index) => [...nameOf(lane, TOP + index * LANE + 10), ...svgLane(lane, TOP + index * LANE + 10, left, chart.end)]),
    ...axis(chart, left, axisAt),
    ...legend.parts,
    '</svg>',
  ].filter((part) => part !== '').join('\n') + '\n';
}

function nameOf({ name, detail, depth }: ChartLane, y: number): string[] {
  const x = MARGIN + Math.min(depth, 6) * 12;
  // What there is room for, at about seven pixels a character.
  const most = Math.floor((LABELS - x) / 6.6);
  return [`<text x="${x}" y="${detail === '' ? y + 4 : y - 2}">${svgText(name, most)}</text>`, detail === '' ? '' : `<text class="small" x="${x}" y="${y + 12}">${svgText(detail, most)}</text>`];
}

function axis(chart: Chart, left: number, y: number): string[] {
  let last = -Infinity;
  return chart.marks.flatMap(({ x, at }) => {
    if (x - last < TICK) return [];
    last = x;
    const place = Math.round(left + x);
    return [`<path class="lane" d="M${place} ${y - 4}v6"/><text class="small" x="${place}" y="${y + 14}" text-anchor="middle">${duration(at)}</text>`];
  });
}

function duration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/** The drawing in words. */
function summary({ counts, ending, end, marks }: Chart): string {
  const count = (number: number, one: string, many = `${one}s`): string[] => (number === 0 ? [] : [`${number} ${number === 1 ? one : many}`]);
  const parts = [
    ...count(marks.length, 'event'),
    ...count(counts.steps, 'step'),
    ...count(counts.calls, 'tool call'),
    ...count(counts.failedCalls, 'of them failed', 'of them failed'),
    ...count(counts.nested, 'nested run'),
    ...count(counts.retries, 'retry', 'retries'),
    ...count(counts.withdrawn, 'attempt withdrawn', 'attempts withdrawn'),
    ...count(counts.corrections, 'correction'),
    ...count(counts.requests, 'request to somebody', 'requests to somebody'),
  ];
  return `${[...parts, ending === undefined ? 'no ending: the run was left' : `ending: ${ending}`].join(', ')}, after ${duration(end.at)}.`;
}
