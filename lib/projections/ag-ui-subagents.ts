import type { ApprovalRequest } from '../approval.ts';
import type { EventOf, LoopEvent, Parent } from '../event.ts';
import type { AgUiDesk } from './ag-ui-desk.ts';
import { AgUiLane } from './ag-ui-lane.ts';
import { openRequests } from '../open-requests.ts';

interface Subagent {
  readonly lane: AgUiLane;
  readonly parent: Parent;
}

/**
 * The nested runs of a run: each is a sub-agent with brackets of its own, begun at its first event, and closed by its
 * `done`, by the result of its call, or with the run.
 *
 * @internal
 */
export class AgUiSubagents {
  private readonly desk: AgUiDesk;
  private readonly open = new Map<string, Subagent>();
  private readonly over = new Set<string>();

  constructor(desk: AgUiDesk) {
    this.desk = desk;
  }

  /** Whether this nested run has been told of, also where it is over. */
  has(runId: string): boolean {
    return this.open.has(runId) || this.over.has(runId);
  }

  /** The lane of a nested event; none where its run is over. */
  laneOf({ runId, parent }: LoopEvent & { readonly parent: Parent }, root: AgUiLane): AgUiLane | undefined {
    const known = this.open.get(runId)?.lane;
    if (known !== undefined || this.over.has(runId)) return known;
    const lane = new AgUiLane(runId, true, this.desk);
    this.open.set(runId, { lane, parent });
    this.desk.say({
      type: 'SUBAGENT_STARTED',
      subagentRunId: runId,
      name: this.desk.messages.toolOf(parent.callId) ?? 'sub-agent',
      ...(parent.runId !== root.runId && { parentSubagentRunId: parent.runId }),
      parentToolCallId: parent.callId,
    });
    return lane;
  }

  done({ runId, outcome }: EventOf<'done'>): void {
    const { reason, completion } = outcome;
    switch (reason) {
      case 'answer':
      case 'output': {
        this.leave(runId, reason);
        const result = { reason, text: completion.text, ...(completion.json !== undefined && { json: completion.json }) };
        return this.desk.say({ type: 'SUBAGENT_FINISHED', subagentRunId: runId, result, outcome: { type: 'success' } });
      }
      case 'suspended':
        return this.rest(runId, openRequests(outcome.checkpoint));
      default:
        return this.fail(runId, reason);
    }
  }

  /** Closes all that is open, because the run waits: what is inside goes on with it. */
  suspend(requests: readonly ApprovalRequest[]): void {
    const outermost = [...this.open].flatMap(([runId, { parent }]) => (this.open.has(parent.runId) ? [] : [runId]));
    for (const runId of outermost) this.rest(runId, requests);
  }

  /** Closes what a call has left open, because its result is there; without a call, everything. */
  close(reason: string, call?: Parent): void {
    for (const [runId, { parent }] of [...this.open].reverse()) {
      const isMeant = call === undefined || (parent.callId === call.callId && parent.runId === call.runId);
      if (isMeant && this.open.has(runId)) this.fail(runId, reason);
    }
  }

  private fail(subagentRunId: string, code: string): void {
    this.leave(subagentRunId, code);
    this.desk.say({ type: 'SUBAGENT_ERROR', subagentRunId, message: `The sub-agent ended without an answer (${code}).`, code });
  }

  private rest(runId: string, requests: readonly ApprovalRequest[]): void {
    for (const inner of this.inside(runId)) this.rest(inner, requests);
    this.open.get(runId)?.lane.close();
    this.end(runId);
    const interruptIds = requests.flatMap((one) => (one.runId === runId && one.kind !== 'result' ? [one.id] : []));
    this.desk.say({ type: 'SUBAGENT_FINISHED', subagentRunId: runId, outcome: { type: 'suspended', interruptIds } });
  }

  private leave(runId: string, reason: string): void {
    for (const inner of this.inside(runId)) this.fail(inner, reason);
    this.open.get(runId)?.lane.abandon();
    this.end(runId);
  }

  /** What is nested right in it, the last first; it is closed before it. */
  private inside(runId: string): readonly string[] {
    return [...this.open].flatMap(([inner, { parent }]) => (parent.runId === runId ? [inner] : [])).reverse();
  }

  private end(runId: string): void {
    this.open.delete(runId);
    this.over.add(runId);
  }
}
