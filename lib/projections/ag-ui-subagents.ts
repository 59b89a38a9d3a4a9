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
      case 'suspended': {
        this.leave(runId, reason);
        const interruptIds = openRequests(outcome.checkpoint).flatMap((one) => (one.runId === runId && one.kind !== 'result' ? [one.id] : []));
        return this.desk.say({ type: 'SUBAGENT_FINISHED', subagentRunId: runId, outcome: { type: 'suspended', interruptIds } });
      }
      default:
        return this.fail(runId, reason);
    }
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

  /** What is nested in it goes first. */
  private leave(runId: string, reason: string): void {
    for (const [inner, { parent }] of [...this.open].reverse()) {
      if (parent.runId === runId && this.open.has(inner)) this.fail(inner, reason);
    }
    const lane = this.open.get(runId)?.lane;
    if (reason === 'suspended') lane?.close();
    else lane?.abandon();
    this.open.delete(runId);
    this.over.add(runId);
  }
}
