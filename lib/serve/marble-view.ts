import { defer, filter, map, materialize } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import { resultText } from '../index.ts';
import type { LoopEvent } from '../index.ts';
import { eventLetters, labeller, onLane } from '../../marbles/index.ts';
import { oneLine } from './one-line.ts';

export interface MarbleViewOptions {
  /** Whether the growing line can be erased and drawn anew; without that it is written once, when it is full or over. */
  readonly redraw: boolean;
  /** Width of the screen, characters. */
  readonly columns: number;
  /** Milliseconds. */
  readonly now: () => number;
}

/**
 * A run drawn as a marble line while it happens, with the letters of the marble kit; a letter is explained above the
 * line when it first appears. It completes however the run ends.
 *
 * ```text
 * t = 0 text
 * c = 0 call add {"a":1,"b":2}
 * y = 0 end tool-use
 * 1 = 0 result add 3
 * T = 1 text
 * Z = 1 end stop
 * L = done answer
 * -t--c-(y1) 3.2s T-T-(ZL|)
 * ```
 *
 * Events of one millisecond stand together in parentheses. Each started tenth of a second before an event is a dash; a
 * gap of a second or more is written out, such as ` 3.2s `. The line ends in `|`, in `#` when the run failed, in `!`
 * when it was left.
 *
 * @internal
 */
export function marbleView(options: MarbleViewOptions): OperatorFunction<LoopEvent, string> {
  return (run$) =>
    defer(() => {
      const drawing = new Drawing(options);
      return run$.pipe(
        materialize(),
        map((input) => (input.kind === 'N' ? drawing.show(input.value) : drawing.close(input.kind === 'E'))),
        filter((text) => text !== ''),
      );
    });
}

const ERASE_LINE = '\r\u001b[K';
const MAX_VALUE = 60;
const DASH_MS = 100;
const LONG_GAP_MS = 1_000;
/** Stands for every event for which the alphabet has no letter left. */
const NO_LETTER = '?';

class Drawing {
  private readonly options: MarbleViewOptions;
  private readonly label = labeller();
  private readonly letters = new Map<string, string>();
  private readonly free = [...eventLetters.free];
  /** The part of the line that is not on a finished row. */
  private row = '';
  /** Letters of the last drawn millisecond: the group that the next event may still join. */
  private group = '';
  private last: number;
  private done = false;

  constructor(options: MarbleViewOptions) {
    this.options = options;
    this.last = options.now();
  }

  show(event: LoopEvent): string {
    // The labeller wants to see every event, also those that are not drawn.
    const { short, letter } = this.label(event);
    this.done = event.type === 'done';
    if (!onLane('story', event)) return '';
    const known = this.letters.get(short);
    const chosen = known ?? letter ?? this.free.shift() ?? NO_LETTER;
    const isNew = known === undefined && ![...this.letters.values()].includes(chosen);
    this.letters.set(short, chosen);
    const meaning = chosen === NO_LETTER ? 'an event for which no letter is left' : `${short}${detail(event)}`;
    return this.draw(chosen, isNew ? `${chosen} = ${oneLine(meaning, this.options.columns - 4)}\n` : '');
  }

  close(failed: boolean): string {
    return `${this.draw(failed ? '#' : this.done ? '|' : '!', '')}${this.options.redraw ? '' : this.line()}\n`;
  }

  private draw(letter: string, legend: string): string {
    const gap = Math.round(this.options.now() - this.last);
    this.last += gap;
    if (gap > 0) {
      this.row = this.line() + dashes(gap);
      this.group = letter;
    } else this.group += letter;
    const full = this.line().length >= this.options.columns - 1 ? this.finishRow() : '';
    return this.options.redraw ? `${ERASE_LINE}${legend}${full}${this.line()}` : legend + full;
  }

  private line(): string {
    return this.row + ([...this.group].length > 1 ? `(${this.group})` : this.group);
  }

  /** What does not fit goes on in the next row. */
  private finishRow(): string {
    const finished = this.row;
    this.row = '';
    return finished === '' ? '' : `${finished}\n`;
  }
}

function dashes(gap: number): string {
  if (gap >= LONG_GAP_MS) return ` ${(gap / 1_000).toFixed(1)}s `;
  return '-'.repeat(Math.ceil(gap / DASH_MS));
}

function detail(event: LoopEvent): string {
  switch (event.type) {
    case 'delta':
      return event.delta.type === 'tool-call-end' ? ` ${oneLine(event.delta.call.arguments, MAX_VALUE)}` : '';
    case 'tool-result':
      return ` ${oneLine(resultText(event.result.content, ' '), MAX_VALUE)}`;
    case 'retry':
      return ` ${oneLine(event.reason, MAX_VALUE)}`;
    default:
      return '';
  }
}
