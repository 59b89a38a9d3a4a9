/** The protocol's own types and ours. Compiled, never run. */
import type { BaseEvent, Event, Message, RunAgentInput } from '@ag-ui/core';
import type { Observable } from 'rxjs';
import { toolLoop } from '../../lib/index.ts';
import type { Model, ToolLoopOptions } from '../../lib/index.ts';
import { fromAgUi, toAgUi } from '../../lib/projections/ag-ui.ts';
import type { AgUiEvent, AgUiInput, AgUiMessage } from '../../lib/projections/ag-ui.ts';
import type { Equal, Expect } from './expect-type.ts';

/** As it goes over the wire: an enum is its text, and nothing is changed any more. */
type Wire<T> = T extends string ? `${T}` : T extends object ? { readonly [K in keyof T]: Wire<T[K]> } : T;
/** Every field of ours is one of theirs, with a value that they take. */
type Fits<Ours, Theirs> = Ours extends Theirs ? true : false;
type EachFits<Ours extends { type: string }, Theirs extends { type: string }> = {
  [Type in Ours['type']]: [keyof Extract<Ours, { type: Type }>] extends [keyof Extract<Theirs, { type: Type }>] ? true : Type;
}[Ours['type']];

// What we say is what the protocol knows, with no field that it would strip.
export type Events = Expect<Fits<AgUiEvent, Wire<Event>>>;
export type Fields = Expect<Equal<EachFits<AgUiEvent, Wire<Event>>, true>>;
export type Messages = Expect<Fits<AgUiMessage, Wire<Message>>>;

// What its client sends and holds is what we take.
export type Input = Expect<Fits<Wire<RunAgentInput>, AgUiInput>>;
export type Held = Expect<Fits<Wire<Message>, AgUiMessage>>;

declare const model: Model;
declare const body: RunAgentInput;
const { messages, tools, threadId, runId } = fromAgUi(body);
const options: ToolLoopOptions = { model, messages, tools, threadId, runId };
const events$ = toolLoop(options).pipe(toAgUi({ input: body }));
export type Stream = Expect<Equal<typeof events$, Observable<AgUiEvent>>>;

// @ts-expect-error a stream needs the input that it answers
toAgUi({});
export declare const base: BaseEvent;
