import type { ApprovalRequest } from './approval.ts';
import type { Checkpoint } from './checkpoint.ts';

/**
 * Requests that wait for an answer, in the order of their calls; those of nested runs too. None without a checkpoint.
 *
 * @public
 */
export function openRequests(checkpoint: Checkpoint | undefined): readonly ApprovalRequest[] {
  const calls = checkpoint?.batch?.calls ?? [];
  return calls.flatMap(({ request, answer, settled, nested }) => {
    if (settled !== undefined) return [];
    return [...(request === undefined || answer !== undefined ? [] : [request]), ...openRequests(nested)];
  });
}
