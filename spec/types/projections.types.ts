/** What an operator on a run makes of its type. Compiled, never run. */
import { filter, firstValueFrom, map } from 'rxjs';
import type { Observable } from 'rxjs';
import * as z from 'zod';
import { defineTool, errorAsDone, historyOf, ofType, toolLoop, toOutcome, toText } from '../../lib/index.ts';
import type { Delta, EventOf, EventType, LoopEvent, Message, Model, Outcome, Retry, ToolResultEvent } from '../../lib/index.ts';
import type { Equal, Expect } from './expect-type.ts';

declare const model: Model;

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});
const events$ = toolLoop({ model, prompt: 'hi', tools: [add] });
const plain$ = toolLoop({ model, prompt: 'hi' });

const text$ = events$.pipe(toText());
type Text = Expect<Equal<typeof text$, Observable<string>>>;

const outcome$ = events$.pipe(toOutcome());
type End = Expect<Equal<typeof outcome$, Observable<Outcome>>>;

// The tools stay known through an operator.
const safe$ = events$.pipe(errorAsDone());
type Safe = Expect<Equal<typeof safe$, Observable<LoopEvent<typeof add>>>>;

const results$ = events$.pipe(ofType('tool-result'));
type Results = Expect<Equal<typeof results$, Observable<ToolResultEvent<typeof add>>>>;

const outputs$ = results$.pipe(map(({ result }) => result.output));
type Outputs = Expect<Equal<typeof outputs$, Observable<number | undefined>>>;

const either$ = events$.pipe(ofType('retry', 'tool-result'));
type Either = Expect<Equal<typeof either$, Observable<Retry | ToolResultEvent<typeof add>>>>;

const starts$ = safe$.pipe(
  ofType('tool-start'),
  map(({ call }) => call.arguments.a),
);
type Starts = Expect<Equal<typeof starts$, Observable<number>>>;

// A type is a plain union of names, so it can be held in a variable.
declare const type: EventType;
const any$ = events$.pipe(ofType(type));
type Any = Expect<Equal<typeof any$, Observable<LoopEvent<typeof add>>>>;
type One = Expect<Equal<EventOf<'retry'>, Retry>>;

// Deltas narrow by their own type.
events$.pipe(
  ofType('delta'),
  map(({ delta }) => delta),
  filter((delta) => delta.type === 'text'),
  map((delta) => {
    type Narrowed = Expect<Equal<typeof delta, Extract<Delta, { type: 'text' }>>>;
    return delta.text;
  }),
);

// A run without tools goes through all of them.
export const plain = [
  plain$.pipe(toText()),
  plain$.pipe(toOutcome()),
  plain$.pipe(errorAsDone(), ofType('done')),
] as const;

export async function conversation(): Promise<readonly Message[]> {
  const history = historyOf(await firstValueFrom(outcome$));
  type History = Expect<Equal<typeof history, readonly Message[]>>;
  toolLoop({ model, messages: history, prompt: 'and then?' });
  return history;
}

// @ts-expect-error no such event
events$.pipe(ofType('loop-end'));
// @ts-expect-error not the events of a run
text$.pipe(toText());
// @ts-expect-error no outcome
historyOf({ text: 'hi' });
