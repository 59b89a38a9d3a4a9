import type { EventOf } from '../event.ts';
import type { Meta } from '../message.ts';
import type { AgUiDesk } from './ag-ui-desk.ts';

/** A call that somebody works on; `parent` where it is one of a sub-agent. */
type Work = Pick<EventOf<'tool-start' | 'tool-progress' | 'tool-result' | 'tool-dropped'>, 'callId' | 'runId' | 'parent'>;

/**
 * What tools are doing, as activities of type `TOOL`: one for each call that started, replaced as it goes on. Each says
 * the tool's name and, in a sub-agent, the call that it belongs to.
 *
 * @internal
 */
export class AgUiWork {
  private readonly desk: AgUiDesk;
  /** Of the calls that run, by their id. */
  private readonly running = new Map<string, { readonly of: Work; readonly content: Meta }>();

  constructor(desk: AgUiDesk) {
    this.desk = desk;
  }

  start(event: EventOf<'tool-start'>): void {
    const { callId, call, title, kind, startedAt, speculative, parent } = event;
    this.show(event, {
      toolCallId: callId, toolName: call.name, status: 'running', startedAt,
      ...(title !== undefined && { title }), ...(kind !== undefined && { kind }), ...(speculative && { speculative }),
      ...(parent !== undefined && { parentToolCallId: parent.callId }),
    });
  }

  /** A call that began before its run was suspended, and goes on. */
  goOn(of: Work, toolName: string | undefined): void {
    if (this.running.has(of.callId)) return;
    this.show(of, { toolCallId: of.callId, ...(toolName !== undefined && { toolName }), status: 'running' });
  }

  progress(event: EventOf<'tool-progress'>): void {
    this.show(event, { ...this.running.get(event.callId)?.content, progress: event.progress });
  }

  finish(event: EventOf<'tool-result'>): void {
    const { isError, display } = event.result;
    const isShown = display !== undefined && !(isError && this.desk.mask);
    this.end(event, { status: isError ? 'failed' : 'done', elapsedMs: event.elapsedMs, ...(isShown && { display }) });
  }

  drop(event: EventOf<'tool-dropped'>): void {
    this.end(event, { status: 'dropped', elapsedMs: event.elapsedMs });
  }

  /** Says that nobody works any more, or not until the run goes on. */
  close(status: 'dropped' | 'waiting'): void {
    for (const { of, content } of this.running.values()) this.show(of, { ...content, status });
    this.running.clear();
  }

  /** A call that never started has no activity. */
  private end(event: Work, more: Meta): void {
    const content = this.running.get(event.callId)?.content;
    if (content === undefined) return;
    this.show(event, { ...content, ...more });
    this.running.delete(event.callId);
  }

  private show(of: Work, content: Meta): void {
    const { callId, runId, parent } = of;
    this.running.set(callId, { of, content });
    const tag = parent === undefined ? {} : { subagentRunId: runId };
    this.desk.say({ type: 'ACTIVITY_SNAPSHOT', messageId: `${runId}/tool/${callId}`, activityType: 'TOOL', content, ...tag });
  }
}
