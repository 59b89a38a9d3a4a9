import { describe, expect, it } from '@jest/globals';
import { paint } from '../../../lib/view/inspector/painter.ts';
import type { Pen } from '../../../lib/view/inspector/painter.ts';
import { Viewport } from '../../../lib/view/inspector/viewport.ts';
import { Chart } from '../../../marbles/chart.ts';
import { readTape } from '../../../marbles/index.ts';
import { palette } from '../../../marbles/palette.ts';
import { longTape } from '../../browser/support/long-tape.ts';
import { read } from '../../guards/support/project.ts';

/** Keeps the words that it is told to write, and counts its strokes. */
function fakePen() {
  const words: string[] = [];
  const calls: Record<string, number> = {};
  const pen = new Proxy({}, {
    get: (_target, name: string) => (...given: unknown[]) => {
      calls[name] = (calls[name] ?? 0) + 1;
      if (name === 'fillText') words.push(String(given[0]));
    },
    set: () => true,
  }) as Pen;
  return { pen, words, calls };
}

function chartOf(text: string): Chart {
  const chart = new Chart({ lanes: 'tool' });
  for (const line of readTape(text).lines) chart.add(line);
  return chart;
}

const viewOf = (width = 1_600, height = 400) => Object.assign(new Viewport(), { width, height, margin: 100 });

describe('paint', () => {
  it('writes the names of lanes, the steps, the letters of marbles and the times', () => {
    const { pen, words } = fakePen();
    paint(pen, chartOf(read('docs/diagrams/nested.jsonl')), viewOf(), palette.light, undefined);
    expect(words).toEqual(expect.arrayContaining(['model', 'research', 'inner', 'find', 'send', 'step 0', 'step 2', 'a', 'c', 'y', '[', ']', 'i', '1', 't', 'z', '0 ms']));
  });

  it('draws lanes that are on the screen, and no others', () => {
    const { pen, words } = fakePen();
    paint(pen, chartOf(read('docs/diagrams/nested.jsonl')), viewOf(1_600, 100), palette.dark, 3);
    expect(words).toEqual(expect.arrayContaining(['model', 'research']));
    expect(words).not.toContain('send');
  });

  it('draws as much of 50,000 events as there is room for, near and far', () => {
    const chart = chartOf(longTape(50_000));
    for (const zoom of [0.000001, 0.1, 1, 1_000_000]) {
      const view = viewOf();
      view.zoom(zoom, 500, chart.end);
      const { pen, calls } = fakePen();
      const drawn = paint(pen, chart, view, palette.light, undefined);
      expect(drawn).toBeGreaterThan(3);
      // Three lanes of 1,500 pixels, a dot each 3 of them and a marble each 14.
      expect(drawn).toBeLessThan(3 * (1_500 / 3 + 2 * (1_500 / 14)) + 20);
      expect(Object.values(calls).reduce((sum, count) => sum + count, 0)).toBeLessThan(40_000);
    }
  });

  it('never hides what nobody must overlook', () => {
    const chart = chartOf(longTape(50_000));
    const view = viewOf();
    view.showAll(chart.end);
    const { pen, words } = fakePen();
    paint(pen, chart, view, palette.light, undefined);
    expect(words).toContain('w');
  });
});
