import { describe, expect, it } from '@jest/globals';
import type { LoopEvent } from '../../../lib/index.ts';
import { Film } from '../../../lib/view/inspector/film.ts';
import { readTape } from '../../../marbles/index.ts';
import { read } from '../../guards/support/project.ts';
import { start, step } from '../../support/events.ts';
import { events } from '../../support/examples.ts';

const STARTED = '2026-01-05T05:03:09.000Z';
const lines = [start(), step(0), { ...events['tool-call'], parent: undefined, runId: 'run1' } as unknown as LoopEvent].map((event, at) => ({ at, event }));

function filmOf(): Film {
  const film = new Film();
  film.reset(STARTED);
  return film;
}

describe('a film', () => {
  it('shows what comes', () => {
    const film = filmOf();
    for (const line of lines) film.push(line);
    expect([film.shown, film.length, film.chart.marks.length]).toEqual([3, 3, 3]);
    expect(film.lineAt(1)).toBe(lines[1]);
  });

  it('keeps what comes while it is held, and shows it in steps or at once', () => {
    const film = filmOf();
    film.hold();
    for (const line of lines) film.push(line);
    expect([film.isHeld, film.shown, film.length]).toEqual([true, 0, 3]);
    expect([film.step(), film.shown]).toEqual([true, 1]);
    film.go();
    expect([film.isHeld, film.shown, film.chart.marks.length]).toEqual([false, 3, 3]);
  });

  it('is held and let go by turns', () => {
    const film = new Film();
    film.toggle();
    expect(film.isHeld).toBe(true);
    film.toggle();
    expect(film.isHeld).toBe(false);
  });

  it('holds at a step, and has none behind its last event', () => {
    const film = filmOf();
    film.push(lines[0] as (typeof lines)[number]);
    expect([film.step(), film.isHeld, film.shown]).toEqual([false, true, 1]);
  });

  it('goes back to its beginning', () => {
    const film = filmOf();
    for (const line of lines) film.push(line);
    film.toStart();
    expect([film.isHeld, film.shown, film.length, film.chart.marks]).toEqual([true, 0, 3, []]);
    for (let shown = 1; shown <= 3; shown++) expect([film.step(), film.shown]).toEqual([true, shown]);
  });

  it('shows a tape whole, and gives it back as it was', () => {
    const film = filmOf();
    const tape = readTape(read('docs/diagrams/nested.jsonl'));
    film.reset('2030-01-01T00:00:00.000Z', tape);
    expect([film.shown, film.isOver]).toEqual([47, true]);
    expect(film.tape).toEqual(tape);
  });

  it('names in its tape what the run has named', () => {
    const film = filmOf();
    expect(film.tape).toEqual({ header: { tape: 1, startedAt: STARTED, model: 'unknown', tools: [] }, lines: [] });
    film.hold();
    for (const line of lines) film.push(line);
    expect(film.tape).toEqual({ header: { tape: 1, startedAt: STARTED, model: 'm', tools: ['add'] }, lines });
  });

  it('is over with the ending of its own run, or with its error', () => {
    const film = filmOf();
    expect(film.isOver).toBe(false);
    film.push({ at: 0, event: events.done });
    expect(film.isOver).toBe(false);
    film.push({ at: 1, error: { code: 'a', message: 'b', retryable: false } });
    expect(film.isOver).toBe(true);
  });
});
