import type { Chart } from '../../../marbles/chart.ts';
import type { ChartLane, ChartMark } from '../../../marbles/chart-lane.ts';
import type { Viewport } from './viewport.ts';
import { firstFrom } from './visible.ts';

/** Measures of the diagram, in pixels. */
export const LANE = 54;
export const RADIUS = 10;
const REACH = 14;

/** The middle of a lane on the screen. */
export function middleOf(lane: number, { top }: Viewport): number {
  return lane * LANE + LANE / 2 + 8 - top;
}

/** The mark under a place of the screen; one that nobody must overlook comes first. */
export function markAt(chart: Chart, viewport: Viewport, x: number, y: number): ChartMark | undefined {
  const lane = chart.lanes[Math.floor((y + viewport.top) / LANE)];
  if (lane === undefined || x < viewport.margin) return undefined;
  return nearest(lane.alarms, viewport, x, RADIUS) ?? nearest(lane.marks, viewport, x, REACH);
}

function nearest(marks: ChartLane['marks'], viewport: Viewport, x: number, reach: number): ChartMark | undefined {
  const at = firstFrom(marks, (mark) => viewport.xOf(mark), x);
  const candidates = [marks[at - 1], marks[at]].filter((mark) => mark !== undefined);
  const distance = (mark: ChartMark): number => Math.abs(viewport.xOf(mark) - x);
  candidates.sort((a, b) => distance(a) - distance(b));
  const [first] = candidates;
  return first !== undefined && distance(first) <= reach ? first : undefined;
}
