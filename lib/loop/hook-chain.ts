import { catchError, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { firstAnswer, isAwaited } from '../answer.ts';
import { HookError } from '../control-errors.ts';
import { errorText } from '../errors.ts';
import type { Status } from '../event.ts';
import { inOrder } from '../fold/in-order.ts';
import type { HookContext, Hooks, StopAnswer } from '../hooks.ts';
import type { Answer } from '../tool.ts';
import type { Run, RunState } from './run-state.ts';

/** The hooks that decide something; the other fields of {@link Hooks} are about them. */
export type HookName = 'beforeRequest' | 'onDelta' | 'afterStep' | 'invalidCall' | 'beforeTool' | 'afterTool';

/** One question to the hooks of a run. */
export interface Chain<State, Said> {
  readonly hook: HookName;
  readonly ask: (hooks: Hooks, state: State) => Answer<Said | undefined | void>;
  /** The state after an answer; not called for an empty one. */
  readonly fold: (state: State, said: Said, hooks: Hooks) => State;
  /** No further hook is asked. */
  readonly isOver?: (state: State) => boolean;
}

/** Whether any hook of the run decides this. */
export function hasHook({ hooks }: Pick<Run, 'hooks'>, name: HookName): boolean {
  return hooks.some((one) => one[name] !== undefined);
}

export function hookContext({ runId, scratch }: Run, { step, attempt }: Pick<RunState, 'step' | 'attempt'>): HookContext {
  return { runId, step, attempt, scratch };
}

/**
 * Asks the hooks in the order of their registration, each with what the ones before it made of the state.
 *
 * Contract:
 * - leaves: the hook that is awaited.
 * - fails: with a {@link HookError} that names the hook; the fault of one that only observes is said once, as `status`.
 *
 * @returns a plain value, unless a hook answers later
 * @internal
 */
export function askHooks<State, Said>(run: Run, chain: Chain<State, Said>, start: State, from = 0): State | Observable<State> {
  const { hooks } = run;
  let state = start;
  for (let at = from; at < hooks.length; at++) {
    const one = hooks[at] as Hooks;
    if (one[chain.hook] === undefined || chain.isOver?.(state) === true) continue;
    let said: Answer<Said | undefined | void>;
    try {
      said = chain.ask(one, state);
    } catch (error) {
      faulty(run, chain.hook, one, at, error);
      continue;
    }
    if (isAwaited(said)) {
      const [awaited, before] = [said, state];
      return firstAnswer<Said | undefined | void>(() => awaited).pipe(
        catchError((error: unknown) => caught(() => faulty(run, chain.hook, one, at, error))),
        inOrder((value) => askHooks(run, chain, folded(chain, before, value, one), at + 1)),
      );
    }
    state = folded(chain, state, said as Said | undefined, one);
  }
  return state;
}

function folded<State, Said>({ fold }: Chain<State, Said>, state: State, said: Said | undefined | void, one: Hooks): State {
  return said === undefined || said === null || one.observe === true ? state : fold(state, said as Said, one);
}

function caught(act: () => void): Observable<undefined> {
  try {
    act();
    return of(undefined);
  } catch (error) {
    return throwError(() => error);
  }
}

/** Throws, unless the hook only observes. */
function faulty(run: Run, hook: HookName, one: Hooks, at: number, error: unknown): void {
  const text = `${nameOf(one, at)} failed in ${hook}: ${errorText(error)}`;
  if (one.observe !== true) throw new HookError(text, { cause: error });
  if (run.faulty.has(one)) return;
  run.faulty.add(one);
  run.aside.add(of({ type: 'status', runId: run.runId, text } satisfies Status));
}

function nameOf(one: Hooks, at: number): string {
  return one.name === undefined ? `Hook ${at}` : `Hook "${one.name}"`;
}

/** An answer that a hook may not give. */
export function wrongAnswer(hook: HookName, what: string): HookError {
  return new HookError(`An answer of ${hook} ${what}.`);
}

export function unknownAnswer(hook: HookName, said: unknown): HookError {
  return wrongAnswer(hook, `has the type ${JSON.stringify((said as { readonly type?: unknown }).type)}`);
}

/** A text that an answer must have. */
export function textIn<Key extends string>(hook: HookName, said: Readonly<Record<Key, string>>, key: Key): string {
  const text: unknown = said[key];
  if (typeof text !== 'string') throw wrongAnswer(hook, `needs a text as its ${key}`);
  return text;
}

/** Ends the run where it is, as a hook or an answer wants it. */
export function halt(run: Run, { reason }: Pick<StopAnswer, 'reason'>, at: { readonly callId?: string; readonly index?: number } = {}): void {
  run.stops?.set({ reason: 'stopped', text: reason ?? '', ...at });
}
