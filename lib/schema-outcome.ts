/** Schema of `lib/outcome.ts`. */
import * as z from 'zod/mini';
import type { Outcome } from './outcome.ts';
import { checkpointSchema, progress } from './schema-checkpoint.ts';
import { errorInfo } from './schema-delta.ts';
import { maybe, text } from './schema-field.ts';
import { assistantMessage, usage } from './schema-message.ts';

const reason = z.enum([
  'answer',
  'output',
  'max-steps',
  'max-tokens',
  'max-cost',
  'max-duration',
  'context-full',
  'repetition',
  'stopped',
  'aborted',
  'suspended',
  'length',
  'content-filter',
  'refusal',
  'error',
]);

/** What a run came to: the `outcome` of its last event. */
export const outcomeSchema: z.ZodMiniType<Outcome> = z.looseObject({
  reason,
  ...progress,
  answer: maybe(assistantMessage),
  usage,
  checkpoint: maybe(checkpointSchema),
  stopped: maybe(z.looseObject({ reason: text, callId: maybe(text) })),
  error: maybe(errorInfo),
});
