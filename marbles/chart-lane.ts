import type { Tone } from './glyph.ts';

/** A moment on a chart. */
export interface Moment {
  /** Milliseconds since the run's start. */
  readonly at: number;
  /** Where events stand apart: see `stride`. */
  readonly x: number;
}

/** A stretch of a lane. */
export interface ChartSpan {
  /**
   * - `attempt`: of a model, from `step-start` to its end or withdrawal
   * - `call`: a tool's body runs
   * - `wait`: somebody is asked
   * - `pause`: before a retry
   */
  readonly kind: 'attempt' | 'call' | 'wait' | 'pause';
  readonly label: string;
  readonly from: Moment;
  /** Absent while it goes on. */
  to?: Moment;
  /** What happened in it is taken back. */
  isWithdrawn: boolean;
}

/** An event on its lane. */
export interface ChartMark extends Moment {
  /** Of the line in the tape, from 0. */
  readonly line: number;
  readonly letter: string;
  readonly tone: Tone;
  readonly size: 'marble' | 'stroke' | 'dot';
  readonly meaning: string;
  /** As the kit's labeller names the event. */
  readonly label: string;
  /** The attempt or call that it is a part of. */
  readonly part: ChartSpan | undefined;
  /** It goes on with what the mark before it on its lane has said. */
  readonly isMore: boolean;
}

/** One line of a chart: a model's, or that of a tool's calls. Lanes below a call or a run are nested in it. */
export class ChartLane {
  readonly kind: 'model' | 'tool';
  readonly name: string;
  readonly depth: number;
  readonly above: ChartLane | undefined;
  readonly below: ChartLane[] = [];
  readonly marks: ChartMark[] = [];
  /** Those of the marks that have a letter of their own: no dots, and of each stroke its first piece. */
  readonly marbles: ChartMark[] = [];
  /** Those of the marks that nobody must overlook. */
  readonly alarms: ChartMark[] = [];
  readonly spans: ChartSpan[] = [];
  /** What the name alone does not say: the arguments of its call, the model. */
  detail: string;
  /** A call or a run is at work on it. */
  isBusy = true;
  from: Moment;
  /** How its last run or call ended; absent while it goes on, or where it was left. */
  end?: Moment & { readonly kind: 'done' | 'error' };

  constructor(kind: 'model' | 'tool', name: string, detail: string, from: Moment, above?: ChartLane) {
    this.kind = kind;
    this.name = name;
    this.detail = detail;
    this.from = from;
    this.above = above;
    this.depth = above === undefined ? 0 : above.depth + 1;
    above?.below.push(this);
  }

  /** The lane and all below it, from top to bottom. */
  *all(): Generator<ChartLane> {
    yield this;
    for (const lane of this.below) yield* lane.all();
  }
}
