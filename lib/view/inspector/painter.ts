import type { Chart } from '../../../marbles/chart.ts';
import type { ChartLane, ChartMark, ChartSpan } from '../../../marbles/chart-lane.ts';
import type { Palette } from '../../../marbles/palette.ts';
import { LANE, middleOf, RADIUS } from './layout.ts';
import { ticks } from './ticks.ts';
import type { Viewport } from './viewport.ts';
import { visible } from './visible.ts';

/** What of a canvas's context the painter uses. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | 'fillStyle' | 'strokeStyle' | 'lineWidth' | 'globalAlpha' | 'font' | 'textAlign' | 'textBaseline' | 'beginPath' | 'moveTo' | 'lineTo' | 'arc' | 'rect' | 'roundRect'
  | 'closePath' | 'fill' | 'stroke' | 'fillRect' | 'fillText' | 'save' | 'restore' | 'clip' | 'setLineDash'
>;

/** Height of the ruler below the lanes. */
export const RULER = 26;

/** Between the middles of two marbles: they may touch, and one may hide a part of the other. */
const GAP = 14;
const FONT = '12px system-ui, sans-serif';
const SMALL = '10.5px system-ui, sans-serif';
const LETTER = '12px ui-monospace, monospace';

/**
 * Draws what is visible of a chart. What has no place of its own is drawn once, so that a frame costs what the screen has
 * room for, however long the run is.
 *
 * @returns how many marks were drawn
 * @internal
 */
export function paint(pen: Pen, chart: Chart, viewport: Viewport, colours: Palette, selected: number | undefined): number {
  const { width, height, margin } = viewport;
  pen.globalAlpha = 1;
  pen.fillStyle = colours.paper;
  pen.fillRect(0, 0, width, height + RULER);
  const from = Math.max(0, Math.floor(viewport.top / LANE));
  const to = Math.min(chart.lanes.length, Math.ceil((viewport.top + height) / LANE));

  pen.save();
  pen.beginPath();
  pen.rect(margin, 0, width - margin, height);
  pen.clip();
  let drawn = 0;
  for (let index = from; index < to; index++) {
    const lane = chart.lanes[index] as ChartLane;
    drawn += new LanePainter(pen, viewport, colours, middleOf(index, viewport)).paint(lane, chart, selected);
  }
  pen.restore();

  names(pen, chart.lanes.slice(from, to), from, viewport, colours);
  ruler(pen, chart, viewport, colours);
  return drawn;
}

class LanePainter {
  private readonly pen: Pen;
  private readonly viewport: Viewport;
  private readonly colours: Palette;
  private readonly y: number;

  constructor(pen: Pen, viewport: Viewport, colours: Palette, y: number) {
    this.pen = pen;
    this.viewport = viewport;
    this.colours = colours;
    this.y = y;
  }

  paint(lane: ChartLane, { end, marks, laneOf }: Chart, selected: number | undefined): number {
    const { pen, viewport, y, colours } = this;
    const [left, right] = [viewport.margin - 2 * RADIUS, viewport.width + 2 * RADIUS];
    const xOf = (mark: { readonly at: number; readonly x: number }): number => viewport.xOf(mark);
    const spans = [...visible(lane.spans, (span) => xOf(span.from), left - right, right, 0.5)].map(({ one }) => one);
    const lastX = xOf(end);

    for (const span of spans) if (span.kind === 'attempt') this.band(span, lastX);
    const over = lane.end ?? (lane.kind === 'tool' && !lane.isBusy ? lane.marks.at(-1) : undefined);
    this.line(xOf(lane.from), over === undefined ? lastX + 18 : xOf(over), y, colours.line, 1.5);
    for (const span of spans) if (span.kind !== 'attempt') this.span(span, lastX);

    let drawn = 0;
    let last: number | undefined;
    for (const { one, index } of visible(lane.marks, xOf, left, right, 3)) {
      const x = xOf(one);
      if (one.isMore) this.bar(one, Math.max(left, last ?? xOf(lane.marks[index - 1] ?? one)), x);
      else if (one.letter !== '' || one.size === 'dot') this.dot(one, x);
      last = x;
      drawn += 1;
    }
    // Marbles above what flows, and on top of all what nobody must overlook.
    for (const row of [lane.marbles, lane.alarms]) {
      for (const { one } of visible(row, xOf, left, right, GAP)) {
        this.marble(one, xOf(one));
        drawn += 1;
      }
    }
    for (const span of spans) if (span.isWithdrawn) this.line(xOf(span.from), (span.to ? xOf(span.to) : lastX) - RADIUS, y, colours.tones.trouble.edge, 2);
    if (lane.end !== undefined) this.ending(lane.end.kind, xOf(lane.end));
    const chosen = selected === undefined || laneOf[selected] !== lane ? undefined : marks[selected];
    if (chosen !== undefined) this.ring(xOf(chosen));
    pen.globalAlpha = 1;
    return drawn;
  }

  private band(span: ChartSpan, lastX: number): void {
    const { pen, viewport, y, colours } = this;
    const [from, to] = [viewport.xOf(span.from), span.to === undefined ? lastX : viewport.xOf(span.to)];
    pen.fillStyle = colours.band;
    pen.beginPath();
    pen.roundRect(from - 6, y - 16, Math.max(3, to - from + 21), 32, 8);
    pen.fill();
    const start = Math.max(from, viewport.margin + 4);
    // Only where there is room for it.
    if (to - start > 6 * span.label.length) this.text(span.label, start, y - 23, SMALL, colours.faint, 'left');
  }

  private span({ kind, isWithdrawn, from, to }: ChartSpan, lastX: number): void {
    const { pen, viewport, y, colours } = this;
    const [x, end] = [viewport.xOf(from), to === undefined ? lastX : viewport.xOf(to)];
    if (kind === 'call') {
      pen.globalAlpha = isWithdrawn ? 0.5 : 1;
      pen.fillStyle = colours.tones.call.fill;
      pen.strokeStyle = colours.tones.call.edge;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.roundRect(x, y - 4, Math.max(1, end - x), 8, 4);
      pen.fill();
      pen.stroke();
      pen.globalAlpha = 1;
      return;
    }
    pen.setLineDash(kind === 'wait' ? [3, 3] : [2, 4]);
    if (kind === 'pause') this.line(x + RADIUS, end, y, colours.tones.trouble.edge, 2);
    else {
      this.line(x, end, y - 14, colours.tones.asked.edge, 1.5);
      this.line(x, end, y + 14, colours.tones.asked.edge, 1.5);
    }
    pen.setLineDash([]);
  }

  private bar(mark: ChartMark, from: number, x: number): void {
    const { pen, y } = this;
    const { fill, edge } = this.colours.tones[mark.tone];
    pen.globalAlpha = mark.part?.isWithdrawn === true ? 0.5 : 1;
    pen.fillStyle = fill;
    pen.fillRect(from, y - 7, x - from, 14);
    pen.fillStyle = edge;
    pen.fillRect(from, y - 7, x - from, 1);
    pen.fillRect(from, y + 6, x - from, 1);
    // Each piece that has room for it.
    pen.fillRect(x - 0.5, y - 3, 1, 6);
    pen.globalAlpha = 1;
  }

  private dot(mark: ChartMark, x: number): void {
    this.pen.fillStyle = this.colours.tones[mark.tone].edge;
    this.pen.fillRect(x - 1, this.y - 4, 2, 8);
  }

  private marble(mark: ChartMark, x: number): void {
    const { pen, y, colours } = this;
    const { fill, edge } = colours.tones[mark.tone];
    pen.globalAlpha = mark.part?.isWithdrawn === true ? 0.5 : 1;
    pen.fillStyle = fill;
    pen.strokeStyle = edge;
    pen.lineWidth = 1.25;
    pen.beginPath();
    if (mark.tone === 'error') {
      pen.moveTo(x, y - RADIUS - 2);
      pen.lineTo(x + RADIUS + 2, y);
      pen.lineTo(x, y + RADIUS + 2);
      pen.lineTo(x - RADIUS - 2, y);
      pen.closePath();
    } else pen.arc(x, y, RADIUS, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
    this.text(mark.letter, x, y + 0.5, LETTER, colours.ink, 'center');
    pen.globalAlpha = 1;
  }

  private ending(kind: 'done' | 'error', x: number): void {
    const { y, colours } = this;
    if (kind === 'done') return this.line(x, x, y, colours.ink, 2.5, 12);
    const { edge } = colours.tones.error;
    this.line(x - 7, x + 7, y, edge, 2.5, 7);
    this.line(x + 7, x - 7, y, edge, 2.5, 7);
  }

  private ring(x: number): void {
    const { pen, y, colours } = this;
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(x, y, RADIUS + 4, 0, 2 * Math.PI);
    pen.stroke();
  }

  /** @param rise - half of the height between its ends */
  private line(from: number, to: number, y: number, colour: string, width: number, rise = 0): void {
    const { pen } = this;
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    pen.moveTo(Math.max(from, -50), y - rise);
    pen.lineTo(Math.min(to, this.viewport.width + 50), y + rise);
    pen.stroke();
  }

  private text(words: string, x: number, y: number, font: string, colour: string, align: CanvasTextAlign): void {
    write(this.pen, words, x, y, font, colour, align);
  }
}

function names(pen: Pen, lanes: readonly ChartLane[], first: number, viewport: Viewport, colours: Palette): void {
  pen.save();
  pen.beginPath();
  pen.rect(0, 0, viewport.margin - 4, viewport.height);
  pen.clip();
  for (const [index, { name, detail, depth }] of lanes.entries()) {
    const y = middleOf(first + index, viewport);
    const x = 10 + Math.min(depth, 6) * 10;
    write(pen, name, x, detail === '' ? y : y - 7, FONT, colours.ink, 'left');
    if (detail !== '') write(pen, detail.slice(0, 60), x, y + 8, SMALL, colours.faint, 'left');
  }
  pen.restore();
}

function ruler(pen: Pen, chart: Chart, viewport: Viewport, colours: Palette): void {
  const { height, width, margin } = viewport;
  pen.fillStyle = colours.paper;
  pen.fillRect(0, height, width, RULER);
  pen.fillStyle = colours.line;
  pen.fillRect(margin, height, width - margin, 1);
  for (const { x, label } of ticks(chart, viewport)) {
    pen.fillStyle = colours.line;
    pen.fillRect(x, height, 1, 5);
    write(pen, label, x, height + 15, SMALL, colours.faint, 'center');
  }
}

function write(pen: Pen, words: string, x: number, y: number, font: string, colour: string, align: CanvasTextAlign): void {
  pen.font = font;
  pen.fillStyle = colour;
  pen.textAlign = align;
  pen.textBaseline = 'middle';
  pen.fillText(words, x, y);
}
