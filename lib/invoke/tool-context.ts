import { defer, map, of } from 'rxjs';
import type { Observable } from 'rxjs';
import type { ApprovalAnswer } from '../approval.ts';
import { ToolError } from '../errors.ts';
import type { CustomEvent, PlanEvent, StateEvent, Status } from '../event.ts';
import type { ToolContext } from '../tool.ts';
import { toJson } from './to-json.ts';

type Told<Event> = Omit<Event, 'runId' | 'parent'>;

/** What a body tells its host. */
export type HostSaid = Told<Status> | Told<PlanEvent> | Told<StateEvent> | Told<CustomEvent>;

/** A question of a running body. */
export type Question = Parameters<ToolContext['input']>[0];

/** The body's side of a call: what becomes of what its context is used for. */
export interface Voice {
  /** The call is answered: nothing more is heard. */
  isOver(): boolean;
  progress(value: unknown): void;
  host(said: HostSaid): void;
  /** The body said something that JSON cannot carry. */
  unsayable(what: string, reason: string): void;
  signal(): AbortSignal;
  ask(question: Question): Observable<ApprovalAnswer>;
}

/** Who calls: what the tool's context tells it. */
export type Caller = Pick<ToolContext, 'callId' | 'runId' | 'step'> & Partial<Pick<ToolContext, 'scratch'>>;

/**
 * The context of one body. Functions of their own, not methods: a tool may take them apart.
 *
 * @internal
 */
export function toolContext(caller: Caller, voice: Voice): ToolContext {
  const say = (said: HostSaid, what: string): void => {
    if (voice.isOver()) return;
    const json = toJson(said);
    if (json.ok) voice.host(json.value as HostSaid);
    else voice.unsayable(what, json.reason);
  };
  return {
    scratch: new Map(),
    ...caller,
    get signal() {
      return voice.signal();
    },
    progress(value) {
      if (!voice.isOver()) voice.progress(value);
    },
    status: (text) => say({ type: 'status', text: String(text) }, 'status'),
    plan: (entries) => say({ type: 'plan', entries }, 'plan'),
    state: (patch) => say({ type: 'state', patch }, 'state patch'),
    emit: ({ name, data }) => say({ type: 'custom', name, data }, 'custom event'),
    input: (question) =>
      defer(() => {
        if (voice.isOver()) return of<ApprovalAnswer>({ type: 'decline', reason: 'The call is answered already.' });
        const json = toJson(question);
        if (!json.ok) throw new ToolError('other', `The question cannot be sent: ${json.reason}.`);
        return voice.ask((json.value ?? {}) as Question);
      }).pipe(map((answer) => (answer.type === 'input' || answer.type === 'decline' ? answer : { type: 'decline' }))),
  };
}
