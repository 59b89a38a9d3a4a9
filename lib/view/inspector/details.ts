import type { TapeLine } from '../../../marbles/index.ts';
import type { Elements } from './elements.ts';
import type { Film } from './film.ts';
import { moment } from './ticks.ts';

const MOST = 50_000;

/**
 * Shows an event of the film in words and as JSON.
 *
 * @internal
 */
export function showDetails(element: Elements, film: Film, line: number | undefined): void {
  const [mark, lane, said] = line === undefined ? [] : [film.chart.marks[line], film.chart.laneOf[line], film.lineAt(line)];
  if (mark === undefined || lane === undefined || said === undefined || line === undefined) {
    element('about').textContent = 'No event is chosen.';
    element('json').textContent = '';
    return;
  }
  const withdrawn = mark.part?.isWithdrawn === true ? ', withdrawn' : '';
  element('about').textContent = `${mark.label.slice(0, 300)}${withdrawn}. Event ${line + 1} of ${film.length}, at ${moment(mark.at)}, lane ${lane.name}.`;
  element('json').textContent = jsonOf(said);
}

function jsonOf(line: TapeLine): string {
  const text = JSON.stringify('event' in line ? line.event : line.error, undefined, 2);
  return text.length <= MOST ? text : `${text.slice(0, MOST)}\n… (${text.length} characters: save the tape to see all of them)`;
}
