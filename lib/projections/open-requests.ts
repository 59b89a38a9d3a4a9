import type { ApprovalRequest } from '../approval.ts';
import type { Checkpoint } from '../checkpoint.ts';

/**
 * The requests that a suspended run and its nested runs wait for, in call order.
 *
 * @internal
 */
export function openRequests(checkpoint: Checkpoint | undefined): ApprovalRequest[] {
  return (checkpoint?.batch?.calls ?? []).flatMap(({ request, settled, nested }) =>
    settled === undefined ? [...(request === undefined ? [] : [request]), ...openRequests(nested)] : [],
  );
}
