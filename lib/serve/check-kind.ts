import type { ApprovalAnswer, ApprovalRequest } from '../index.ts';
import { Problem } from './problem.ts';

/**
 * Whether an answer is of the kind that its request is.
 *
 * @throws Problem 400
 * @internal
 */
export function checkKind({ id, kind }: Pick<ApprovalRequest, 'id' | 'kind'>, given: ApprovalAnswer | undefined): void {
  const wanted = given === undefined ? undefined : KINDS[given.type];
  if (given?.type === 'suspend' || (wanted !== undefined && wanted !== kind)) {
    throw new Problem(400, 'invalid-body', `The request ${JSON.stringify(id)} is of kind ${kind}: it cannot be answered with ${given?.type}.`);
  }
}

const KINDS: Readonly<Record<string, ApprovalRequest['kind']>> = { approve: 'approval', result: 'result', input: 'input' };
