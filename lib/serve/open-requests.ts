import type { ApprovalRequest, Checkpoint } from '../index.ts';

/**
 * The open requests of a checkpoint, those of its nested runs too.
 *
 * @internal
 */
export function openRequests({ batch }: Checkpoint): readonly ApprovalRequest[] {
  return (batch?.calls ?? []).flatMap(({ request, nested, settled }) => {
    if (settled !== undefined) return [];
    return [...(request === undefined ? [] : [request]), ...(nested === undefined ? [] : openRequests(nested))];
  });
}
