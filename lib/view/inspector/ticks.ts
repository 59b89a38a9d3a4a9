import type { Chart } from '../../../marbles/chart.ts';
import type { Viewport } from './viewport.ts';
import { visible } from './visible.ts';

export interface Tick {
  readonly x: number;
  readonly label: string;
}

/** Between two times. */
const ROOM = 90;

/**
 * The times below the lanes: round ones to scale, else those of events.
 *
 * @internal
 */
export function ticks(chart: Chart, viewport: Viewport): Tick[] {
  const [from, to] = [viewport.margin + 20, viewport.width - 20];
  if (viewport.axis === 'even') {
    return [...visible(chart.marks, (mark) => viewport.xOf(mark), from, to, ROOM)].map(({ one }) => ({ x: viewport.xOf(one), label: moment(one.at) }));
  }
  const step = roundUp(ROOM / viewport.scale);
  const found: Tick[] = [];
  for (let at = Math.max(0, Math.ceil(viewport.unitAt(from) / step) * step); ; at += step) {
    const x = viewport.xOf({ at, x: 0 });
    if (x > to) return found;
    found.push({ x, label: moment(at) });
  }
}

/** 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

/** A time since the start. */
export function moment(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(2))} s`;
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
}
