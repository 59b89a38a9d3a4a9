import { VirtualTimeScheduler } from 'rxjs';
import { userMessage } from '../../lib/message.ts';
import type { ModelRequest } from '../../lib/model.ts';

/** What a loop asks of a model, for specs that ask one themselves. Nothing moves its clock. */
export function modelRequest(change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: undefined,
    messages: [userMessage('hi')],
    tools: [],
    toolChoice: 'auto',
    options: {},
    demand: undefined,
    scheduler: new VirtualTimeScheduler(),
    ids: (kind) => `${kind}-made`,
    ...change,
  };
}
