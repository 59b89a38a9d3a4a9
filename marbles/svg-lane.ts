import type { ChartLane, ChartMark, ChartSpan, Moment } from './chart-lane.ts';
import { svgText } from './svg-text.ts';

/** Measures of a drawing, in pixels. */
export const R = 10;

/**
 * One lane of a drawing: its line, its spans and its marks, around `y`.
 *
 * @param left - where the run begins
 * @internal
 */
export function svgLane(lane: ChartLane, y: number, left: number, end: Moment): string[] {
  const at = (moment: Moment): number => round(left + moment.x);
  const last = lane.end ?? (lane.kind === 'model' || lane.isBusy ? end : (lane.marks.at(-1) ?? end));
  const [from, to] = [at(lane.from), at(last)];
  const isLeft = lane.kind === 'model' && lane.end === undefined;
  return [
    ...lane.spans.filter(({ kind }) => kind === 'attempt').map((span) => band(span, y, at, at(span.to ?? last))),
    `<path class="lane" d="M${from} ${y}H${isLeft ? to + 22 : to}${isLeft ? 'm-6 -5l6 5l-6 5' : ''}"/>`,
    ...lane.spans.filter(({ kind }) => kind !== 'attempt').map((span) => stretch(span, y, at(span.from), at(span.to ?? last))),
    ...groups(lane.marks).map((group) => marks(group, y, at)),
    ...lane.spans.filter(({ isWithdrawn }) => isWithdrawn).map((span) => `<path class="strike" d="M${at(span.from) - 4} ${y}H${at(span.to ?? last) - R - 2}"/>`),
    ...(lane.end === undefined ? [] : [ending(lane.end.kind, to, y)]),
  ];
}

function band(span: ChartSpan, y: number, at: (moment: Moment) => number, to: number): string {
  const from = at(span.from);
  const label = svgText(span.label);
  return `<rect class="band" x="${from - 6}" y="${y - 16}" width="${Math.max(12, round(to - from + 6 + R + 5))}" height="32" rx="8"/><text class="small" x="${from - 4}" y="${y - 20}">${label}</text>`;
}

function stretch({ kind, label, isWithdrawn }: ChartSpan, y: number, from: number, to: number): string {
  const hint = `<title>${svgText(label)}</title>`;
  if (kind === 'pause') return `<path class="pause" d="M${from + R} ${y}H${to}">${hint}</path>`;
  if (kind === 'wait') return `<rect class="wait" x="${from}" y="${y - 13}" width="${round(to - from)}" height="26">${hint}</rect>`;
  return `<rect class="call${isWithdrawn ? ' withdrawn' : ''}" x="${from}" y="${y - 4}" width="${round(to - from)}" height="8" rx="4">${hint}</rect>`;
}

/** Pieces of one stroke together, everything else alone. */
function groups(marks: readonly ChartMark[]): ChartMark[][] {
  const all: ChartMark[][] = [];
  for (const mark of marks) {
    const last = all.at(-1);
    if (mark.isMore && last !== undefined) last.push(mark);
    else all.push([mark]);
  }
  return all;
}

function marks(group: readonly ChartMark[], y: number, at: (moment: Moment) => number): string {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined || first.letter === '') return '';
  const hint = `<title>${svgText(group.length === 1 ? first.label : `${first.label} … ${last.label} (${group.length})`)} at ${first.at} ms</title>`;
  const [x, to] = [at(first), at(last)];
  const middle = round((x + to) / 2);
  const letter = `<text class="letter" x="${middle}" y="${y + 4}">${svgText(first.letter)}</text>`;
  return `<g class="mark${first.part?.isWithdrawn === true ? ' withdrawn' : ''}">${hint}${shape(first, x, to, y)}${letter}</g>`;
}

/** Errors are diamonds, so that colour alone tells nothing. */
function shape({ tone, size }: ChartMark, x: number, to: number, y: number): string {
  if (size === 'stroke') return `<rect class="${tone}" x="${x - R + 2}" y="${y - R + 1}" width="${round(to - x + 2 * R - 4)}" height="${2 * R - 2}" rx="${R - 1}"/>`;
  if (tone === 'error') return `<path class="error" d="M${x} ${y - R - 2}l${R + 2} ${R + 2}l${-R - 2} ${R + 2}l${-R - 2} ${-R - 2}z"/>`;
  return `<circle class="${tone}" cx="${x}" cy="${y}" r="${R}"/>`;
}

function ending(kind: 'done' | 'error', x: number, y: number): string {
  if (kind === 'done') return `<path class="over" d="M${x} ${y - 12}v24"><title>done</title></path>`;
  return `<path class="fault" d="M${x - 7} ${y - 7}l14 14m0 -14l-14 14"><title>error</title></path>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
