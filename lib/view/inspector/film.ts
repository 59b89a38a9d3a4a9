import { Chart } from '../../../marbles/chart.ts';
import type { Tape, TapeHeader, TapeLine } from '../../../marbles/index.ts';

/**
 * A tape that grows, and as much of its chart as is to be seen: while it is held, what comes is kept and not shown.
 *
 * @internal
 */
export class Film {
  chart = new Chart({ lanes: 'tool' });
  isHeld = false;
  private header: Partial<TapeHeader> = {};
  private startedAt = '';
  private lines: TapeLine[] = [];
  private shownLines = 0;

  /** Begins anew; a tape is shown whole. @param startedAt - ISO 8601 */
  reset(startedAt: string, tape?: Tape): void {
    this.startedAt = startedAt;
    this.header = tape?.header ?? {};
    this.lines = [...(tape?.lines ?? [])];
    this.isHeld = false;
    this.rewind();
    this.showAll();
  }

  push(line: TapeLine): void {
    this.lines.push(line);
    if (!this.isHeld) this.show();
  }

  hold(): void {
    this.isHeld = true;
  }

  go(): void {
    this.isHeld = false;
    this.showAll();
  }

  toggle(): void {
    if (this.isHeld) this.go();
    else this.hold();
  }

  /** Shows one more, and holds. False where there is none. */
  step(): boolean {
    this.isHeld = true;
    if (this.shownLines === this.lines.length) return false;
    this.show();
    return true;
  }

  /** Nothing is shown any more, as before the first event. */
  toStart(): void {
    this.isHeld = true;
    this.rewind();
  }

  get shown(): number {
    return this.shownLines;
  }

  get length(): number {
    return this.lines.length;
  }

  /** The run has said its last word. */
  get isOver(): boolean {
    const last = this.lines.at(-1);
    return last !== undefined && ('error' in last || (last.event.type === 'done' && last.event.parent === undefined));
  }

  lineAt(index: number): TapeLine | undefined {
    return this.lines[index];
  }

  /** All of it, also what is not shown. Model and tools are those that the run has named, where it was not loaded. */
  get tape(): Tape {
    const { startedAt, lines } = this;
    const events = lines.flatMap((line) => ('event' in line ? [line.event] : []));
    const first = events.find((event) => event.type === 'step-start');
    const tools = new Set(events.flatMap((event) => (event.type === 'tool-call' && event.parent === undefined ? [event.call.name] : [])));
    return { header: { tape: 1, startedAt, model: first?.model ?? 'unknown', tools: [...tools], ...this.header }, lines };
  }

  private rewind(): void {
    this.chart = new Chart({ lanes: 'tool' });
    this.shownLines = 0;
  }

  private showAll(): void {
    while (this.shownLines < this.lines.length) this.show();
  }

  private show(): void {
    const line = this.lines[this.shownLines];
    if (line === undefined) return;
    this.chart.add(line);
    this.shownLines += 1;
  }
}
