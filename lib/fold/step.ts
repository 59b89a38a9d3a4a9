import { EMPTY, isObservable, Observable } from 'rxjs';
import type { OperatorFunction, Subscription } from 'rxjs';
import { isShown } from '../delta.ts';
import type { Delta, DeltaOf } from '../delta.ts';
import { ModelError } from '../errors.ts';
import type { AssistantPart, ToolCall } from '../message.ts';
import { relay } from '../relay.ts';
import type { Usage } from '../usage.ts';
import type { Claims } from './claim-ids.ts';
import { completeCalls, draftParts, foldDelta, newDraft } from './fold-delta.ts';
import { inOrder } from './in-order.ts';

/** How one exchange with a model ended, and all that it said. */
export class Step {
  readonly parts: readonly AssistantPart[];
  /** The complete calls, by index. */
  readonly calls: readonly ToolCall[];
  /** A user has seen something of it. */
  readonly shown: boolean;
  readonly usage: Usage | undefined;
  /** Present on success alone. */
  readonly finish: DeltaOf<'finish'> | undefined;
  /** Present on failure alone. */
  readonly failure: { readonly error: unknown } | undefined;
  /** The run was told to stop while it streamed. */
  readonly stopped: boolean;
  /** The ids of its blocks and of its calls, the unfinished ones too. */
  readonly blocks: readonly string[];
  readonly callIds: readonly string[];

  constructor(said: Omit<Step, never>) {
    this.parts = said.parts;
    this.calls = said.calls;
    this.shown = said.shown;
    this.usage = said.usage;
    this.finish = said.finish;
    this.failure = said.failure;
    this.stopped = said.stopped;
    this.blocks = said.blocks;
    this.callIds = said.callIds;
  }
}

/** What may stand between a delta and its reader. */
export interface Screen {
  /**
   * Decides about a delta before it is shown: the delta to show, perhaps changed; one to keep without showing it; or
   * nothing, which drops it.
   */
  pass(delta: Delta): Screened | Observable<Screened>;
}

export interface Screened {
  readonly delta: Delta | undefined;
  /** Default: true. */
  readonly hidden?: boolean;
}

/** How a step is read. */
export interface StepOptions {
  /** Closes the step with what has been said so far, and leaves the model. */
  readonly stop$?: Observable<unknown> | undefined;
  readonly screen?: Screen | undefined;
  /** The `finish` is not forwarded: whoever reads the step says it, or not. */
  readonly holdFinish?: boolean | undefined;
}

/**
 * Forwards a model's deltas as they come and closes with the whole {@link Step}, in one subscription.
 *
 * ```marbles
 * deltas    -t-c-(y|)
 * step()    -t-c-(yS|)
 * ```
 *
 * Sharing the stream to both forward and collect it lets the decision overtake the deltas when a model is synchronous;
 * here the step can only come last.
 *
 * Contract:
 * - leaves: leaves the model in the same tick.
 * - fails: never. An error notification, an `error` delta, a stream without `finish`, a `finish` that contradicts the
 *   rest and a delta that cannot follow all end in a Step with `failure`.
 * - order: the model's own. `finish` is held until the model has completed, and shown only on success. `alive` is
 *   swallowed, and so is a second end of a call. Ids are replaced where they are empty or used before in this run.
 *
 * @param claims - the run's ids
 * @param model - the model's name, for error messages
 * @internal
 */
export function step(claims: Claims, model: string, { stop$, screen, holdFinish = false }: StepOptions = {}): OperatorFunction<Delta, Delta | Step> {
  return (deltas$) =>
    // Not `concat(…).pipe(catchError(…))`, which would say it shorter: that costs nine subscribers a step, this two.
    new Observable((subscriber) => {
      const draft = newDraft();
      const renamed = rename(claims);
      let shown = false;
      const blocks = new Set<string>();
      let stopping: Subscription | undefined;
      let speaking: Subscription | undefined;

      const take = (delta: Delta): Delta | Observable<Delta> => {
        if (delta.type === 'alive') return EMPTY;
        if (delta.type === 'error') throw delta.error;
        if (draft.finish !== undefined && (isShown(delta) || delta.type === 'finish')) {
          throw fault('model-protocol', `${model} sent "${delta.type}" after its finish.`);
        }
        if (delta.type === 'finish') {
          foldDelta(draft, delta);
          return EMPTY;
        }
        if (delta.type === 'tool-call-end' && draft.calls.get(delta.index)?.call !== undefined) return EMPTY;
        const own = renamed(delta);
        if (screen === undefined) return show(own);
        const passed = screen.pass(own);
        return isObservable(passed) ? passed.pipe(inOrder(admit)) : admit(passed);
      };
      const show = (own: Delta): Delta => {
        foldDelta(draft, own);
        shown ||= isShown(own);
        if ('block' in own && own.block !== undefined) blocks.add(own.block);
        return own;
      };
      const admit = ({ delta, hidden = false }: Screened): Delta | Observable<never> => {
        if (delta === undefined) return EMPTY;
        if (!hidden) return show(delta);
        foldDelta(draft, delta);
        return EMPTY;
      };

      const close = (failure?: Step['failure'], stopped = false): void => {
        // First: what the reader does with the step may stop the run, and a step closes once.
        stopping?.unsubscribe();
        speaking?.unsubscribe();
        const isBroken = stopped || failure !== undefined;
        subscriber.next(
          new Step({
            parts: draftParts(draft, isBroken),
            calls: completeCalls(draft),
            shown,
            usage: draft.usage,
            finish: isBroken ? undefined : draft.finish,
            failure,
            stopped,
            blocks: [...blocks],
            callIds: [...draft.calls.values()].map(({ id }) => id),
          }),
        );
        subscriber.complete();
      };

      if (stop$ !== undefined) {
        stopping = relay(stop$, subscriber, { next: () => close(undefined, true), complete: () => undefined });
        if (subscriber.closed) return;
      }
      speaking = relay(deltas$.pipe(inOrder(take)), subscriber, {
        next: (delta) => subscriber.next(delta),
        error: (error) => close({ error }),
        complete() {
          const fault = finishFault(draft.finish, draft.calls, model);
          if (fault !== undefined) return close({ error: fault });
          // What is delivered counts: a stop that answers to the finish comes too late for this step.
          stopping?.unsubscribe();
          if (draft.finish !== undefined && !holdFinish) subscriber.next(draft.finish);
          close();
        },
      });
    });
}

/** What is wrong with the end of an exchange. */
function finishFault(
  finish: DeltaOf<'finish'> | undefined,
  calls: ReadonlyMap<number, { readonly call?: ToolCall }>,
  model: string,
): ModelError | undefined {
  if (finish === undefined) return fault('model-transport', `The stream of ${model} ended before its finish.`);
  const said = finish.rawFinish === undefined ? '' : ` ("${finish.rawFinish}")`;
  if (finish.reason === 'error' || finish.reason === 'aborted') {
    return fault('model-stream', `${model} ended its turn with reason "${finish.reason}"${said}.`);
  }
  if (finish.reason === 'tool-use' && ![...calls.values()].some(({ call }) => call !== undefined)) {
    return fault('model-protocol', `${model} asked for tools${said}, but sent no complete call.`);
  }
  return undefined;
}

/** All of these are transient: what was broken is the answer, not the request. */
function fault(code: 'model-protocol' | 'model-stream' | 'model-transport', message: string): ModelError {
  return new ModelError(code, message, { retryable: true });
}

/** One attempt's deltas under the run's ids; a delta whose ids stand is passed on as the same object. */
function rename(claims: Claims): (delta: Delta) => Delta {
  const blocks = new Map<string, string>();
  const calls = new Map<number, { readonly id: string; readonly providerId: string }>();
  // The last block, because the next delta mostly has the same.
  let last: { readonly type: string; readonly block: string; readonly id: string } | undefined;

  const blockId = (type: string, block: string): string => {
    if (last?.block === block && last.type === type) return last.id;
    const key = `${type} ${block}`;
    let id = blocks.get(key);
    if (id === undefined) blocks.set(key, (id = claims.block(block)));
    last = { type, block, id };
    return id;
  };

  return (delta) => {
    switch (delta.type) {
      case 'text':
      case 'refusal':
      case 'reasoning':
      case 'server-tool':
      case 'file':
      case 'opaque': {
        const id = blockId(delta.type, delta.block);
        return id === delta.block ? delta : { ...delta, block: id };
      }
      case 'source': {
        // It stands for what a text block says.
        if (delta.block === undefined) return delta;
        const id = blockId('text', delta.block);
        return id === delta.block ? delta : { ...delta, block: id };
      }
      case 'tool-call-start': {
        // A second start of one index is the fold's to refuse; it must not take an id.
        if (calls.has(delta.index)) return delta;
        const id = claims.call(delta.id);
        calls.set(delta.index, { id, providerId: delta.id });
        return id === delta.id ? delta : { ...delta, id };
      }
      case 'tool-call-end': {
        const known = calls.get(delta.index);
        if (known === undefined || known.id === delta.call.id) return delta;
        const providerId = known.providerId === '' ? delta.call.id : known.providerId;
        const meta = providerId === '' || providerId === known.id ? delta.call.meta : { ...delta.call.meta, providerId };
        return { ...delta, call: { ...delta.call, id: known.id, ...(meta && { meta }) } };
      }
      default:
        return delta;
    }
  };
}
