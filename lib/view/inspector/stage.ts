import { palette } from '../../../marbles/palette.ts';
import { actionOfKey } from './action-of-key.ts';
import { showDetails } from './details.ts';
import type { Elements } from './elements.ts';
import type { Film } from './film.ts';
import type { Gesture } from './gestures.ts';
import { LANE, markAt } from './layout.ts';
import { neighbour } from './neighbour.ts';
import { paint, RULER } from './painter.ts';
import { moment } from './ticks.ts';
import { Viewport } from './viewport.ts';

const ZOOM = 1.4;
const PAN = 120;

/**
 * The diagram of a film on the page: what is visible of it, what is chosen, and what pointers and keys do to it.
 *
 * @internal
 */
export class Stage {
  readonly viewport = new Viewport();
  /** The line in the tape of the event that is chosen. */
  selected: number | undefined;
  private readonly element: Elements;
  private readonly film: Film;
  private readonly isDark: () => boolean;

  constructor(element: Elements, film: Film, isDark: () => boolean) {
    this.element = element;
    this.film = film;
    this.isDark = isDark;
  }

  /** Another film begins. */
  reset(): void {
    this.viewport.top = 0;
    this.measure();
    this.viewport.showAll(this.film.chart.end);
    this.choose(undefined);
  }

  choose(line: number | undefined): void {
    this.selected = line;
    showDetails(this.element, this.film, line);
    if (line === undefined) return;
    const lane = this.film.chart.laneOf[line];
    const mark = this.film.chart.marks[line];
    if (lane !== undefined && mark !== undefined) this.viewport.reveal(mark, this.film.chart.lanes.indexOf(lane) * LANE, LANE);
  }

  /** First, last, and so on of all events. */
  walk(way: 'first' | 'previous' | 'next' | 'last'): void {
    const { selected, film } = this;
    const last = film.chart.marks.length - 1;
    if (last < 0) return;
    const to = { first: 0, last, previous: (selected ?? last + 1) - 1, next: (selected ?? -1) + 1 }[way];
    this.choose(Math.min(last, Math.max(0, to)));
  }

  /** Shows one event more, and chooses it. */
  step(): void {
    if (this.film.step()) this.choose(this.film.shown - 1);
  }

  gesture(gesture: Gesture): void {
    const { viewport, film } = this;
    const { end, lanes } = film.chart;
    switch (gesture.type) {
      case 'pan':
        return viewport.pan(gesture.x, gesture.y, end, lanes.length * LANE);
      case 'zoom':
        viewport.isFollowing = false;
        return viewport.zoom(gesture.factor, gesture.x, end);
      case 'press':
        return this.choose(markAt(film.chart, viewport, gesture.x, gesture.y)?.line);
      case 'move':
        return this.hint(gesture.x, gesture.y);
      case 'leave':
        this.element('hint').hidden = true;
    }
  }

  /** False for a key that does nothing here. */
  key(event: KeyboardEvent): boolean {
    const action = actionOfKey(event);
    const { viewport, film, selected } = this;
    switch (action) {
      case undefined:
        return false;
      case 'first':
      case 'last':
        this.walk(action);
        return true;
      case 'previous':
      case 'next':
      case 'lane-above':
      case 'lane-below':
        if (selected === undefined) this.walk(action === 'next' ? 'first' : 'last');
        else this.choose(neighbour(film.chart, selected, action));
        return true;
      case 'left':
      case 'right':
        viewport.pan(action === 'left' ? -PAN : PAN, 0, film.chart.end, film.chart.lanes.length * LANE);
        return true;
      case 'hold':
        film.toggle();
        return true;
      case 'step':
        this.step();
        return true;
      default:
        this.zoom(action);
        return true;
    }
  }

  zoom(way: 'closer' | 'farther' | 'fit'): void {
    const { viewport, film } = this;
    if (way === 'fit') return viewport.showAll(film.chart.end);
    // Around what is chosen, where that is on the screen.
    const chosen = this.selected === undefined ? undefined : film.chart.marks[this.selected];
    const x = chosen === undefined ? NaN : viewport.xOf(chosen);
    const isVisible = x > viewport.margin && x < viewport.width;
    viewport.isFollowing = false;
    viewport.zoom(way === 'closer' ? ZOOM : 1 / ZOOM, isVisible ? x : (viewport.margin + viewport.width) / 2, film.chart.end);
  }

  draw(): void {
    const canvas = this.element('canvas');
    const ratio = this.measure();
    const pen = canvas.getContext('2d', { alpha: false });
    if (pen === null) return;
    this.viewport.follow(this.film.chart.end);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const drawn = paint(pen, this.film.chart, this.viewport, this.isDark() ? palette.dark : palette.light, this.selected);
    Object.assign(canvas.dataset, { drawn: String(drawn), shown: String(this.film.shown), lanes: String(this.film.chart.lanes.length) });
  }

  private hint(x: number, y: number): void {
    const mark = markAt(this.film.chart, this.viewport, x, y);
    const hint = this.element('hint');
    hint.hidden = mark === undefined;
    if (mark === undefined) return;
    hint.textContent = `${mark.label.slice(0, 200)} at ${moment(mark.at)}`;
    hint.style.left = `${Math.max(4, Math.min(x + 12, this.viewport.width - 180))}px`;
    hint.style.top = `${Math.max(4, y < 60 ? y + 20 : y - 40)}px`;
    showDetails(this.element, this.film, this.selected ?? mark.line);
  }

  /** The canvas has as many pixels as the screen has for it. */
  private measure(): number {
    const canvas = this.element('canvas');
    const ratio = canvas.ownerDocument.defaultView?.devicePixelRatio ?? 1;
    const { clientWidth, clientHeight } = canvas;
    const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    this.viewport.width = clientWidth;
    this.viewport.height = Math.max(0, clientHeight - RULER);
    this.viewport.margin = clientWidth < 560 ? 84 : 140;
    return ratio;
  }
}
