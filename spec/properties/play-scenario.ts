import { EMPTY, map, merge, NEVER, Observable, of, Subject, takeUntil, tap, timer } from 'rxjs';
import { toolLoop } from '../../lib/index.ts';
import type { Delta, LoopEvent, Message, Model, ModelRequest, Tool, ToolContext, ToolLoopOptions, Usage } from '../../lib/index.ts';
import { fakeTool, finish, text, verifyEvents } from '../../marbles/index.ts';
import { nestedRun } from './nested-run.ts';
import { controlled } from './random-control.ts';
import { scheduleOf, TOOL_NAMES } from './random-scenario.ts';
import type { Leave, Scenario, TimedTurn, ToolName } from './random-scenario.ts';
import { answered, signed, spoken } from './speech.ts';
import { SteppedScheduler } from './stepped-scheduler.ts';

/** One exchange as its model saw it. */
export interface Exchange {
  readonly model: string;
  readonly startedAt: number;
  /** How many events the reader had by then. */
  readonly after: number;
  /** The run had been told to stop. */
  readonly afterStop: boolean;
  readonly messages: readonly Message[];
  readonly toolChoice: ModelRequest['toolChoice'];
  usage?: Usage;
  endedAt?: number;
  /** The error that the model gave. */
  failure?: unknown;
  /** It was still speaking when it was left. */
  left: boolean;
}

/** One body as its tool saw it. */
export interface Body {
  readonly name: ToolName;
  readonly callId: string;
  readonly args: unknown;
  readonly startedAt: number;
  readonly after: number;
  readonly afterStop: boolean;
}

/** What is open at a moment: exchanges, bodies, notifiers, and timers of the run. */
export interface Open {
  readonly models: number;
  readonly tools: readonly ToolName[];
  readonly notifiers: number;
  readonly timers: number;
  readonly listeners: number;
}

/** All that can be said of a run that was played. */
export interface Record {
  readonly events: LoopEvent[];
  /** The frame of each event. */
  readonly frames: number[];
  ending: 'none' | 'complete' | 'error';
  error: unknown;
  endedAt: number;
  readonly exchanges: Exchange[];
  readonly bodies: Body[];
  /** The bodies that were open together, for each body that started. */
  readonly together: (readonly ToolName[])[];
  /** What there was before anybody subscribed. */
  before: Open;
  /** Right after the run was torn down, however it ended. */
  after: Open | undefined;
  /** When it was told to stop: the frame, the events by then, and the bodies that were open. */
  stopped: { readonly at: number; readonly events: number; readonly tools: number } | undefined;
  /** The reader left of itself. */
  left: boolean;
  /** What was still open after all virtual time had passed and nobody had left. */
  hanging: Open | undefined;
  /** Exchanges and bodies at the ending. */
  atEnd: number;
}

const WINDOW = 100;

/**
 * Plays a scenario through all of its virtual time.
 *
 * @param hear - a further thing that the reader does at each event; it may throw
 */
export function playScenario(scenario: Scenario, hear: (event: LoopEvent) => void = () => undefined): Record {
  const { turns, models, tools, budget, leave, control } = scenario;
  const scheduler = new SteppedScheduler(() => record.ending !== 'none' && (record.after ??= look()));
  const open = { models: 0, tools: [] as ToolName[], notifiers: 0, own: 0, listeners: 0 };
  const look = (): Open => ({
    models: open.models, tools: [...open.tools], notifiers: open.notifiers, timers: scheduler.actions.length - open.own, listeners: open.listeners,
  });
  const record: Record = {
    events: [], frames: [], ending: 'none', error: undefined, endedAt: Infinity, exchanges: [], bodies: [], together: [],
    before: look(), after: undefined, stopped: undefined, left: false, hanging: undefined, atEnd: Infinity,
  };
  const later = (ms: number, act: () => void): void => {
    open.own += 1;
    scheduler.schedule(() => {
      open.own -= 1;
      act();
    }, ms);
  };

  const exchangeOf = (model: string, request: ModelRequest): Observable<Delta> =>
    new Observable((subscriber) => {
      const number = record.exchanges.length;
      const exchange: Exchange = {
        model, startedAt: scheduler.frame, after: record.events.length, afterStop: record.stopped !== undefined, messages: request.messages, toolChoice: request.toolChoice, left: true,
      };
      record.exchanges.push(exchange);
      open.models += 1;
      subscriber.add(() => {
        open.models -= 1;
        exchange.endedAt = scheduler.frame;
      });
      const turn = scenario.endless === true ? turns[number % turns.length] : turns[number];
      const end = (failure?: unknown): void => {
        exchange.left = false;
        if (failure !== undefined) exchange.failure = failure;
      };
      if (turn?.end === 'throws') {
        end(THROWN);
        throw THROWN;
      }
      spoken(turn ?? ANSWER, scheduler)
        .pipe(
          tap({
            next(delta) {
              if (delta.type === 'usage') exchange.usage = delta.usage;
              if (delta.type === 'error') end(delta.error);
            },
            error: end,
            complete: () => end(),
          }),
          map((delta) => (budget.repetition === undefined ? signed(delta, number) : delta)),
        )
        .subscribe(subscriber);
    });

  const modelOf = (id: string): Model => ({
    id, provider: 'random', capabilities: ['tools'], contextWindow: WINDOW, price: { input: 1, output: 2 },
    stream: (request) => exchangeOf(id, request),
  });

  const toolOf = (name: ToolName): Tool => {
    const spec = tools[name];
    const drawn = fakeTool(EMPTY, { name, parallelSafe: spec.parallelSafe, ...(spec.timeoutMs !== undefined && { timeoutMs: spec.timeoutMs }) });
    return {
      ...drawn,
      ...(control?.eager.includes(name) === true && { eager: true }),
      ...(control?.asks.includes(name) === true && { needsApproval: true }),
      run(args: never, context: ToolContext) {
        record.bodies.push({ name, callId: context.callId, args, startedAt: scheduler.frame, after: record.events.length, afterStop: record.stopped !== undefined });
        record.together.push([...open.tools, name]);
        if (spec.answer === 'throws') throw new Error('No.');
        return new Observable((subscriber) => {
          open.tools.push(name);
          subscriber.add(() => open.tools.splice(open.tools.indexOf(name), 1));
          const answer$ = control?.nested.includes(name) === true ? nestedRun(name, 2, scheduler)(args, context) : answered(spec, context, scheduler);
          answer$.subscribe(subscriber);
        });
      },
    };
  };

  const notifier = <T>(source: Observable<T>): Observable<T> =>
    new Observable((subscriber) => {
      open.notifiers += 1;
      subscriber.add(() => (open.notifiers -= 1));
      source.subscribe(subscriber);
    });

  const { abort$, abort } = stopOf(leave, open, notifier);
  const stop = (): void => {
    if (record.ending !== 'none') return;
    record.stopped ??= { at: scheduler.frame, events: record.events.length, tools: open.tools.length };
    abort();
  };
  let ids = 0;
  const saidAt = (times: readonly number[], kind: string): Observable<string> =>
    notifier(merge(...times.map((at, n) => (at === 0 ? of(`${kind} ${n}`) : timer(at, scheduler).pipe(map(() => `${kind} ${n}`)))), NEVER));
  const failing$ = scenario.steeringFails === undefined ? NEVER : timer(scenario.steeringFails, scheduler).pipe(map(() => {
    throw NOTIFIER;
  }));

  const run$ = toolLoop({
    model: Array.from({ length: models }, (_, n) => modelOf(`m${n}`)),
    prompt: 'go',
    tools: TOOL_NAMES.map(toolOf),
    policy: scenario.policy, retry: scenario.retry, timeouts: scenario.timeouts, budget,
    schedule: scheduleOf(scenario.schedule),
    ...(scenario.steering.length > 0 || scenario.steeringFails !== undefined ? { steering$: merge(saidAt(scenario.steering, 'steering'), notifier(failing$)) } : {}),
    ...(scenario.followUp.length > 0 && { followUp$: saidAt(scenario.followUp, 'followUp') }),
    ...(abort$ !== undefined && { abort$ }),
    ...(control !== undefined && controlled(control, scheduler)),
    scheduler, random: () => scenario.random, runId: 'run',
    ids: (kind) => `${kind}${++ids}`,
  });
  record.before = { ...look(), models: open.models + record.exchanges.length };

  const leaving$ = new Subject<void>();
  const leaveNow = (): void => {
    if (record.ending !== 'none') return;
    record.left = true;
    leaving$.next();
    record.after = look();
  };
  const ended = (ending: 'complete' | 'error'): void => {
    if (record.left) return;
    record.ending = ending;
    record.endedAt = scheduler.frame;
    record.atEnd = record.exchanges.length + record.bodies.length;
  };
  if (leave.how === 'soft' && leave.at === 'before') stop();
  if (leave.how === 'soft' && leave.at === 'frame') later(leave.n, stop);
  if (leave.how === 'hard' && leave.at === 'frame') later(leave.n, leaveNow);

  run$.pipe(verifyEvents(), takeUntil(leaving$)).subscribe({
    next(event) {
      record.events.push(event);
      record.frames.push(scheduler.frame);
      if (leave.how !== 'none' && leave.at === 'event' && record.events.length === leave.n + 1) {
        if (leave.how === 'hard') leaveNow();
        else stop();
      }
      hear(event);
    },
    error(error: unknown) {
      record.error = error;
      ended('error');
    },
    complete: () => ended('complete'),
  });
  if (record.ending !== 'none') record.after = look();
  scheduler.flush();
  if (record.ending === 'none' && !record.left) {
    record.hanging = look();
    leaveNow();
  }
  return record;
}

const THROWN = new Error('The model threw.');
/** What `steering$` fails with. */
export const NOTIFIER = new Error('The notifier failed.');
const ANSWER: TimedTurn = { said: [[0, text('over', 'last')], [0, finish('stop')]], end: 'complete' };

/** How the run is told to stop: `abort$`, and the function that fires it. */
function stopOf(
  leave: Leave,
  open: { listeners: number },
  notifier: <T>(source: Observable<T>) => Observable<T>,
): { abort$: ToolLoopOptions['abort$']; abort: () => void } {
  if (leave.how !== 'soft') return { abort$: undefined, abort: () => undefined };
  if (leave.via === 'observable') {
    const abort$ = new Subject<void>();
    if (leave.at === 'before') return { abort$: notifier(of(undefined)), abort: () => undefined };
    return { abort$: notifier(abort$), abort: () => abort$.next() };
  }
  const controller = new AbortController();
  const { signal } = controller;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)] as [typeof signal.addEventListener, typeof signal.removeEventListener];
  Object.assign(signal, {
    addEventListener(...given: Parameters<typeof add>) {
      open.listeners += 1;
      add(...given);
    },
    removeEventListener(...given: Parameters<typeof remove>) {
      open.listeners -= 1;
      remove(...given);
    },
  });
  return { abort$: signal, abort: () => controller.abort() };
}
