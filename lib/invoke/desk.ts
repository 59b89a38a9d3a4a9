import { catchError, concat, defer, EMPTY, map, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { firstAnswer } from '../answer.ts';
import type { ApprovalAnswer, ApprovalPort, ApprovalRequest } from '../approval.ts';
import { ApprovalError } from '../control-errors.ts';
import { errorText } from '../errors.ts';
import type { ApprovalAnswerEvent, ApprovalRequestEvent } from '../event.ts';
import type { Ids } from '../ids.ts';
import type { CallRecord } from './call-record.ts';
import { toJson } from './to-json.ts';

/** Where the requests of a run go: answers that a resumed run was given, then the application's port. */
export interface Desk {
  readonly port: ApprovalPort | undefined;
  /** By the id of the request; taken once. */
  readonly given: Map<string, ApprovalAnswer>;
  readonly ids: Ids;
}

type Asked = Pick<ApprovalRequest, 'kind' | 'schema' | 'reason'>;

/** A new request about a call. It is open from now on. */
export function openRequest(desk: Desk, record: CallRecord, { runId, step }: { readonly runId: string; readonly step: number }, asked: Asked): ApprovalRequest {
  const { kind, schema, reason } = asked;
  return {
    id: desk.ids('request'), kind, runId, step, callId: record.call.id, call: record.effective,
    ...(schema !== undefined && { schema }), ...(reason !== undefined && { reason }),
  };
}

export function requestEvent(request: ApprovalRequest): ApprovalRequestEvent {
  return { type: 'approval-request', ...request };
}

/**
 * Puts a request to whoever answers, once.
 *
 * Contract:
 * - starts: the port is called on subscribing.
 * - leaves: an answer that is still awaited.
 * - fails: with an {@link ApprovalError} where the port fails, or its answer is none.
 *
 * @returns one answer; no port and no opinion are `suspend`
 */
export function ask({ port, given }: Desk, request: ApprovalRequest): Observable<ApprovalAnswer> {
  return firstAnswer(() => {
    const known = given.get(request.id);
    given.delete(request.id);
    return known ?? port?.(request);
  }).pipe(
    map((said) => read(request, said ?? { type: 'suspend' })),
    catchError((error: unknown) => throwError(() => asError(request, error))),
  );
}

/** The answer as an event, unless nobody answered; `taken` hears it once the event has been said. */
export function answered(request: ApprovalRequest, said: ApprovalAnswer, taken: (answer: ApprovalAnswer) => void): Observable<ApprovalAnswerEvent> {
  const { runId, step, callId, id, kind } = request;
  const event$ = said.type === 'suspend' ? EMPTY : of<ApprovalAnswerEvent>({ type: 'approval-answer', runId, step, callId, id, kind, answer: said });
  return concat(
    event$,
    defer(() => {
      taken(said);
      return EMPTY;
    }),
  );
}

const FITTING: Readonly<Record<ApprovalRequest['kind'], ReadonlySet<string>>> = {
  approval: new Set(['approve', 'decline', 'suspend', 'stop']),
  result: new Set(['result', 'decline', 'suspend', 'stop']),
  input: new Set(['input', 'decline', 'suspend', 'stop']),
};

/**
 * Checks that an answer is one that this kind of request takes.
 *
 * @throws ApprovalError that names the request and what it takes
 */
export function checkAnswer(request: ApprovalRequest, said: ApprovalAnswer): void {
  const fitting = FITTING[request.kind];
  const { type } = (said ?? {}) as Partial<ApprovalAnswer>;
  if (!fitting.has(type ?? '')) {
    const given = typeof said === 'object' && said !== null ? JSON.stringify(type) : String(said);
    throw new ApprovalError(request.id, `The ${told(request)} was answered with ${given}; give an object whose type is one of ${[...fitting].join(', ')}.`);
  }
  if (said.type === 'result' && typeof said.content !== 'string' && !Array.isArray(said.content)) {
    throw new ApprovalError(request.id, `The answer to ${told(request)} has no content; give a text, or a list of parts.`);
  }
}

/** The answer as JSON has it. */
function read(request: ApprovalRequest, said: ApprovalAnswer): ApprovalAnswer {
  checkAnswer(request, said);
  const json = toJson(said);
  if (!json.ok) throw new ApprovalError(request.id, `The answer to ${told(request)} cannot be kept: ${json.reason}.`);
  return json.value as ApprovalAnswer;
}

function asError(request: ApprovalRequest, error: unknown): unknown {
  if (error instanceof ApprovalError) return error;
  return new ApprovalError(request.id, `The approvals of the run failed for ${told(request)}: ${errorText(error)}`, { cause: error });
}

/** How a request is called in an error. */
export function told({ id, kind, callId, call }: ApprovalRequest): string {
  return `request "${id}" (${kind}, call "${callId}" of tool "${call.name}")`;
}
