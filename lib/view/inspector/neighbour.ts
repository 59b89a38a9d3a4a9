import type { Chart } from '../../../marbles/chart.ts';
import type { ChartMark } from '../../../marbles/chart-lane.ts';
import { firstFrom } from './visible.ts';

/**
 * The mark that is reached from another one: the next or the last one before on the same lane, or the nearest on the lane above or
 * below. Where there is none, the same.
 *
 * @param line - of the mark in the tape
 * @internal
 */
export function neighbour(chart: Chart, line: number, way: 'previous' | 'next' | 'lane-above' | 'lane-below'): number {
  const [mark, lane] = [chart.marks[line], chart.laneOf[line]];
  if (mark === undefined || lane === undefined) return line;
  if (way === 'previous' || way === 'next') {
    const at = firstFrom(lane.marks, lineOf, line);
    return lane.marks[way === 'next' ? at + 1 : at - 1]?.line ?? line;
  }
  const index = chart.lanes.indexOf(lane);
  const other = chart.lanes[way === 'lane-above' ? index - 1 : index + 1];
  if (other === undefined) return line;
  const at = firstFrom(other.marks, lineOf, line);
  const [before, after] = [other.marks[at - 1], other.marks[at]];
  if (before === undefined || after === undefined) return (before ?? after)?.line ?? line;
  return line - before.line < after.line - line ? before.line : after.line;
}

const lineOf = (mark: ChartMark): number => mark.line;
