import type { LoopEvent, Parent } from '../event.ts';
import type { UiCalls } from './ui-messages-calls.ts';
import type { UiMessageChunk } from './ui-messages-chunk.ts';

/** What turns events of one run into the chunks of its message. */
interface Writer {
  said(event: LoopEvent): UiMessageChunk[];
}

interface NestedRun {
  readonly parent: Parent;
  readonly writer: Writer;
  readonly name: string | undefined;
  steps: number;
  state: 'running' | 'waiting' | 'done' | 'error';
}

/**
 * The runs below a message's own. Each is one part `data-nested`, replaced as it goes on; its own chunks pass by as
 * `data-nested-chunk`. A call of theirs that a person has to answer is a tool part of the message, because a client can
 * answer nothing else.
 *
 * @internal
 */
export class UiNested {
  private readonly runs = new Map<string, NestedRun>();
  /** The tool that each call below is of. */
  private readonly names = new Map<string, string>();
  private readonly lifted = new Set<string>();
  private readonly calls: UiCalls;
  private readonly writerOf: () => Writer;

  constructor(calls: UiCalls, writerOf: () => Writer) {
    this.calls = calls;
    this.writerOf = writerOf;
  }

  *said(event: LoopEvent): Generator<UiMessageChunk> {
    const { runId, parent } = event;
    // A run that nobody has asked for here, such as the next one of a conversation, is no part of this message.
    if (parent === undefined) return;
    let run = this.runs.get(runId);
    if (run === undefined) {
      run = { parent, writer: this.writerOf(), name: this.calls.nameOf(parent.callId) ?? this.names.get(parent.callId), steps: 0, state: 'running' };
      this.runs.set(runId, run);
      yield told(runId, run);
    }
    for (const chunk of run.writer.said(event)) yield { type: 'data-nested-chunk', data: { runId, chunk }, transient: true };
    if (event.type === 'tool-call') this.names.set(event.callId, event.call.name);
    if (event.type === 'step-end') run.steps += 1;
    if (event.type === 'done') {
      run.state = 'done';
      const { reason, completion, usage } = event.outcome;
      yield told(runId, run, { reason, text: completion.text, usage });
    }
    yield* this.asked(event);
  }

  /** A call has its result: what ran below it and has not ended has failed. */
  *closed(callId: string): Generator<UiMessageChunk> {
    for (const [runId, run] of this.runs) {
      if (run.parent.callId !== callId || run.state !== 'running') continue;
      run.state = 'error';
      yield told(runId, run);
    }
  }

  /** The run is suspended, and with it what has not ended below it. */
  *waits(): Generator<UiMessageChunk> {
    for (const [runId, run] of this.runs) {
      if (run.state !== 'running') continue;
      run.state = 'waiting';
      yield told(runId, run);
    }
  }

  private *asked(event: LoopEvent): Generator<UiMessageChunk> {
    if (event.type === 'approval-request' && event.kind !== 'input') {
      this.lifted.add(event.callId);
      yield* this.calls.lift(event.call, event.runId);
      yield* this.calls.ask(event);
    }
    if (event.type === 'approval-answer' && event.kind !== 'input') {
      this.lifted.add(event.callId);
      yield* this.calls.answer(event);
    }
    if (event.type !== 'tool-result') return;
    yield* this.closed(event.callId);
    if (this.lifted.has(event.callId)) yield* this.calls.settle(event.call, event.result);
  }
}

function told(runId: string, { parent, name, steps, state }: NestedRun, outcome: object = {}): UiMessageChunk {
  return { type: 'data-nested', id: runId, data: { runId, parent, ...(name !== undefined && { name }), state, steps, ...outcome } };
}
