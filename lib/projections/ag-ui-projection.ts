import { errorText, isLoopError } from '../errors.ts';
import type { Checkpoint } from '../checkpoint.ts';
import type { EventOf, LoopEvent, Parent } from '../event.ts';
import { agUiAside } from './ag-ui-aside.ts';
import { agUiContent } from './ag-ui-content.ts';
import { AgUiDesk } from './ag-ui-desk.ts';
import type { AgUiEvent, AgUiInput, AgUiOutcome } from './ag-ui-event.ts';
import { agUiInterrupt } from './ag-ui-interrupt.ts';
import { AgUiLane } from './ag-ui-lane.ts';
import { agUiResult } from './ag-ui-result.ts';
import { patchedState } from './ag-ui-state.ts';
import { AgUiSubagents } from './ag-ui-subagents.ts';
import { AgUiWork } from './ag-ui-work.ts';
import { openRequests } from '../open-requests.ts';

/** What {@link toAgUi} is given. */
export interface AgUiOptions {
  /**
   * What the client sent: its ids are those of the stream, its messages those that a snapshot must name. A function makes it
   * of the first event, for a client that has sent nothing.
   */
  readonly input: AgUiInput | ((first: LoopEvent | undefined) => AgUiInput);
  /** The application's state as the run finds it, told first. Default: the input's, which the client has. */
  readonly state?: unknown;
  /** Keeps the text of errors from those who use the application. Default: true. */
  readonly mask?: boolean;
}

/** The options with the input made. */
export interface AgUiSettings extends AgUiOptions {
  readonly input: AgUiInput;
}

/**
 * One stream of AG-UI events: what each loop event adds to it, and what ends it. Nothing comes after the ending.
 *
 * @internal
 */
export class AgUiProjection {
  private readonly options: AgUiSettings;
  private readonly desk: AgUiDesk;
  private readonly work: AgUiWork;
  private readonly subagents: AgUiSubagents;
  private readonly patches: EventOf<'state'>['patch'][] = [];
  private root: AgUiLane | undefined;
  private ended = false;

  constructor(options: AgUiSettings) {
    this.options = options;
    this.desk = new AgUiDesk(options.input.messages, options.mask ?? true);
    this.work = new AgUiWork(this.desk);
    this.subagents = new AgUiSubagents(this.desk);
  }

  next(event: LoopEvent): readonly AgUiEvent[] {
    if (this.ended) return [];
    const lane = isNested(event) ? this.laneOf(event) : this.begin(event.runId);
    // What a sub-agent says after its end.
    if (lane === undefined) return [];
    this.tell(event, lane);
    return this.desk.take();
  }

  fail(error: unknown): readonly AgUiEvent[] {
    if (this.ended) return [];
    const code = isLoopError(error) ? error.code : 'other';
    this.begin('');
    this.failed(code, errorText(error));
    return this.desk.take();
  }

  /** A source that completes without a `done` was cut off by whoever runs it. */
  complete(): readonly AgUiEvent[] {
    if (this.ended) return [];
    this.begin('');
    this.finished({ type: 'cancelled' }, {});
    return this.desk.take();
  }

  private begin(runId: string): AgUiLane {
    if (this.root === undefined) {
      this.root = new AgUiLane(runId, false, this.desk);
      this.desk.say({ type: 'RUN_STARTED', ...this.ids(), protocolVersion: '1.0' });
      if (this.options.state !== undefined) this.desk.say({ type: 'STATE_SNAPSHOT', snapshot: this.options.state });
    }
    return this.root;
  }

  private laneOf(event: LoopEvent & { readonly parent: Parent }): AgUiLane | undefined {
    const { runId, parent } = event;
    const root = this.begin(parent.runId);
    // Of a run that was suspended, the call around it has begun then.
    if (!this.subagents.has(runId)) this.work.goOn({ ...parent, ...(parent.runId !== root.runId && { parent }) }, this.desk.messages.toolOf(parent.callId));
    return this.subagents.laneOf(event, root);
  }

  private tell(event: LoopEvent, lane: AgUiLane): void {
    switch (event.type) {
      case 'step-start':
        return lane.startStep(event);
      case 'delta':
        return lane.delta(event);
      case 'step-end':
        return lane.endStep(event);
      case 'step-retract':
        return lane.retract(event);
      case 'tool-call':
        return lane.announce(event.call);
      case 'tool-start':
        return this.work.start(event);
      case 'tool-progress':
        return this.work.progress(event);
      case 'tool-dropped':
        return this.work.drop(event);
      case 'tool-result':
        return this.answer(event, lane);
      case 'steering':
        return this.hear(event);
      case 'done':
        if (event.parent !== undefined) return this.subagents.done(event);
        return this.done(event);
      case 'fallback':
        lane.fallBack(event.to);
        break;
      case 'state':
        this.patches.push(event.patch);
        break;
      case 'run-start':
      case 'tool-commit':
        return;
      default:
    }
    const aside = agUiAside(event, this.desk);
    if (aside !== undefined) this.desk.say(aside);
  }

  private answer(event: EventOf<'tool-result'>, lane: AgUiLane): void {
    this.subagents.close('error', event);
    this.work.finish(event);
    lane.answer(event.callId, agUiResult(event.result, this.desk.mask));
  }

  /** What the user says while the run goes on: text as a message of its own, more than text in a snapshot of all messages. */
  private hear({ runId, messages }: EventOf<'steering'>): void {
    for (const { content } of messages) {
      const id = this.desk.newId(`${runId}/steering`);
      const said = agUiContent(content);
      if (typeof said === 'string') {
        this.desk.say({ type: 'TEXT_MESSAGE_START', messageId: id, role: 'user' });
        this.desk.say({ type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta: said });
        this.desk.say({ type: 'TEXT_MESSAGE_END', messageId: id });
      } else {
        this.desk.messages.add({ id, role: 'user', content: said });
        this.desk.snapshot();
      }
    }
  }

  private done({ outcome }: EventOf<'done'>): void {
    const { reason, completion, checkpoint, stopped, error } = outcome;
    if (reason === 'error') return this.failed(error?.code ?? 'other', error?.message ?? '');
    if (reason === 'suspended') return this.suspended(checkpoint);
    if (reason === 'aborted') return this.finished({ type: 'cancelled' }, {});
    const { text, json } = completion;
    const result = { reason, text, ...(json !== undefined && { json }), ...(!this.desk.mask && stopped && { stopped }) };
    return this.finished({ type: 'success' }, { result });
  }

  /** Approvals are interrupts; what only waits for tools of the client is a success that names their calls. */
  private suspended(checkpoint: Checkpoint | undefined): void {
    const open = openRequests(checkpoint);
    this.subagents.suspend(open);
    this.close('suspended');
    const runId = this.root?.runId ?? '';
    const interrupts = open.flatMap((request) => (request.kind === 'result' ? [] : [agUiInterrupt(request, runId)]));
    if (interrupts.length === 0) return this.finished({ type: 'success', pendingToolCallIds: open.map(({ callId }) => callId) }, {}, 'suspended');
    const { state, input } = this.options;
    this.desk.say({ type: 'STATE_SNAPSHOT', snapshot: patchedState(state ?? input.state ?? {}, this.patches) });
    this.desk.snapshot();
    return this.finished({ type: 'interrupt', interrupts }, {}, 'suspended');
  }

  private finished(outcome: AgUiOutcome, more: { readonly result?: unknown }, reason = 'ended'): void {
    this.close(reason);
    this.desk.say({ type: 'RUN_FINISHED', ...this.ids(), ...more, outcome, ...this.desk.usage.field() });
    this.ended = true;
  }

  private failed(code: string, message: string): void {
    this.close('error');
    this.desk.say({ type: 'RUN_ERROR', message: this.desk.mask ? 'The run failed.' : message, code, ...this.desk.usage.field() });
    this.ended = true;
  }

  /** Closes all that is open, from the inside. A run that is suspended leaves its calls to the one that goes on. */
  private close(reason: string): void {
    this.subagents.close(reason);
    this.work.close(reason === 'suspended' ? 'waiting' : 'dropped');
    if (reason === 'suspended') this.root?.close();
    else this.root?.abandon();
  }

  private ids(): { readonly threadId: string; readonly runId: string } {
    const { threadId, runId } = this.options.input;
    return { threadId, runId };
  }
}

function isNested(event: LoopEvent): event is LoopEvent & { readonly parent: Parent } {
  return event.parent !== undefined;
}
