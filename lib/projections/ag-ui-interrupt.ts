import type { ApprovalRequest } from '../approval.ts';
import type { AgUiInterrupt } from './ag-ui-event.ts';

/**
 * An open request as an interrupt. To approve a call with changes is to send all of its arguments anew.
 *
 * @param runId - of the run itself; a request of another run belongs to that sub-agent
 * @internal
 */
export function agUiInterrupt({ id, kind, callId, call, reason, schema, ...request }: ApprovalRequest, runId: string): AgUiInterrupt {
  const isInput = kind === 'input';
  return {
    id,
    reason: isInput ? 'input_required' : 'tool_call',
    ...(reason !== undefined && { message: reason }),
    toolCallId: callId,
    responseSchema: isInput ? (schema ?? {}) : approval(schema),
    ...(request.runId !== runId && { subagentRunId: request.runId }),
    metadata: { toolName: call.name, arguments: call.arguments },
  };
}

function approval(editedArgs: ApprovalRequest['schema'] = { type: 'object' }): AgUiInterrupt['responseSchema'] {
  return {
    type: 'object',
    properties: { approved: { type: 'boolean' }, editedArgs, reason: { type: 'string' } },
    required: ['approved'],
  };
}
