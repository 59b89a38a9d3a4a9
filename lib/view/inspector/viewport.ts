import type { Moment } from '../../../marbles/chart-lane.ts';

/** `even`: every event has room. `time`: to scale. */
export type Axis = 'even' | 'time';

const LIMITS = { even: [0.002, 6], time: [0.00002, 20] } as const;
/** Free room beyond the first and the last event. */
const PAD = 40;

/**
 * Which part of a chart is on the screen: maps moments to pixels, and back.
 *
 * @internal
 */
export class Viewport {
  axis: Axis = 'even';
  width = 0;
  height = 0;
  /** Room for names, at the left of the screen. */
  margin = 0;
  /** The end stays on the screen when it grows. */
  isFollowing = true;
  /** First visible pixel of the lanes, from above. */
  top = 0;
  private left = 0;
  private readonly scales = { even: 1, time: 0.2 };

  get scale(): number {
    return this.scales[this.axis];
  }

  /** Where a moment is on the screen. */
  xOf(moment: Moment): number {
    return this.margin + PAD + this.worldOf(moment) - this.left;
  }

  /** Which units of the axis, pixels of the even one or milliseconds, are at a place of the screen. */
  unitAt(x: number): number {
    return (x - this.margin - PAD + this.left) / this.scale;
  }

  /** @param factor - above 1 comes closer */
  zoom(factor: number, x: number, end: Moment): void {
    const unit = this.unitAt(x);
    const [least, most] = LIMITS[this.axis];
    this.scales[this.axis] = Math.min(most, Math.max(least, this.scale * factor));
    this.left += unit * this.scale - (x - this.margin - PAD + this.left);
    this.clamp(end);
  }

  pan(x: number, y: number, end: Moment, lanesHeight: number): void {
    this.left += x;
    this.top = Math.min(Math.max(0, this.top + y), Math.max(0, lanesHeight - this.height));
    this.clamp(end);
    this.isFollowing = this.left >= this.most(end) - 1;
  }

  /** All of it on one screen, but never larger than at its own size. */
  showAll(end: Moment): void {
    const [least, most] = LIMITS[this.axis];
    const room = Math.max(50, this.width - this.margin - 2 * PAD);
    const all = Math.max(1, this.unitOf(end));
    this.scales[this.axis] = Math.min(this.axis === 'even' ? 1 : most, Math.max(least, room / all));
    this.left = 0;
    this.isFollowing = true;
    this.clamp(end);
  }

  /** Brings the end into view where it is to stay there. */
  follow(end: Moment): void {
    if (this.isFollowing) this.left = this.most(end);
  }

  /** Brings a moment, and a stretch from `y` on, into view. */
  reveal(moment: Moment, y: number, laneHeight: number): void {
    const x = this.xOf(moment);
    const [least, most] = [this.margin + PAD, this.width - PAD];
    if (x < least || x > most) {
      this.left += x - (least + most) / 2;
      this.left = Math.max(0, this.left);
      this.isFollowing = false;
    }
    if (y < this.top) this.top = y;
    else if (y + laneHeight > this.top + this.height) this.top = y + laneHeight - this.height;
  }

  private unitOf(moment: Moment): number {
    return this.axis === 'even' ? moment.x : moment.at;
  }

  private worldOf(moment: Moment): number {
    return this.unitOf(moment) * this.scale;
  }

  private clamp(end: Moment): void {
    this.left = Math.min(Math.max(0, this.left), this.most(end));
  }

  private most(end: Moment): number {
    return Math.max(0, this.worldOf(end) + 2 * PAD - (this.width - this.margin));
  }
}
