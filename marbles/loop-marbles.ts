import type { Observable, SchedulerLike, Subscription } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import type { RunHelpers } from 'rxjs/testing';
import { ModelError, ToolError } from '../lib/index.ts';
import type { Delta, Ids, LoopEvent } from '../lib/index.ts';
import type { DeltaLetters } from './alphabet.ts';
import type { Mark } from './draw.ts';
import { eventExpectation } from './expect-events.ts';
import type { EventExpectation, Said, Stage } from './expect-events.ts';
import { compareSubscriptions } from './expect-subscriptions.ts';
import type { Subscribed, SubscriptionFrames } from './expect-subscriptions.ts';
import { fakeTool } from './fake-tool.ts';
import type { FakeTool, FakeToolOptions } from './fake-tool.ts';
import { labeller } from './label.ts';
import type { Lane } from './lanes.ts';
import { script } from './script.ts';
import type { ScriptModel } from './script.ts';
import { turnDeltas } from './turn-deltas.ts';
import { verifyEvents } from './verify-events.ts';

/** A test framework, as far as the kit needs one. */
export interface Binding {
  /** Throws if the two differ; used by `expectValues`. */
  assertDeepEqual(actual: unknown, expected: unknown): void;
  /** Fails the test with a drawing. Default: throws an Error with it. */
  fail?(message: string): void;
}

/** A model's turn: cold, and it knows when it was subscribed. */
export type Turn = Observable<Delta> & Subscribed;
export type DrawnTool = FakeTool & Subscribed;

export interface DrawnToolOptions extends FakeToolOptions {
  /** Letter to value; a letter that is not here stands for itself. */
  readonly letters?: Readonly<Record<string, unknown>>;
  /** What `#` stands for. Default: a {@link ToolError} of kind `other`. */
  readonly error?: unknown;
}

export interface LoopMarbles {
  /** A model's turn. `#` is, unless `error` is given, a stream that broke: a retryable {@link ModelError}. */
  turn(diagram: string, letters?: DeltaLetters, error?: unknown): Turn;
  /** A tool that answers each call with this diagram: its last letter is the output, those before are progress. */
  tool(diagram: string, options?: DrawnToolOptions): DrawnTool;
  /** A model that answers call n with turn n; a diagram is drawn with {@link LoopMarbles.turn}. */
  script(...turns: readonly (Observable<Delta> | string)[]): ScriptModel;
  /** Subscribes to a run (`unsubscription` as in RxJS, such as `---!`) and checks it with `verifyEvents()`. */
  expectEvents(run$: Observable<LoopEvent>, unsubscription?: string | null, options?: { readonly lane?: Lane }): EventExpectation;
  expectSubscriptions(of: Subscribed | readonly SubscriptionFrames[]): { toBe(diagrams: string | readonly string[]): void };
  /** RxJS's `expectObservable`, for anything that is not a run: compared with the framework's deep equality. */
  readonly expectValues: RunHelpers['expectObservable'];
  readonly cold: RunHelpers['cold'];
  readonly hot: RunHelpers['hot'];
  readonly time: RunHelpers['time'];
  /** Counted ids: `run1`, `call1`, `block1`. */
  readonly ids: Ids;
  /** The virtual clock. A run finds it by itself, because its default scheduler is virtual here. */
  readonly scheduler: SchedulerLike;
}

/**
 * A test function whose body draws runs as marble diagrams in virtual time.
 *
 * Contract:
 * - starts: the body runs when the test function is called, synchronously; then all virtual time passes; then the
 *   expectations are checked and every one that fails is drawn.
 * - fails: by `binding.fail`, or by what the body throws. A body that returns a promise is refused: promises do not live
 *   in virtual time.
 *
 * @param binding - the test framework; see `docs/testing.md` for three of them
 */
export function loopMarbles(body: (marbles: LoopMarbles) => void, binding: Binding): () => void {
  return () => {
    const checks: (() => string | undefined)[] = [];
    const scheduler = new TestScheduler((actual, expected) => binding.assertDeepEqual(actual, expected));
    scheduler.run((helpers) => {
      const answer: unknown = body(marblesOf(scheduler, helpers, checks));
      if (answer instanceof Promise) throw new Error('loopMarbles(): the body returned a promise. Promises do not live in virtual time: test them outside the diagram.');
    });
    const failures = checks.map((check) => check()).filter((failure) => failure !== undefined);
    if (failures.length > 0) (binding.fail ?? fail)(failures.join('\n\n'));
  };
}

function fail(message: string): never {
  throw new Error(message);
}

function marblesOf(scheduler: TestScheduler, helpers: RunHelpers, checks: (() => string | undefined)[]): LoopMarbles {
  const stage: Stage = { parse, afterwards: (check) => checks.push(check) };
  let turns = 0;

  const turn: LoopMarbles['turn'] = (diagram, letters = {}, error = broken()) => {
    const turn$ = helpers.cold<Delta>(diagram, undefined, error);
    const drawn = turn$.messages.splice(0);
    const names = drawn.flatMap(({ notification }) => (notification.kind === 'N' ? [String(notification.value)] : []));
    const deltas = [...turnDeltas(names, turns++, letters)];
    for (const message of drawn) {
      if (message.notification.kind !== 'N') turn$.messages.push(message);
      else for (const value of deltas.shift() ?? []) turn$.messages.push({ ...message, notification: { ...message.notification, value } });
    }
    return turn$;
  };

  return {
    turn,
    tool(diagram, { letters, error = new ToolError('other', 'The tool failed.'), ...options } = {}) {
      const answer$ = helpers.cold<unknown>(diagram, undefined, error);
      for (const [index, message] of answer$.messages.entries()) {
        const { notification } = message;
        if (notification.kind !== 'N' || letters === undefined || !Object.hasOwn(letters, String(notification.value))) continue;
        answer$.messages[index] = { ...message, notification: { ...notification, value: letters[String(notification.value)] } };
      }
      return Object.assign(fakeTool(answer$, options), { subscriptions: answer$.subscriptions });
    },
    script: (...drawn) => script(...drawn.map((one) => (typeof one === 'string' ? turn(one) : one))),
    expectEvents(run$, unsubscription = null, { lane = 'story' } = {}) {
      const said: Said[] = [];
      record(scheduler, run$, unsubscription, said);
      return demanding(eventExpectation(said, lane, stage), stage);
    },
    expectSubscriptions: (of) => ({
      toBe(diagrams) {
        const expected = [diagrams].flat().map((one) => TestScheduler.parseMarblesAsSubscriptions(one, true));
        const actual = 'subscriptions' in of ? of.subscriptions : of;
        stage.afterwards(() => compareSubscriptions(expected.filter((one) => one.subscribedFrame !== Infinity), actual));
      },
    }),
    expectValues: helpers.expectObservable,
    cold: helpers.cold,
    hot: helpers.hot,
    time: helpers.time,
    ids: countedIds(),
    scheduler,
  };
}

function record(scheduler: TestScheduler, run$: Observable<LoopEvent>, unsubscription: string | null, said: Said[]): void {
  const { subscribedFrame, unsubscribedFrame } = TestScheduler.parseMarblesAsSubscriptions(unsubscription, true);
  let subscription: Subscription | undefined;
  scheduler.schedule(() => {
    const read = labeller();
    subscription = run$.pipe(verifyEvents()).subscribe({
      next: (event) => said.push({ frame: scheduler.frame, event, label: read(event) }),
      error: (error: unknown) => said.push({ frame: scheduler.frame, error }),
      complete: () => said.push({ frame: scheduler.frame, complete: true }),
    });
  }, subscribedFrame === Infinity ? 0 : subscribedFrame);
  if (unsubscribedFrame !== Infinity) scheduler.schedule(() => subscription?.unsubscribe(), unsubscribedFrame);
}

/** An expectation that draws nothing would always hold. */
function demanding(expectation: EventExpectation, stage: Stage): EventExpectation {
  let drawn = false;
  stage.afterwards(() => (drawn ? undefined : 'expectEvents(): nothing was drawn. Add toBe(diagram).'));
  return {
    ...expectation,
    toBe(diagram, letters, error) {
      drawn = true;
      return expectation.toBe(diagram, letters, error);
    },
  };
}

function parse(diagram: string): readonly Mark[] {
  return TestScheduler.parseMarbles(diagram, undefined, undefined, false, true).map(({ frame, notification }) => ({
    frame,
    letter: notification.kind === 'N' ? String(notification.value) : notification.kind === 'C' ? '|' : '#',
  }));
}

function broken(): ModelError {
  return new ModelError('model-transport', 'The stream broke.', { retryable: true });
}

function countedIds(): Ids {
  const counts = { run: 0, call: 0, block: 0, request: 0 };
  return (kind) => `${kind}${++counts[kind]}`;
}
