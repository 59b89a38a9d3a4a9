import { ChartLane } from './chart-lane.ts';
import type { ChartMark, ChartSpan, Moment } from './chart-lane.ts';
import { glyphOf } from './glyph.ts';
import { labeller } from './label.ts';
import { stride } from './stride.ts';
import type { TapeLine } from './tape.ts';
import type { LoopEvent } from '../lib/index.ts';

export interface ChartOptions {
  /** A lane for each call, or one for each tool whose calls come one after another. */
  readonly lanes: 'call' | 'tool';
}

interface Call {
  readonly lane: ChartLane;
  /** Among the calls of its step. */
  readonly place: number;
  body?: ChartSpan;
  readonly waits: Map<string, ChartSpan>;
}

interface Run {
  readonly lane: ChartLane;
  readonly calls: Map<string, Call>;
  places: number;
  attempt?: ChartSpan;
  pause?: ChartSpan;
}

/**
 * A run as lanes with marks and spans: what a marble diagram of it has to draw. It takes a tape line by line, so that it
 * can grow while the run goes on; a line costs the same however many there are.
 *
 * @internal
 */
export class Chart {
  /** In order of the tape. */
  readonly marks: ChartMark[] = [];
  readonly laneOf: ChartLane[] = [];
  readonly counts = { steps: 0, calls: 0, failedCalls: 0, retries: 0, withdrawn: 0, corrections: 0, requests: 0, nested: 0 };
  /** How the run ended; absent while it goes on, or where it was left. */
  ending: string | undefined;
  private readonly options: ChartOptions;
  private readonly read = labeller();
  private readonly runs = new Map<string, Run>();
  private readonly roots: ChartLane[] = [];
  private listed: ChartLane[] | undefined;
  private now: Moment = { at: 0, x: 0 };

  constructor(options: ChartOptions) {
    this.options = options;
  }

  /** From top to bottom. */
  get lanes(): readonly ChartLane[] {
    return (this.listed ??= this.roots.flatMap((lane) => [...lane.all()]));
  }

  /** Of the last line. */
  get end(): Moment {
    return this.now;
  }

  add(line: TapeLine): void {
    if ('error' in line) return this.fail(line.at, line.error.code, line.error.message);
    const { event } = line;
    const run = this.runOf(event, line.at);
    const call = 'callId' in event ? this.callOf(run, event, line.at) : undefined;
    const lane = call?.lane ?? run.lane;
    const glyph = glyphOf(event, call?.place ?? 0);
    const before = lane.marks.at(-1);
    const isMore = glyph.size === 'stroke' && before?.size === 'stroke' && before.tone === glyph.tone && before.part === this.partOf(run, call);
    this.move(line.at, isMore ? 'stroke' : glyph.size === 'dot' ? 'dot' : 'marble');
    const part = this.change(event, run, call) ?? this.partOf(run, call);
    const { label } = this.read(event);
    const { letter, tone, size, meaning } = glyph;
    // Field by field: spreading costs several times as much, and there is one for each event.
    this.put(lane, { at: this.now.at, x: this.now.x, line: this.marks.length, letter, tone, size, meaning, label, part, isMore: isMore && part === before?.part });
  }

  private put(lane: ChartLane, mark: ChartMark): void {
    lane.marks.push(mark);
    if (mark.letter !== '' && !mark.isMore) lane.marbles.push(mark);
    if (mark.letter !== '' && (mark.tone === 'error' || mark.tone === 'trouble')) lane.alarms.push(mark);
    this.marks.push(mark);
    this.laneOf.push(lane);
  }

  private move(at: number, size: 'marble' | 'stroke' | 'dot'): void {
    const isFirst = this.marks.length === 0;
    this.now = { at, x: isFirst ? 0 : this.now.x + stride(size, Math.max(0, at - this.now.at)) };
  }

  private partOf(run: Run, call: Call | undefined): ChartSpan | undefined {
    return call === undefined ? run.attempt : call.body;
  }

  /** What an event begins and ends; the span that it is a part of, where that is another one than before. */
  private change(event: LoopEvent, run: Run, call: Call | undefined): ChartSpan | undefined {
    const { counts, now } = this;
    close(run, 'pause', now);
    switch (event.type) {
      case 'step-start': {
        if (event.attempt === 1 && event.parent === undefined) counts.steps += 1;
        run.places = 0;
        if (run.lane.detail === '') run.lane.detail = event.model;
        run.attempt = this.begin(run.lane, 'attempt', `step ${event.step}${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}`);
        return undefined;
      }
      case 'retry':
        counts.retries += 1;
        run.pause = this.begin(run.lane, 'pause', `${event.delayMs} ms`);
        return undefined;
      case 'step-end':
        return close(run, 'attempt', now);
      case 'step-retract': {
        counts.withdrawn += 1;
        if (run.attempt !== undefined) run.attempt.isWithdrawn = true;
        for (const id of event.callIds) this.withdraw(run.calls.get(id));
        close(run, 'attempt', now);
        return undefined;
      }
      case 'correction':
        counts.corrections += 1;
        return undefined;
      case 'approval-request':
        counts.requests += 1;
        if (call !== undefined) call.waits.set(event.id, this.begin(call.lane, 'wait', event.kind));
        return undefined;
      case 'approval-answer': {
        const wait = call?.waits.get(event.id);
        if (wait !== undefined) wait.to = now;
        return undefined;
      }
      case 'tool-start':
        if (call !== undefined) call.body ??= this.begin(call.lane, 'call', event.call.name);
        return call?.body;
      case 'tool-result':
        counts.calls += 1;
        if (event.result.isError === true) counts.failedCalls += 1;
        return this.settle(call);
      case 'tool-dropped': {
        const body = this.settle(call);
        if (event.reason !== 'late' && body !== undefined) body.isWithdrawn = true;
        return body;
      }
      case 'done':
        if (event.parent === undefined) this.ending = event.outcome.reason;
        this.over(run, 'done');
        return undefined;
      default:
        return undefined;
    }
  }

  private begin(lane: ChartLane, kind: ChartSpan['kind'], label: string): ChartSpan {
    const span: ChartSpan = { kind, label, from: this.now, isWithdrawn: false };
    lane.spans.push(span);
    return span;
  }

  private settle(call: Call | undefined): ChartSpan | undefined {
    if (call === undefined) return undefined;
    if (call.body !== undefined) call.body.to ??= this.now;
    for (const wait of call.waits.values()) wait.to ??= this.now;
    call.lane.isBusy = false;
    for (const lane of call.lane.below) lane.isBusy = false;
    return call.body;
  }

  private withdraw(call: Call | undefined): void {
    if (call?.body !== undefined) call.body.isWithdrawn = true;
  }

  /** A run has ended: nothing in it goes on. */
  private over(run: Run, kind: 'done' | 'error'): void {
    for (const name of ['attempt', 'pause'] as const) close(run, name, this.now);
    for (const call of run.calls.values()) this.settle(call);
    run.calls.clear();
    run.lane.isBusy = false;
    run.lane.end = { ...this.now, kind };
  }

  private fail(at: number, code: string, message: string): void {
    this.move(at, 'marble');
    this.ending = `error ${code}`;
    const [first] = this.runs.values();
    const lane = first?.lane ?? this.newLane('model', 'model', '', undefined);
    for (const run of this.runs.values()) if (run.lane.end === undefined || run === first) this.over(run, 'error');
    lane.end = { ...this.now, kind: 'error' };
    this.put(lane, { ...this.now, line: this.marks.length, letter: '', tone: 'error', size: 'dot', meaning: `error: ${code}`, label: `error ${code} ${JSON.stringify(message)}`, part: undefined, isMore: false });
  }

  private runOf(event: LoopEvent, at: number): Run {
    const known = this.runs.get(event.runId);
    if (known !== undefined) return known;
    const above = event.parent && this.runs.get(event.parent.runId)?.calls.get(event.parent.callId)?.lane;
    if (event.parent !== undefined) this.counts.nested += 1;
    const free = above?.below.find((lane) => lane.kind === 'model' && !lane.isBusy);
    const lane = free ?? this.newLane('model', 'model', '', above, at);
    lane.isBusy = true;
    delete lane.end;
    const run: Run = { lane, calls: new Map(), places: 0 };
    this.runs.set(event.runId, run);
    return run;
  }

  private callOf(run: Run, event: Extract<LoopEvent, { readonly callId: string }>, at: number): Call {
    const known = run.calls.get(event.callId);
    if (known !== undefined) return known;
    const name = 'call' in event ? event.call.name : '?';
    const free = this.options.lanes === 'tool' ? run.lane.below.find((lane) => lane.kind === 'tool' && lane.name === name && !lane.isBusy) : undefined;
    const given = 'call' in event ? (JSON.stringify(event.call.arguments) ?? '') : '';
    const lane = free ?? this.newLane('tool', name, this.options.lanes === 'tool' ? '' : given, run.lane, at);
    lane.isBusy = true;
    const call: Call = { lane, place: run.places, waits: new Map() };
    run.places += 1;
    run.calls.set(event.callId, call);
    return call;
  }

  private newLane(kind: ChartLane['kind'], name: string, detail: string, above: ChartLane | undefined, at = this.now.at): ChartLane {
    const lane = new ChartLane(kind, name, detail, { at, x: this.marks.length === 0 ? 0 : this.now.x }, above);
    if (above === undefined) this.roots.push(lane);
    this.listed = undefined;
    return lane;
  }
}

function close(run: Run, name: 'attempt' | 'pause', now: Moment): ChartSpan | undefined {
  const span = run[name];
  delete run[name];
  if (span !== undefined) span.to ??= now;
  return span;
}
