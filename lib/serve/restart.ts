import { openRequests } from '../index.ts';
import type { ApprovalAnswer, ApprovalRequest, Checkpoint, CheckpointCall, EventOf, LogEntry, LoopEvent, StepRetract, ToolDropped, Usage } from '../index.ts';
import { Journal } from './journal.ts';

/** How a run goes on after the process that ran it has ended. */
export interface Restarted {
  /** Close what the log holds past the checkpoint. */
  readonly closing: readonly LoopEvent[];
  readonly checkpoint: Checkpoint;
  /** Answers that were given and are not in the checkpoint. */
  readonly answers: Readonly<Record<string, ApprovalAnswer>>;
  /** What the log holds already, as {@link Journal.keyOf} names it. */
  readonly logged: ReadonlySet<string>;
}

interface OpenAttempt {
  readonly step: number;
  readonly attempt: number;
  readonly blocks: Set<string>;
  readonly callIds: Set<string>;
  usage: Usage;
}

/**
 * Reads the log of a run that a crash has cut, entry by entry, and says how it goes on.
 *
 * - an attempt that was open is withdrawn by `step-retract`, and the next one counts on
 * - a call that ran is dropped by `tool-dropped`, and runs again
 * - a call whose result is in the log has settled: it never runs again, whatever the checkpoint says
 * - requests and answers of the log are known to the resumed run
 *
 * @internal
 */
export class Restart {
  private readonly runId: string;
  private readonly checkpoint: Checkpoint;
  private readonly position: number;
  private readonly logged = new Set<string>();
  private readonly running = new Map<string, EventOf<'tool-start'>>();
  private readonly results = new Map<string, EventOf<'tool-result'>>();
  private readonly requests = new Map<string, EventOf<'approval-request'>>();
  private readonly answers: Record<string, ApprovalAnswer> = {};
  private open: OpenAttempt | undefined;
  private last: OpenAttempt | undefined;
  private starts = 0;
  private readonly lost = { blocks: new Set<string>(), callIds: new Set<string>() };

  /** @param position - that the checkpoint was written with */
  constructor(runId: string, checkpoint: Checkpoint, position: number) {
    this.runId = runId;
    this.checkpoint = checkpoint;
    this.position = position;
  }

  see(entry: LogEntry, position: number): void {
    if ('error' in entry || entry.event.runId !== this.runId) return;
    const { event } = entry;
    const key = Journal.keyOf(event);
    if (key !== undefined) this.logged.add(key);
    // A call that ran at the checkpoint may have begun long before it.
    if (event.type === 'tool-start') this.running.set(event.callId, event);
    if (event.type === 'tool-result' || event.type === 'tool-dropped') this.running.delete(event.callId);
    if (position > this.position) this.past(event);
  }

  /** @param now - milliseconds, of the clock of the events */
  end(now: number): Restarted {
    const settled = new Set(this.checkpoint.batch?.calls.filter((one) => one.settled ?? one.nested).map(({ call }) => call.id));
    const dropped = [...this.running.values()].filter(({ callId }) => !settled.has(callId)).map((event) => this.dropped(event, now));
    const closing = this.open === undefined ? dropped : [...dropped, this.retract(this.open)];
    const checkpoint = this.amended();
    // Of others the checkpoint knows what came.
    const open = new Set(openRequests(checkpoint).map(({ id }) => id));
    const answers = Object.fromEntries(Object.entries(this.answers).filter(([id]) => open.has(id)));
    return { closing, checkpoint, answers, logged: this.logged };
  }

  private past(event: LoopEvent): void {
    switch (event.type) {
      case 'step-start':
        this.starts += 1;
        this.open = { step: event.step, attempt: event.attempt, blocks: new Set(), callIds: new Set(), usage: {} };
        this.last = this.open;
        return;
      case 'delta':
        return this.shown(event);
      case 'step-retract':
      case 'step-end':
        this.open = undefined;
        return;
      case 'tool-result':
        return void this.results.set(event.callId, event);
      case 'approval-request':
        // What a body asks for goes with it: it will ask again.
        if (event.kind !== 'input') this.requests.set(event.callId, event);
        return;
      case 'approval-answer':
        this.answers[event.id] = event.answer;
    }
  }

  private shown({ delta }: EventOf<'delta'>): void {
    if (this.open === undefined) return;
    if (delta.type === 'usage') this.open.usage = delta.usage;
    const { open, lost } = this;
    if (delta.type === 'tool-call-start') for (const ids of [open.callIds, lost.callIds]) ids.add(delta.id);
    if ('block' in delta && delta.block !== undefined) for (const ids of [open.blocks, lost.blocks]) ids.add(delta.block);
  }

  private dropped({ runId, step, callId, startedAt }: EventOf<'tool-start'>, now: number): ToolDropped {
    return { type: 'tool-dropped', runId, step, callId, elapsedMs: Math.max(0, now - startedAt), reason: 'restarted' };
  }

  private retract({ step, attempt, blocks, callIds, usage }: OpenAttempt): StepRetract {
    const { runId } = this;
    return { type: 'step-retract', runId, step, attempt, reason: 'restarted', blocks: [...blocks], callIds: [...callIds], usage: { ...usage, partial: true } };
  }

  private amended(): Checkpoint {
    const { checkpoint, last, starts, lost } = this;
    const { batch, counters, ids, usage } = checkpoint;
    return {
      ...checkpoint,
      ...(last !== undefined && last.step === checkpoint.step && { attempt: last.attempt + 1, usage: { ...usage, partial: true } }),
      // So that a run that crashes again and again comes to the end of its budget.
      counters: { ...counters, calls: counters.calls + starts },
      ids: { calls: union(ids.calls, lost.callIds), blocks: union(ids.blocks, lost.blocks) },
      ...(batch !== undefined && { batch: { ...batch, calls: batch.calls.map((one) => this.amendedCall(one)) } }),
    };
  }

  private amendedCall(one: CheckpointCall): CheckpointCall {
    const { id } = one.call;
    const said = this.results.get(id);
    if (said !== undefined) {
      const { call, result, elapsedMs } = said;
      const settled = one.settled ?? { call, result, elapsedMs, ran: this.logged.has(`tool-commit ${this.runId} ${id}`) };
      return { ...one, settled, released: true };
    }
    const asked = this.requests.get(id);
    return asked === undefined || one.request !== undefined ? one : { ...one, request: requestOf(asked) };
  }
}

function requestOf({ runId, step, callId, id, kind, call, schema, reason }: EventOf<'approval-request'>): ApprovalRequest {
  return { runId, step, callId, id, kind, call, ...(schema !== undefined && { schema }), ...(reason !== undefined && { reason }) };
}

function union(known: readonly string[], more: ReadonlySet<string>): readonly string[] {
  return [...new Set([...known, ...more])];
}
