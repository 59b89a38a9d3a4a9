import { isObservable, map } from 'rxjs';
import type { Observable } from 'rxjs';
import { UnknownToolError } from '../control-errors.ts';
import type { Delta, DeltaOf } from '../delta.ts';
import { inOrder } from '../fold/in-order.ts';
import type { Screen, Screened } from '../fold/step.ts';
import type { InvalidCallAnswer, StopAnswer } from '../hooks.ts';
import { fault } from '../invoke/fault.ts';
import { unknownToolText } from '../invoke/unknown-tool.ts';
import type { ToolResult } from '../message.ts';
import { askHooks, halt, hasHook, hookContext, textIn, unknownAnswer, wrongAnswer } from './hook-chain.ts';
import type { Chain } from './hook-chain.ts';
import type { Run, RunState } from './run-state.ts';
import { unknownToolRule } from './settle.ts';

/** What a call comes to whose tool the step does not have. */
export type CallVerdict = Pick<ToolResult, 'content' | 'isError' | 'error'>;

interface Heard {
  readonly delta: Delta;
  readonly stop?: StopAnswer;
}

/**
 * The one reader before the reader, in one attempt: delta hooks may stop the run before a delta is shown, and a call of a
 * tool that the step does not have is decided at its name, before anything of it is shown.
 *
 * @internal
 */
export class AttemptScreen implements Screen {
  /** By call id. */
  readonly verdicts = new Map<string, CallVerdict>();
  /** An invalid call has spoiled the turn: none of its calls runs, and the rest of it is read for its usage alone. */
  spoiled = false;
  /** Calls that were sent back to the model, the run's earlier ones included. */
  retries: number;
  private readonly run: Run;
  private readonly state: RunState;
  private readonly names: ReadonlySet<string>;
  private readonly rule: ReturnType<typeof unknownToolRule>;
  private readonly kinds: ReadonlySet<string>;
  private readonly renamed = new Map<number, string>();
  /** Made once: a delta is asked about thousands of times. */
  private readonly listening: Chain<Heard, StopAnswer>;
  private rejected: number | undefined;

  private constructor(run: Run, state: RunState) {
    this.run = run;
    this.state = state;
    const specs = state.patch?.tools ?? state.specs;
    this.names = new Set([...specs.map(({ name }) => name), ...(run.output === undefined ? [] : [run.output.name])]);
    this.retries = state.invalidCalls;
    this.rule = unknownToolRule(run.policy);
    this.kinds = new Set(run.hooks.flatMap(({ onDelta, deltas }) => (onDelta === undefined ? [] : (deltas ?? []))));
    const context = hookContext(run, state);
    this.listening = {
      hook: 'onDelta',
      ask: (hooks, { delta }) => (hooks.deltas?.includes(delta.type) === true ? hooks.onDelta?.(delta, context) : undefined),
      fold({ delta }, stop) {
        if (stop.type !== 'stop') throw unknownAnswer('onDelta', stop);
        return { delta, stop };
      },
      isOver: ({ stop }) => stop !== undefined,
    };
  }

  /** Absent where nothing is to be screened, which costs nothing. */
  static of(run: Run, state: RunState): AttemptScreen | undefined {
    const { fails, spoilsTurn } = unknownToolRule(run.policy);
    const isNeeded = hasHook(run, 'onDelta') || hasHook(run, 'invalidCall') || fails || spoilsTurn;
    return isNeeded ? new AttemptScreen(run, state) : undefined;
  }

  pass(delta: Delta): Screened | Observable<Screened> {
    if (this.rejected !== undefined) return this.drained(delta, this.rejected);
    if (delta.type === 'tool-call-start' && !this.names.has(delta.name)) {
      const judged = this.judged(delta);
      return isObservable(judged) ? judged.pipe(inOrder((said) => this.act(delta, said))) : this.act(delta, judged);
    }
    return this.heard(this.withName(delta));
  }

  /** After the turn was spoiled: usage counts, the bad call is completed, the rest leaves no trace. */
  private drained(delta: Delta, rejected: number): Screened {
    if (delta.type === 'usage') return { delta };
    const isOfIt = (delta.type === 'tool-call-arguments' || delta.type === 'tool-call-end') && delta.index === rejected;
    return { delta: isOfIt ? delta : undefined, hidden: true };
  }

  private withName(delta: Delta): Delta {
    if (delta.type !== 'tool-call-end') return delta;
    const name = this.renamed.get(delta.index);
    return name === undefined ? delta : { ...delta, call: { ...delta.call, name } };
  }

  private heard(delta: Delta): Screened | Observable<Screened> {
    if (!this.kinds.has(delta.type)) return { delta };
    const asked = askHooks(this.run, this.listening, { delta });
    const end = ({ stop }: Heard): Screened => {
      if (stop === undefined) return { delta };
      halt(this.run, stop);
      return { delta: undefined };
    };
    return isObservable(asked) ? asked.pipe(map(end)) : end(asked);
  }

  private judged({ id, name }: DeltaOf<'tool-call-start'>): InvalidCallAnswer | undefined | Observable<InvalidCallAnswer | undefined> {
    const { run, state, names } = this;
    const context = hookContext(run, state);
    const view = { callId: id, name, available: [...names] };
    return askHooks<InvalidCallAnswer | undefined, InvalidCallAnswer>(
      run,
      { hook: 'invalidCall', ask: (hooks) => hooks.invalidCall?.(view, context), fold: (_none, said) => said, isOver: (said) => said !== undefined },
      undefined,
    );
  }

  private act(delta: DeltaOf<'tool-call-start'>, said: InvalidCallAnswer | undefined): Screened | Observable<Screened> {
    const { run, names } = this;
    const { id, index, name } = delta;
    switch (said?.type) {
      case 'repair':
        if (!names.has(said.name)) throw wrongAnswer('invalidCall', `repairs to ${JSON.stringify(said.name)}, which the step does not have`);
        this.renamed.set(index, said.name);
        return this.heard({ ...delta, name: said.name });
      case 'skip':
        return this.reject(delta, { content: [{ type: 'text', text: textIn('invalidCall', said, 'reason') }], isError: false });
      case 'retry': {
        const limit = Math.max(...run.hooks.map(({ invalidCall, invalidRetries = 1 }) => (invalidCall === undefined ? 0 : invalidRetries)));
        if (this.retries >= limit) throw new UnknownToolError(name, [...names]);
        this.retries += 1;
        const feedback = textIn('invalidCall', said, 'feedback');
        return this.reject(delta, { content: [{ type: 'text', text: feedback }], isError: true, error: fault('not-found', feedback) });
      }
      case 'stop':
        halt(run, said, { callId: id });
        return { delta: undefined };
      case 'fail':
        throw new UnknownToolError(name, [...names]);
      default: {
        if (said !== undefined) throw unknownAnswer('invalidCall', said);
        if (this.rule.fails) throw new UnknownToolError(name, [...names]);
        const text = unknownToolText(name, [...names]);
        // In a turn that stands, its result says so at its turn.
        return this.rule.spoilsTurn ? this.reject(delta, { content: [{ type: 'text', text }], isError: true, error: fault('not-found', text) }) : this.heard(delta);
      }
    }
  }

  private reject(delta: DeltaOf<'tool-call-start'>, verdict: CallVerdict): Screened | Observable<Screened> {
    this.verdicts.set(delta.id, verdict);
    if (!this.rule.spoilsTurn) return this.heard(delta);
    this.spoiled = true;
    this.rejected = delta.index;
    return { delta, hidden: true };
  }
}
