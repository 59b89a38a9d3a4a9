import { Step } from '../../lib/fold/step.ts';
import type { DeltaOf } from '../../lib/delta.ts';
import type { AssistantPart, FinishReason } from '../../lib/message.ts';
import type { Usage } from '../../lib/usage.ts';

const text: AssistantPart = { type: 'text', text: 'hi', block: 'b' };

/** An exchange that succeeded. */
export function ended(reason: FinishReason, parts: readonly AssistantPart[] = [text], usage?: Usage): Step {
  const finish: DeltaOf<'finish'> = { type: 'finish', reason, rawFinish: `raw ${reason}`, model: 'm-1', ids: { response: 'x' } };
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.call] : []));
  return new Step({ parts, calls, shown: true, usage, finish, failure: undefined, stopped: false, blocks: [], callIds: [] });
}

/** An exchange that broke off. */
export function failed(error: unknown, parts: readonly AssistantPart[] = [], usage?: Usage): Step {
  return new Step({ ...ended('stop', parts, usage), shown: parts.length > 0, finish: undefined, failure: { error } });
}

/** An exchange that the run was told to stop. */
export function stopped(parts: readonly AssistantPart[] = [], usage?: Usage): Step {
  return new Step({ ...ended('stop', parts, usage), shown: parts.length > 0, finish: undefined, stopped: true });
}
