import { asapScheduler, catchError, concatMap, defer, EMPTY, exhaustMap, finalize, ignoreElements, Observable, of, switchMap, tap } from 'rxjs';
import type { Subscriber, Subscription } from 'rxjs';
import { errorInfo, isLoopError } from '../errors.ts';
import { userMessage } from '../index.ts';
import type { ApprovalAnswer, Done, LoopEvent, LoopState, Message, UserMessage } from '../index.ts';
import { errorAsDone } from '../projections/error-as-done.ts';
import { foldState } from '../projections/fold-state.ts';
import { historyOf } from '../projections/history-of.ts';
import { initialState } from '../projections/initial-state.ts';
import { StoreBoard } from './store-board.ts';
import { StoreDesk } from './store-desk.ts';
import type { StoreControls } from './store-desk.ts';
import type { LoopStoreOptions } from './store-options.ts';

const STRATEGIES = { switch: switchMap, concat: concatMap, exhaust: exhaustMap } as const;

/** A run that is to begin. */
interface Ask {
  readonly prompt?: UserMessage;
  /** Those of one round are dropped together. */
  readonly round: number;
  readonly make: (controls: StoreControls) => Observable<LoopEvent>;
}

/** The run that is going. */
interface Going {
  readonly desk: StoreDesk;
  /** Known from its first event on. */
  runId?: string;
  isCancelled?: true;
}

/**
 * The runs of a store, one after another: what they come to, and what is said to the one that goes on.
 *
 * @internal
 */
export class StoreRuns {
  private readonly options: LoopStoreOptions;
  private readonly board: StoreBoard;
  private messages: readonly Message[];
  /** What `messages` looks like: where a run that leaves no trace takes the screen back to. */
  private base: LoopState;
  private state: LoopState;
  private prompts = 0;
  private round = 0;
  private asks: Subscriber<Ask> | undefined;
  private playing: Subscription | undefined;
  private going: Going | undefined;

  constructor(options: LoopStoreOptions) {
    this.options = options;
    this.messages = options.messages ?? [];
    this.base = initialState(this.messages);
    this.state = this.base;
    this.board = new StoreBoard(this.base, options.updates ?? { frame: true }, (error) => this.fault(error));
  }

  readonly subscribe = (listener: (state: LoopState) => void): (() => void) => {
    const remove = this.board.add(listener);
    return () => {
      remove();
      // A view that is drawn anew leaves and comes back in one tick.
      if (this.options.cancelOnLeave === true) asapScheduler.schedule(() => void (this.board.readerCount === 0 && this.dispose()));
    };
  };

  readonly getSnapshot = (): LoopState => this.board.shown;

  readonly getServerSnapshot = (): LoopState => this.board.first;

  readonly getMessages = (): readonly Message[] => this.messages;

  readonly run = (said: string | UserMessage): boolean => {
    const prompt = typeof said === 'string' ? userMessage(said) : said;
    return this.ask({ prompt, round: this.round, make: (controls) => this.options.run({ ...controls, messages: this.messages, prompt }) });
  };

  readonly watch = (run: Observable<LoopEvent> | ((controls: StoreControls) => Observable<LoopEvent>)): boolean =>
    this.ask({ round: this.round, make: (controls) => (typeof run === 'function' ? run(controls) : run) });

  readonly steer = (message: string | UserMessage): boolean => {
    const { going, options } = this;
    if (going === undefined) return false;
    if (options.control === undefined) return going.desk.steer(message);
    return going.runId !== undefined && this.send(options.control(going.runId).steer(message));
  };

  readonly answer = (answers: Readonly<Record<string, ApprovalAnswer>>): boolean => {
    const { going, state, options } = this;
    if (options.control === undefined) return going?.desk.answer(answers) ?? false;
    // Also those of a run that was suspended: it goes on where it is.
    const ids = Object.keys(answers);
    if (ids.length === 0 || !ids.every((id) => state.requests.some((one) => one.id === id))) return false;
    return this.send(options.control(state.runId).answer(answers));
  };

  readonly cancel = ({ hard = false }: { readonly hard?: boolean } = {}): boolean => {
    const { going, options } = this;
    this.round += 1;
    if (going === undefined) return false;
    const isHard = hard || going.isCancelled === true;
    going.isCancelled = true;
    const far = going.runId === undefined ? undefined : options.control?.(going.runId);
    if (far !== undefined) this.send(far.cancel({ hard: isHard }));
    if (isHard || (far === undefined && !going.desk.abort())) this.dispose();
    return true;
  };

  readonly dispose = (): void => {
    this.round += 1;
    this.playing?.unsubscribe();
    this.playing = undefined;
    this.board.flush();
  };

  private ask(ask: Ask): boolean {
    const { strategy = 'switch' } = this.options;
    if (strategy === 'exhaust' && this.going !== undefined) return false;
    const asks$ = new Observable<Ask>((subscriber) => void (this.asks = subscriber));
    this.playing ??= asks$.pipe(STRATEGIES[strategy]((one) => this.play(one))).subscribe();
    this.asks?.next(ask);
    return true;
  }

  /** One run from its prompt to its end. It never fails. */
  private play({ prompt, round, make }: Ask): Observable<never> {
    return defer(() => {
      if (round !== this.round) return EMPTY;
      const going: Going = { desk: new StoreDesk() };
      let isKept = false;
      this.going = going;
      this.show(prompt === undefined ? this.base : this.asked(this.base, prompt));
      return defer(() => make(going.desk.controls)).pipe(
        errorAsDone(),
        tap((event) => {
          const state = foldState(this.state, event);
          if (event.parent === undefined) going.runId = event.runId;
          if (event.parent === undefined && event.type === 'done') {
            isKept = true;
            this.base = state;
            // Who is told of the state asks for these too.
            this.messages = historyOf(event.outcome);
          }
          this.show(state);
        }),
        catchError((error: unknown) => {
          isKept = true;
          this.show(foldState(this.state, this.failed(error)));
          return EMPTY;
        }),
        finalize(() => {
          this.going = undefined;
          if (!isKept) this.show(this.base);
        }),
        ignoreElements(),
      );
    });
  }

  /** The prompt is on show before the run says anything; on a server that may take a while. */
  private asked(state: LoopState, { content }: UserMessage): LoopState {
    const started = foldState(state, { type: 'run-start', runId: '' });
    const id = `prompt.${this.prompts++}`;
    return { ...started, messages: [...started.messages, { id, role: 'user', state: 'committed', blocks: content }] };
  }

  /** Of a failure that does not say what its run had come to. */
  private failed(error: unknown): Done {
    // What the screen is not told, the programmer is.
    if (!isLoopError(error) || error.code === 'config') this.fault(error);
    const { runId, usage = {} } = this.state;
    return { type: 'done', runId, outcome: { reason: 'error', completion: { text: '', toolCalls: [] }, messages: this.messages, steps: [], usage, error: errorInfo(error) } };
  }

  private show(state: LoopState): void {
    this.state = state;
    this.board.put(state);
  }

  private send(said$: Observable<void>): true {
    said$.subscribe({ error: (error: unknown) => this.fault(error) });
    return true;
  }

  /** RxJS reports what a handler throws, and goes on. */
  private fault(error: unknown): void {
    of(error).subscribe(this.options.onFault ?? thrown);
  }
}

function thrown(error: unknown): never {
  throw error;
}
