import fc from 'fast-check';
import { concat, concatMap, defer, EMPTY, from, map, of, throwError, timer, VirtualTimeScheduler } from 'rxjs';
import type { Observable } from 'rxjs';
import { ModelError, toolLoop } from '../../lib/index.ts';
import type { Delta, FinishReason, LoopEvent, ToolLoopOptions } from '../../lib/index.ts';
import { call, fakeTool, script } from '../../marbles/index.ts';
import { play } from './play.ts';
import type { Played } from './play.ts';

/** One exchange of a script: what the model says, and the error with which it breaks off. */
export interface RandomTurn {
  readonly deltas: readonly Delta[];
  readonly error?: ModelError;
}

export interface RandomScript {
  readonly turns: readonly RandomTurn[];
  readonly options: Pick<ToolLoopOptions, 'budget' | 'policy' | 'retry'>;
}

const block = fc.constantFrom('a', 'b', '');
const said = fc.record({ type: fc.constantFrom('text', 'reasoning', 'refusal'), block, text: fc.constantFrom('', 'hi', 'so ') });
const signed = said.map((delta) => ({ ...delta, meta: { signature: 's' } }));
/** Ids that repeat and that are missing, tools that are unknown, arguments of all kinds, and calls that have no end. */
const calls = fc
  .array(
    fc.record({
      id: fc.constantFrom('', 'x', 'x', 'y', 'z'),
      name: fc.constantFrom('add', 'mul', 'bad', 'unknown'),
      raw: fc.constantFrom('', '{}', '{"a":1}', '{"a":', 'null', '[1]', '{"__proto__":1}'),
      cut: fc.nat(9).map((n) => n === 0),
    }),
    { maxLength: 3 },
  )
  .map((list) => list.map(({ id, name, raw, cut }, index) => call(name, raw, { id, index }).slice(0, cut ? -1 : undefined)));
const other = fc.constantFrom<Delta>(
  { type: 'alive' },
  { type: 'unknown', raw: 1 },
  { type: 'usage', usage: { inputTokens: 3, outputTokens: 2 } },
  { type: 'usage', usage: { outputTokens: 1 } },
  { type: 'reasoning-replace', text: 'better' },
);
/** Mostly the end that fits; then the others, then the wrong ones. */
const reason = fc.oneof(
  { weight: 3, arbitrary: fc.constant<FinishReason | 'fit'>('fit') },
  { weight: 2, arbitrary: fc.constantFrom<FinishReason>('stop', 'tool-use', 'length', 'pause', 'content-filter', 'refusal', 'other', 'error') },
);
const end = fc.oneof(
  { weight: 8, arbitrary: reason },
  { weight: 1, arbitrary: fc.constantFrom('none', 'busy', 'fatal', 'twice', 'again') },
);

const turn: fc.Arbitrary<RandomTurn> = fc
  .record({ before: fc.array(fc.oneof(said, signed, other), { maxLength: 3 }), calls, after: fc.array(other, { maxLength: 2 }), end })
  .map(({ before, calls, after, end }) => {
    const deltas = [...before, ...calls.flat(), ...after] as Delta[];
    const finish = (reason: FinishReason): Delta => ({ type: 'finish', reason });
    const fit = finish(deltas.some(({ type }) => type === 'tool-call-end') ? 'tool-use' : 'stop');
    switch (end) {
      case 'none':
        return { deltas };
      case 'busy':
        return { deltas, error: new ModelError('model-http', 'Busy.', { status: 503, retryable: true }) };
      case 'fatal':
        return { deltas, error: new ModelError('model-http', 'No.', { status: 400 }) };
      case 'twice':
        return { deltas: [...deltas, fit, fit] };
      case 'again':
        return { deltas: [...deltas, fit, { type: 'text', block: 'late', text: 'late' }] };
      default:
        return { deltas: [...deltas, end === 'fit' ? fit : finish(end)] };
    }
  });

/** Scripts of models that mostly behave and sometimes do not. Past its last turn every script fails for good. */
export const randomScript: fc.Arbitrary<RandomScript> = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 5 }),
  options: fc.record({
    budget: fc.constantFrom({ maxSteps: 3 }, { maxSteps: 10 }, { maxTotalTokens: 9 }),
    policy: fc.record({
      budgetEnd: fc.constantFrom('error', 'stop'),
      emptyTruncated: fc.constantFrom('error', 'accept'),
      keepReasoning: fc.boolean(),
    }),
    retry: fc.constantFrom({ count: 0 }, { count: 2, jitter: 0 }),
  }),
});

/**
 * Plays a script to its end in virtual time.
 *
 * @param paced - every delta and every answer of a tool comes in a frame of its own; otherwise all of them at once
 */
export function playScript({ turns, options }: RandomScript, paced: boolean, take: (run$: Observable<LoopEvent>) => Observable<LoopEvent> = (run$) => run$): Played {
  const scheduler = new VirtualTimeScheduler();
  const late = <T>(value: T): Observable<T> => (paced ? timer(1, scheduler).pipe(map(() => value)) : of(value));
  const exchange = ({ deltas, error }: RandomTurn): Observable<Delta> =>
    concat(from(deltas).pipe(concatMap(late)), error === undefined ? EMPTY : throwError(() => error));
  const answers: Record<string, Observable<unknown>> = {
    add: defer(() => late('1')),
    mul: concat(late('half'), late({ product: 2 })),
    bad: concat(late('begun'), throwError(() => new Error('No.'))),
  };
  let count = 0;
  const played = play(take(toolLoop({
    ...options,
    model: script(...turns.map(exchange)),
    tools: Object.entries(answers).map(([name, answer$]) => fakeTool(answer$, { name })),
    prompt: 'go',
    scheduler,
    ids: (kind) => `${kind}${++count}`,
  })));
  scheduler.flush();
  return played;
}
