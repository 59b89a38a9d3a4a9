import { describe, expect, it } from '@jest/globals';
import { neighbour } from '../../../lib/view/inspector/neighbour.ts';
import { Chart } from '../../../marbles/chart.ts';
import { readTape } from '../../../marbles/index.ts';
import { read } from '../../guards/support/project.ts';

const chart = new Chart({ lanes: 'tool' });
for (const line of readTape(read('docs/diagrams/nested.jsonl')).lines) chart.add(line);
const lineOf = (label: string): number => chart.marks.findIndex((mark) => mark.label === label);
const labelOf = (line: number): string | undefined => chart.marks[line]?.label;

describe('neighbour', () => {
  it('walks along a lane, over what other lanes have said meanwhile', () => {
    const started = lineOf('0 tool-start research');
    expect(labelOf(neighbour(chart, started, 'next'))).toBe('0 tool-commit research');
    expect(neighbour(chart, neighbour(chart, started, 'next'), 'previous')).toBe(started);
  });

  it('crosses to what is nearest on the next lane', () => {
    const started = lineOf('0 tool-start research');
    expect(labelOf(neighbour(chart, started, 'lane-below'))).toBe('0 research > run-start');
    expect(labelOf(neighbour(chart, started, 'lane-above'))).toBe('0 end tool-use');
  });

  it('stays where there is nothing more', () => {
    const last = chart.marks.length - 1;
    expect([neighbour(chart, 0, 'previous'), neighbour(chart, 0, 'lane-above'), neighbour(chart, last, 'next'), neighbour(chart, 999, 'next')]).toEqual([0, 0, last, 999]);
    expect(neighbour(chart, lineOf('1 result send'), 'lane-below')).toBe(lineOf('1 result send'));
  });
});
