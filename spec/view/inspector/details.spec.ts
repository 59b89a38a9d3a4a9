import { describe, expect, it } from '@jest/globals';
import { showDetails } from '../../../lib/view/inspector/details.ts';
import type { Elements } from '../../../lib/view/inspector/elements.ts';
import { Film } from '../../../lib/view/inspector/film.ts';
import { readTape } from '../../../marbles/index.ts';
import { read } from '../../guards/support/project.ts';

function shown(film: Film, line: number | undefined) {
  const parts = { about: { textContent: '' }, json: { textContent: '' } };
  showDetails(((id: keyof typeof parts) => parts[id]) as unknown as Elements, film, line);
  return { about: parts.about.textContent, json: parts.json.textContent };
}

const film = new Film();
film.reset('', readTape(read('docs/diagrams/troubles.jsonl')));

describe('showDetails', () => {
  it('says what an event is, when and where it came, and all that is in it', () => {
    const { about, json } = shown(film, 0);
    expect(about).toBe('run-start. Event 1 of 22, at 0 ms, lane model.');
    expect(JSON.parse(json)).toEqual({ type: 'run-start', runId: 'run1' });
  });

  it('says what was withdrawn', () => {
    expect(shown(film, film.chart.marks.findIndex(({ label }) => label.includes('text'))).about).toMatch(/^0 text "It ", withdrawn\. /);
  });

  it('says that nothing is chosen', () => {
    expect([shown(film, undefined), shown(film, 999)]).toEqual(Array(2).fill({ about: 'No event is chosen.', json: '' }));
  });

  it('shows an error of the run, and cuts what is too long for a screen', () => {
    const long = new Film();
    long.reset('');
    long.push({ at: 5, error: { code: 'a', message: 'x'.repeat(60_000), retryable: false } });
    const { about, json } = shown(long, 0);
    expect(about.length).toBeLessThan(400);
    expect([json.length < 51_000, json.endsWith('save the tape to see all of them)')]).toEqual([true, true]);
  });
});
