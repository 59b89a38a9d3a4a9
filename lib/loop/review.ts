import { catchError, isObservable, map, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { inOrder } from '../fold/in-order.ts';
import type { Step } from '../fold/step.ts';
import type { StepAnswer, StepView } from '../hooks.ts';
import { askHooks, hasHook, hookContext, unknownAnswer, wrongAnswer } from './hook-chain.ts';
import { checkOutput } from './output.ts';
import type { OutputVerdict } from './output.ts';
import { modelOf } from './run-state.ts';
import type { Run, RunState } from './run-state.ts';
import { saidText } from './said-text.ts';

/** What is said of a model call that ended well, before the table decides. */
export interface Review {
  readonly verdict?: Exclude<StepAnswer, { readonly type: 'continue' }>;
  readonly output?: OutputVerdict;
  /** Whoever was asked has failed. */
  readonly failed?: { readonly error: unknown };
}

export const NO_REVIEW: Review = {};

const OPINIONS: ReadonlySet<string> = new Set<StepAnswer['type']>(['retract', 'correct', 'stop']);

/** Whether `afterStep` hooks may withdraw a step, so that its `finish` is not shown before they have spoken. */
export function holdsFinish(run: Run): boolean {
  return hasHook(run, 'afterStep');
}

/**
 * Asks the `afterStep` hooks, and, where they have no opinion, whether the step is the output that was asked for.
 *
 * Contract:
 * - leaves: the hook, or the schema, that is awaited.
 * - fails: never. `failed` has the `HookError`, also for a hook that would withdraw a step with calls, or what the schema
 *   threw.
 *
 * @returns a plain value, unless something answers later
 * @internal
 */
export function review(run: Run, state: RunState, step: Step): Review | Observable<Review> {
  if (step.finish === undefined) return NO_REVIEW;
  try {
    const asked = askAfterStep(run, state, step);
    const said = isObservable(asked) ? asked.pipe(inOrder((verdict) => judged(state, step, verdict))) : judged(state, step, asked);
    return isObservable(said) ? said.pipe(catchError((error: unknown) => of({ failed: { error } }))) : said;
  } catch (error) {
    return { failed: { error } };
  }
}

function askAfterStep(run: Run, state: RunState, step: Step): Review['verdict'] | Observable<Review['verdict']> {
  if (!hasHook(run, 'afterStep')) return undefined;
  const view = viewOf(run, state, step);
  const context = hookContext(run, state);
  const asked = askHooks<Review['verdict'], StepAnswer>(
    run,
    {
      hook: 'afterStep',
      ask: (hooks) => hooks.afterStep?.(view, context),
      fold: (verdict, said) => {
        if (said.type === 'continue') return verdict;
        if (!OPINIONS.has(said.type)) throw unknownAnswer('afterStep', said);
        if (said.type === 'correct' && typeof said.message !== 'string' && said.message?.role !== 'user') throw wrongAnswer('afterStep', 'corrects without a message; give a text or a user message');
        return said;
      },
      isOver: (verdict) => verdict !== undefined,
    },
    undefined,
  );
  const check = (verdict: Review['verdict']): Review['verdict'] => {
    if (verdict?.type === 'retract' && step.calls.length > 0) throw wrongAnswer('afterStep', 'withdraws a step that has tool calls; answer "correct" instead');
    return verdict;
  };
  return isObservable(asked) ? asked.pipe(map(check)) : check(asked);
}

function judged({ checker }: RunState, step: Step, verdict: Review['verdict']): Review | Observable<Review> {
  if (verdict !== undefined) return { verdict };
  const output = checker === undefined ? undefined : checkOutput(checker, step);
  if (output === undefined) return NO_REVIEW;
  return isObservable(output) ? output.pipe(map((said) => ({ output: said }))) : { output };
}

function viewOf(run: Run, state: RunState, { parts, calls, finish, usage }: Step): StepView {
  const { reason = 'other', rawFinish, model = modelOf(run, state).id, ids } = finish ?? {};
  return {
    content: parts,
    text: saidText(parts),
    calls,
    finish: reason,
    model,
    ...(rawFinish !== undefined && { rawFinish }),
    ...(usage !== undefined && { usage }),
    ...(ids !== undefined && { ids }),
  };
}
