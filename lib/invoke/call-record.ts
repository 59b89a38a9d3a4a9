import type { ApprovalAnswer, ApprovalRequest } from '../approval.ts';
import type { Checkpoint, CheckpointCall, CheckpointSettled } from '../checkpoint.ts';
import { Latch } from '../latch.ts';
import type { ToolCall, ToolResult } from '../message.ts';

export type Settled = CheckpointSettled;

/**
 * How far one call of the open batch has come. Written by the batch, read by a checkpoint.
 *
 * @internal
 */
export class CallRecord {
  /** As the model wrote it. */
  readonly call: ToolCall;
  /** Its place in the batch. */
  index: number;
  /** As hooks and answers have it. */
  effective: ToolCall;
  /** The hooks before it have been asked. */
  cleared = false;
  /** A person has approved it. */
  approved = false;
  request: ApprovalRequest | undefined;
  answer = new Latch<ApprovalAnswer>();
  /** Its body has begun, and counts. */
  begun = false;
  startedAt: number | undefined;
  /** The run inside it, where that is suspended. */
  nested: Checkpoint | undefined;
  settled: Settled | undefined;
  /** The result without a body, known before its turn. */
  verdict: Pick<ToolResult, 'content' | 'isError' | 'error'> | undefined;
  /** It runs already, started while the model was speaking: emits when it has settled. */
  running: Latch<Settled> | undefined;
  released = false;
  /** Ids of the calls that it needs, as the schedule says. */
  after: readonly string[] | undefined;

  constructor(call: ToolCall, index = 0) {
    this.call = call;
    this.index = index;
    this.effective = call;
  }

  static from(saved: CheckpointCall, index: number): CallRecord {
    const record = new CallRecord(saved.call, index);
    record.effective = saved.effective ?? saved.call;
    record.cleared = saved.cleared ?? false;
    record.approved = saved.approved ?? false;
    record.request = saved.request;
    if (saved.answer !== undefined) record.answer.set(saved.answer);
    record.startedAt = saved.startedAt;
    record.nested = saved.nested;
    record.settled = saved.settled;
    record.verdict = saved.verdict;
    record.released = saved.released ?? false;
    return record;
  }

  /** A run that goes on from here begins its body again. */
  get isRestarted(): boolean {
    return this.begun && this.nested === undefined && this.settled === undefined && this.running?.isSet !== true;
  }

  save(): CheckpointCall {
    const answer = this.answer.value;
    const { call, effective, cleared, approved, request, startedAt, nested, running, verdict, released } = this;
    const settled = this.settled ?? (running?.value && { ...running.value, unseen: true as const });
    return {
      call,
      ...(effective !== call && { effective }),
      ...(cleared && { cleared }),
      ...(approved && { approved }),
      ...(request !== undefined && { request }),
      // Said already, so that nobody is asked again; a `suspend` is no answer.
      ...(request !== undefined && answer !== undefined && answer.type !== 'suspend' && { answer }),
      ...(startedAt !== undefined && nested !== undefined && { startedAt }),
      ...(nested !== undefined && { nested }),
      ...(settled !== undefined && { settled }),
      ...(verdict !== undefined && { verdict }),
      ...(released && { released }),
    };
  }
}
