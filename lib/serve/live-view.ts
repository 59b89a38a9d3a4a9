import { styleText } from 'node:util';
import { defer, EMPTY, filter, interval, map, materialize, merge, takeWhile } from 'rxjs';
import type { OperatorFunction, SchedulerLike } from 'rxjs';
import { resultText } from '../index.ts';
import type { Delta, LoopEvent } from '../index.ts';
import { duration } from './duration.ts';
import { oneLine } from './one-line.ts';
import { printable } from './printable.ts';
import { usageLine } from './usage-line.ts';

export interface LiveViewOptions {
  readonly colours: boolean;
  /** Whether to draw a spinner while waiting; it needs a terminal that can erase a line. */
  readonly spinner: boolean;
  /** Width of the screen, characters. */
  readonly columns: number;
  /** Milliseconds. */
  readonly now: () => number;
  /** Times the spinner. Default: the one of `interval`. */
  readonly scheduler?: SchedulerLike;
}

/**
 * A run as text for people, piece by piece: words as they come, reasoning apart from them, a line for each call, its
 * result and each retry, and the usage at the end. It completes however the run ends; a failure is the command's to tell.
 *
 * @internal
 */
export function liveView(options: LiveViewOptions): OperatorFunction<LoopEvent, string> {
  return (run$) =>
    defer(() => {
      const page = new Page(options);
      const ticks$ = options.spinner ? interval(SPINNER_MS, options.scheduler) : EMPTY;
      return merge(run$.pipe(materialize()), ticks$).pipe(
        takeWhile((input) => typeof input === 'number' || input.kind === 'N', true),
        map((input) => (typeof input === 'number' ? page.spin(input) : input.kind === 'N' ? page.show(input.value) : page.close())),
        filter((text) => text !== ''),
      );
    });
}

/** Quiet shorter than this needs no spinner; twelve turns a second look like movement. */
const SPINNER_MS = 80;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const ERASE_LINE = '\r\u001b[K';
/** Arguments and results are shown to be recognised, not to be read whole: `--json` has all of them. */
const MAX_VALUE = 300;

type Style = 'dim' | 'cyan' | 'green' | 'red' | 'yellow';

/** What has been written, as far as the next piece depends on it. */
class Page {
  private readonly options: LiveViewOptions;
  private readonly startedAt: number;
  private readonly started = new Set<string>();
  /** The block whose text stands in the open line; undefined at the beginning of a line. */
  private open: string | undefined;
  /** The block that spoke last: its prefix is said once, however many lines it has. */
  private last: string | undefined;
  private waitingFor: string | undefined;
  private spinning = false;

  constructor(options: LiveViewOptions) {
    this.options = options;
    this.startedAt = options.now();
  }

  show(event: LoopEvent): string {
    return this.stopSpinning() + this.say(event);
  }

  spin(turn: number): string {
    if (this.waitingFor === undefined || this.open !== undefined) return '';
    this.spinning = true;
    const text = oneLine(`${FRAMES[turn % FRAMES.length]} ${this.waitingFor}`, this.options.columns - 1);
    return ERASE_LINE + this.style('dim', text);
  }

  close(): string {
    return this.stopSpinning() + this.freshLine();
  }

  private say(event: LoopEvent): string {
    switch (event.type) {
      case 'step-start':
        this.waitingFor = `waiting for ${event.model}`;
        return '';
      case 'delta':
        return this.sayDelta(event.delta);
      case 'retry':
        this.waitingFor = 'waiting to try again';
        return this.line('yellow', `↻ retry ${event.count} of ${event.max} in ${duration(event.delayMs)}: ${oneLine(event.reason, MAX_VALUE)}`);
      case 'fallback':
        this.waitingFor = `waiting for ${event.to}`;
        return this.line('yellow', `↷ ${event.from} failed, going on with ${event.to}: ${oneLine(event.reason, MAX_VALUE)}`);
      case 'step-retract':
        return this.line('yellow', `⨯ what was said in this step is withdrawn: ${oneLine(event.reason, MAX_VALUE)}`);
      case 'correction':
        return this.line('yellow', `↻ the model is told that its response failed (${event.count} of ${event.max}): ${oneLine(event.reason, MAX_VALUE)}`);
      case 'status':
        return event.text === '' ? '' : this.line('dim', `· ${oneLine(event.text, MAX_VALUE)}`);
      case 'step-end':
        this.waitingFor = undefined;
        return this.freshLine();
      case 'tool-start':
        this.started.add(event.callId);
        this.waitingFor = `running ${event.call.name}`;
        return this.line('cyan', `→ ${oneLine(event.call.name, MAX_VALUE)} ${oneLine(event.call.arguments, MAX_VALUE)}`);
      case 'tool-progress':
        return this.line('dim', `  ${oneLine(event.progress, MAX_VALUE)}`);
      case 'tool-result':
        return this.sayResult(event);
      case 'done':
        return this.line('dim', `${usageLine(event.outcome)}, ${duration(this.options.now() - this.startedAt)}`);
      default:
        return '';
    }
  }

  private sayDelta(delta: Delta): string {
    switch (delta.type) {
      case 'text':
        return this.flow(delta.block, delta.text, '');
      case 'refusal':
        return this.flow(delta.block, delta.text, 'refused: ', 'yellow');
      case 'reasoning':
        return this.flow(delta.block, delta.text, 'thinking: ', 'dim');
      case 'reasoning-replace':
        return this.freshLine() + this.flow('', delta.text, 'thinking: ', 'dim');
      case 'tool-call-start':
        this.waitingFor = `waiting for the call of ${delta.name}`;
        return this.freshLine();
      default:
        return '';
    }
  }

  private sayResult(event: Extract<LoopEvent, { type: 'tool-result' }>): string {
    const { call, result } = event;
    // A call that was refused never started: its arguments were not shown yet, and they are the reason.
    const asked = this.started.has(event.callId)
      ? ''
      : this.line('cyan', `→ ${oneLine(call.name, MAX_VALUE)} ${oneLine(call.rawArguments ?? call.arguments, MAX_VALUE)}`);
    this.waitingFor = undefined;
    const said = oneLine(resultText(result.content, ' '), MAX_VALUE);
    const text = result.isError ? `failed (${result.error?.kind ?? 'other'}): ${said}` : said;
    return asked + this.line(result.isError ? 'red' : 'green', `← ${oneLine(call.name, MAX_VALUE)} ${text} (${duration(event.elapsedMs)})`);
  }

  /** Goes on with the line of the same block, else begins one. */
  private flow(block: string, text: string, prefix: string, style?: Style): string {
    const words = printable(text);
    if (words === '') return '';
    this.waitingFor = undefined;
    const key = `${prefix}${block}`;
    const begun = this.open === key ? '' : this.freshLine() + (this.last === key ? '' : prefix);
    this.last = key;
    this.open = words.endsWith('\n') ? undefined : key;
    return style === undefined ? begun + words : this.style(style, begun + words);
  }

  private line(style: Style, text: string): string {
    this.last = undefined;
    return `${this.freshLine()}${this.style(style, text)}\n`;
  }

  private freshLine(): string {
    const broken = this.open === undefined ? '' : '\n';
    this.open = undefined;
    return broken;
  }

  private stopSpinning(): string {
    const erased = this.spinning ? ERASE_LINE : '';
    this.spinning = false;
    return erased;
  }

  private style(style: Style, text: string): string {
    return this.options.colours ? styleText(style, text, { validateStream: false }) : text;
  }
}
