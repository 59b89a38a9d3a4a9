import { computed, DestroyRef, ErrorHandler, inject, PendingTasks, PLATFORM_ID, signal, untracked } from '@angular/core';
import type { Signal } from '@angular/core';
import { defer, finalize, Observable, tap } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { ConfigError } from '../index.ts';
import type { ApprovalAnswer, ApprovalRequest, ErrorInfo, LoopEvent, LoopState, LoopStatus, Message, MessageState, UserMessage } from '../index.ts';
import { errorAsDone } from '../projections/error-as-done.ts';
import { TOOL_LOOP } from './angular-settings.ts';
import { createLoopStore } from './store.ts';

export interface InjectToolLoopOptions {
  /** The conversation before the first prompt, such as a `history()` that was kept. Default: none. */
  readonly messages?: readonly Message[];
}

/** A conversation in a view. No function needs `this`. */
export interface ToolLoopRef {
  /**
   * Begins a run, whose prompt is in `messages` from then on.
   *
   * @returns false where nothing began: refused by `exhaust`, on a server that renders, or after the end of the view
   */
  readonly run: (prompt: string | UserMessage) => boolean;
  /**
   * Goes on watching a run on a server, such as one that was there before the page was loaded anew: all of its events come.
   * It takes its turn as a prompt does.
   *
   * @returns false where nothing began, as of `run`
   * @throws ConfigError where runs are in the page itself
   */
  readonly watch: (runId: string) => boolean;
  /**
   * Ends the run softly, so that what was said is kept, and drops the prompts that wait; the second time, or with `hard`, at
   * once, and then the run leaves no trace.
   *
   * @returns false where there is no run
   */
  readonly cancel: (options?: { readonly hard?: boolean }) => boolean;
  /**
   * Says something into the run, which reads it before its next model call.
   *
   * @returns false where no run hears it
   */
  readonly steer: (message: string | UserMessage) => boolean;
  /**
   * Answers an open request by its id, or several at once: then all of them, or none where one is not open (any more).
   *
   * @returns false where none was given
   */
  readonly answer: {
    (requestId: string, answer: ApprovalAnswer): boolean;
    (answers: Readonly<Record<string, ApprovalAnswer>>): boolean;
  };
  /**
   * The events of all runs from now on, at once and unmerged. It does not start a run, never fails (a failed run ends with `done`
   * and reason `error`; one that does not tell what it came to is in `error` alone), and completes with the view.
   */
  readonly events$: Observable<LoopEvent>;
  /** Everything that a screen shows. What did not change is the same object as before; so it is with all of these signals. */
  readonly state: Signal<LoopState>;
  /** What the model has said last in the run, while it says it; in the end the text of its answer. */
  readonly text: Signal<string>;
  /** The conversation so far with that of the run that is going. */
  readonly messages: Signal<readonly MessageState[]>;
  readonly status: Signal<LoopStatus>;
  /** Why the last run failed, masked. */
  readonly error: Signal<ErrorInfo | undefined>;
  /** Requests that wait for `answer`. */
  readonly pending: Signal<readonly ApprovalRequest[]>;
  /** What the next run will be given; changes with the end of each run. */
  readonly history: Signal<readonly Message[]>;
}

/**
 * A conversation for a component, a directive or a service: to prompt, and to show as signals. Each call makes a new one; a
 * service shares one among components.
 *
 * Contract:
 * - starts: nothing before `run` or `watch`; and nothing while a server renders, unless `withServerRendering()` is provided.
 * - leaves: with the injection context that it was made in. A run in the page is cancelled then; one on a server goes on unless
 *   `withCancelOnDestroy()` is provided.
 * - fails: never. The error of a run is in `error`, and what was said is kept. Angular's `ErrorHandler` hears what no screen shows: a wrong
 *   option, a word that did not reach a run on a server.
 * - order: one run at a time. Signals change at most once a frame, all together; the end of a run is no exception.
 *
 * @throws ConfigError where nothing was provided
 * @see {@link provideToolLoop}
 * @public
 */
export function injectToolLoop({ messages = [] }: InjectToolLoopOptions = {}): ToolLoopRef {
  const settings = inject(TOOL_LOOP, { optional: true });
  if (settings === null) throw new ConfigError('injectToolLoop: nothing is provided; add provideToolLoop(...) to the providers of the application or of a route.');
  const { strategy = 'switch', updates = { frame: true } } = settings;
  const isOnServer = onServer();
  const tasks = isOnServer ? inject(PendingTasks) : undefined;
  const errors = inject(ErrorHandler, { optional: true });
  const audience = new Set<Subscriber<LoopEvent>>();
  let isOver = isOnServer && settings.onServer !== true;
  /** The run that is left to be watched anew, in the same tick. */
  let again: string | undefined;

  const runs = settings.source.open({ cancels: (runId) => runId !== again && (!isOver || settings.cancelOnDestroy === true) });
  /** Everybody hears of an event before the signals change. */
  const told = (make: () => Observable<LoopEvent>): Observable<LoopEvent> =>
    defer(() => {
      const end = tasks?.add();
      return defer(make).pipe(
        errorAsDone(),
        tap((event) => [...audience].forEach((one) => one.next(event))),
        finalize(() => end?.()),
      );
    });
  const store = createLoopStore({
    run: (run) => told(() => runs.run(run)),
    messages,
    strategy,
    updates: isOnServer ? 'none' : updates,
    ...(runs.control && { control: runs.control }),
    ...(errors && { onFault: (error: unknown) => errors.handleError(error) }),
  });

  const state = signal(store.getSnapshot());
  const history = signal(store.getMessages());
  store.subscribe((next) => {
    state.set(next);
    history.set(store.getMessages());
  });
  inject(DestroyRef).onDestroy(() => {
    isOver = true;
    store.dispose();
    for (const one of [...audience]) one.complete();
  });

  return {
    run: (prompt) => !isOver && untracked(() => store.run(prompt)),
    watch: (runId) => {
      const { watch } = runs;
      if (watch === undefined) throw new ConfigError('watch: the runs of this application are in the page itself; to find one again, give provideRemoteLoop({ url }).');
      again = runId;
      const isTaken = !isOver && untracked(() => store.watch(told(() => watch(runId))));
      again = undefined;
      return isTaken;
    },
    cancel: (options) => untracked(() => store.cancel(options)),
    steer: (message) => untracked(() => store.steer(message)),
    answer: (given: string | Readonly<Record<string, ApprovalAnswer>>, one?: ApprovalAnswer) =>
      untracked(() => store.answer(typeof given === 'string' ? { [given]: one as ApprovalAnswer } : given)),
    events$: new Observable((subscriber) => {
      if (isOver) return subscriber.complete();
      audience.add(subscriber);
      return () => audience.delete(subscriber);
    }),
    state: state.asReadonly(),
    text: computed(() => textOf(state())),
    messages: computed(() => state().messages),
    status: computed(() => state().status),
    error: computed(() => state().error),
    pending: computed(() => state().requests),
    history: history.asReadonly(),
  };
}

/** Those who render on a server say so; elsewhere there is a document to render into. */
function onServer(): boolean {
  const platform = inject(PLATFORM_ID, { optional: true });
  return platform === 'server' || (platform !== 'browser' && !('document' in globalThis));
}

/** Of the last message of the run that has words in it. */
function textOf({ runId, messages }: LoopState): string {
  const isSaid = ({ id, step, attempt }: MessageState): boolean => id === `${runId}.${step}.${attempt}`;
  const said = messages.filter(isSaid).map(({ blocks }) => blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''));
  return said.findLast((text) => text !== '') ?? '';
}
