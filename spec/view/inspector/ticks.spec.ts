import { describe, expect, it } from '@jest/globals';
import { moment, ticks } from '../../../lib/view/inspector/ticks.ts';
import { Viewport } from '../../../lib/view/inspector/viewport.ts';
import { Chart } from '../../../marbles/chart.ts';
import { readTape } from '../../../marbles/index.ts';
import { read } from '../../guards/support/project.ts';

const chart = new Chart({ lanes: 'tool' });
for (const line of readTape(read('docs/diagrams/nested.jsonl')).lines) chart.add(line);
const viewOf = (axis: 'even' | 'time') => Object.assign(new Viewport(), { width: 800, height: 300, margin: 100, axis });

describe('ticks', () => {
  it('are the times of events, with room between them', () => {
    const found = ticks(chart, viewOf('even'));
    expect(found[0]).toEqual({ x: 140, label: '0 ms' });
    expect(found.length).toBeGreaterThan(3);
    expect(found.every(({ x }, at) => at === 0 || x - (found[at - 1]?.x ?? 0) >= 90)).toBe(true);
    expect(found.every(({ x }) => x >= 120 && x <= 780)).toBe(true);
  });

  it('are round times to scale', () => {
    expect(ticks(chart, viewOf('time'))).toEqual([0, 500, 1_000, 1_500, 2_000, 2_500, 3_000].map((at) => ({ x: 140 + at / 5, label: moment(at) })));
  });
});

describe('moment', () => {
  it.each([[0, '0 ms'], [999.4, '999 ms'], [1_500, '1.5 s'], [59_999, '60 s'], [60_000, '1:00 min'], [3_605_000, '60:05 min']])('writes %d ms as %s', (ms, text) => {
    expect(moment(ms)).toBe(text);
  });
});
