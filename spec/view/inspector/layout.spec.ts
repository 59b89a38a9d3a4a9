import { describe, expect, it } from '@jest/globals';
import { LANE, markAt, middleOf } from '../../../lib/view/inspector/layout.ts';
import { Viewport } from '../../../lib/view/inspector/viewport.ts';
import { Chart } from '../../../marbles/chart.ts';
import { readTape } from '../../../marbles/index.ts';
import { read } from '../../guards/support/project.ts';

const chart = new Chart({ lanes: 'tool' });
for (const line of readTape(read('docs/diagrams/troubles.jsonl')).lines) chart.add(line);
const view = Object.assign(new Viewport(), { width: 1_000, height: 300, margin: 100 });
const lines = chart.marks.map((mark) => mark.line);

describe('markAt', () => {
  it('finds each mark where it stands', () => {
    const found = chart.marks.map((mark) => {
      const lane = chart.lanes.indexOf(chart.laneOf[mark.line] as (typeof chart.lanes)[number]);
      return markAt(chart, view, view.xOf(mark), middleOf(lane, view))?.line;
    });
    // Where two are nearer than the eye can tell, the one that nobody must overlook is meant.
    const letters = found.map((line, at) => chart.marks[at]?.letter !== '' ? line === lines[at] : true);
    expect(letters).toEqual(lines.map(() => true));
  });

  it('finds nothing between the marks, beside the lanes and on their names', () => {
    expect(markAt(chart, view, 900, middleOf(0, view))).toBeUndefined();
    expect(markAt(chart, view, 140, 10 * LANE)).toBeUndefined();
    expect(markAt(chart, view, 90, middleOf(0, view))).toBeUndefined();
    expect(markAt(chart, view, 140, -5)).toBeUndefined();
  });

  it('knows how far the lanes are scrolled', () => {
    const scrolled = Object.assign(new Viewport(), { width: 1_000, height: 60, margin: 100, top: LANE });
    expect(middleOf(1, scrolled)).toBe(middleOf(0, view));
    const result = chart.marks.find(({ tone }) => tone === 'error');
    expect(result && markAt(chart, scrolled, scrolled.xOf(result), middleOf(1, scrolled))).toBe(result);
  });
});
