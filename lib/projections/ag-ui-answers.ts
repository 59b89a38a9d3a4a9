import type { ApprovalAnswer, ApprovalRequest } from '../approval.ts';
import type { Checkpoint } from '../checkpoint.ts';
import type { ToolResult } from '../message.ts';
import { agUiCheck } from './ag-ui-check.ts';
import { openRequests } from '../open-requests.ts';

/**
 * The answers that an input holds, by the id of their request: the entries of `resume`, and the results of the client's
 * own tools. None where nothing is answered.
 *
 * @param checkpoint - of the suspended run; without it an entry is read by what its payload looks like
 * @throws ConfigError for an entry that answers nothing, a second answer, an interrupt without one, or a wrong payload
 * @internal
 */
export function agUiAnswers(
  resume: readonly unknown[],
  checkpoint: Checkpoint | undefined,
  results: ReadonlyMap<string, ToolResult>,
): Readonly<Record<string, ApprovalAnswer>> | undefined {
  const open = openRequests(checkpoint);
  const answers = new Map<string, ApprovalAnswer>();
  for (const [at, value] of resume.entries()) {
    const path = `resume[${at}]`;
    const entry = agUiCheck.record(value, path);
    const id = agUiCheck.text(entry['interruptId'], `${path}.interruptId`);
    const request = open.find((one) => one.id === id);
    if (checkpoint !== undefined && request === undefined) throw agUiCheck.wrong(`${path}.interruptId`, `is ${JSON.stringify(id)}, which the run does not wait for`);
    if (answers.has(id)) throw agUiCheck.wrong(`${path}.interruptId`, `is ${JSON.stringify(id)}, which an entry before it answers`);
    answers.set(id, answerOf(entry, request?.kind, path));
  }
  for (const { id, kind, callId } of open) {
    const result = results.get(callId);
    if (kind === 'result' && result !== undefined && !answers.has(id)) {
      answers.set(id, { type: 'result', content: result.content, isError: result.isError });
    }
    if (kind !== 'result' && resume.length > 0 && !answers.has(id)) {
      throw agUiCheck.wrong('resume', `has no entry for ${JSON.stringify(id)}; every open interrupt needs one`);
    }
  }
  return answers.size === 0 ? undefined : Object.fromEntries(answers);
}

function answerOf(entry: Readonly<Record<string, unknown>>, known: ApprovalRequest['kind'] | undefined, path: string): ApprovalAnswer {
  const { status, payload } = entry;
  if (status === 'cancelled') return { type: 'decline' };
  if (status !== 'resolved') throw agUiCheck.wrong(`${path}.status`, `is ${JSON.stringify(status)}; it must be resolved or cancelled`);
  const isApproval = typeof payload === 'object' && payload !== null && 'approved' in payload;
  switch (known ?? (isApproval ? 'approval' : 'input')) {
    case 'approval': {
      const { approved, editedArgs, reason } = agUiCheck.record(payload, `${path}.payload`);
      if (approved === true) return { type: 'approve', ...(editedArgs !== undefined && { arguments: editedArgs }) };
      if (approved !== false) throw agUiCheck.wrong(`${path}.payload.approved`, 'must be true or false');
      return { type: 'decline', ...(reason !== undefined && { reason: agUiCheck.text(reason, `${path}.payload.reason`) }) };
    }
    case 'result':
      return { type: 'result', content: typeof payload === 'string' ? payload : (JSON.stringify(payload) ?? '') };
    case 'input':
      return { type: 'input', value: payload };
  }
}
