import type * as z from 'zod/mini';
import type { Checkpoint } from '../../lib/checkpoint.ts';
import type { LoopEvent } from '../../lib/event.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { Message } from '../../lib/message.ts';
import type { checkpointSchema, eventSchema, messageSchema, outcomeSchema } from '../../lib/schema.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Expect<T extends true> = T;

/** What a schema gives is the library's own type, so that a parsed event narrows as a live one does. */
export type Cases = [
  Expect<Equal<z.infer<typeof eventSchema>, LoopEvent>>,
  Expect<Equal<z.infer<typeof messageSchema>, Message>>,
  Expect<Equal<z.infer<typeof outcomeSchema>, Outcome>>,
  Expect<Equal<z.infer<typeof checkpointSchema>, Checkpoint>>,
  // @ts-expect-error An outcome is no message.
  Expect<Equal<z.infer<typeof outcomeSchema>, Message>>,
];

declare const event: z.infer<typeof eventSchema>;
if (event.type === 'done') event.outcome.completion.text satisfies string;
if (event.type === 'approval-answer' && event.answer.type === 'input') event.answer.value satisfies unknown;
// @ts-expect-error Only a `done` has an outcome.
event.outcome;
