import { userMessage } from '../index.ts';
import type { ApprovalAnswer, Message, UserMessage } from '../index.ts';
import { messageSchema } from '../schema.ts';
import { clientTools } from './client-tools.ts';
import type { ClientTool } from './client-tools.ts';
import { Problem } from './problem.ts';
import { isRunId } from './run-id.ts';

/** What `POST /runs` asks for. Other fields are the host's own: they reach `start` unread. */
export interface RunRequest {
  /** It follows `messages`; one of the two is there. */
  readonly prompt?: string;
  readonly messages?: readonly Message[];
  readonly threadId?: string;
  readonly runId?: string;
  /** Tools that who asks runs: a run that calls one asks for its result. */
  readonly clientTools?: readonly ClientTool[];
  /** What the run does when it asks and the host does not answer itself: it waits, or ends with a checkpoint. Default `wait`. */
  readonly onRequest?: 'wait' | 'suspend';
  readonly [field: string]: unknown;
}

/**
 * Reads a body of `POST /runs`.
 *
 * @throws Problem 400 that names the field and what it must be
 * @internal
 */
export function runRequest(body: unknown): RunRequest {
  const fields = record(body, 'The body');
  const { prompt, messages, threadId, runId, onRequest } = fields;
  if (prompt === undefined && messages === undefined) throw invalid('prompt and messages are both missing: give one of them.');
  if (prompt !== undefined && (typeof prompt !== 'string' || prompt.trim() === '')) throw invalid('prompt must be a text that is not empty.');
  if (messages !== undefined) checkMessages(messages, prompt !== undefined);
  if (threadId !== undefined && (typeof threadId !== 'string' || threadId === '' || threadId.length > 256)) throw invalid('threadId must be a text of 1 to 256 characters.');
  if (runId !== undefined && !isRunId(runId)) throw invalid('runId must be 1 to 128 letters, digits, - and _; or leave it out.');
  if (onRequest !== undefined && onRequest !== 'wait' && onRequest !== 'suspend') throw invalid('onRequest must be "wait" or "suspend".');
  clientTools(fields['clientTools']);
  return fields as unknown as RunRequest;
}

/**
 * Reads a body of `POST /runs/:id/steer`: `{ message }`, a text or a user message.
 *
 * @throws Problem 400
 */
export function steerRequest(body: unknown): UserMessage {
  const { message } = record(body, 'The body');
  if (typeof message === 'string' && message.trim() !== '') return userMessage(message);
  const read = messageSchema.safeParse(message);
  if (!read.success || read.data.role !== 'user') throw invalid('message must be a text that is not empty, or a message of the user.');
  return read.data;
}

/**
 * Reads a body of `POST /runs/:id/answers`: `{ answers: { [request id]: answer } }`.
 *
 * @throws Problem 400
 */
export function answersRequest(body: unknown): ReadonlyMap<string, ApprovalAnswer> {
  const given = Object.entries(record(record(body, 'The body')['answers'], 'answers'));
  if (given.length === 0) throw invalid('answers is empty: give an answer for each request by its id.');
  return new Map(given.map(([id, answer]) => [id, readAnswer(answer, id)]));
}

function readAnswer(value: unknown, id: string): ApprovalAnswer {
  const answer = record(value, `answers[${JSON.stringify(id.slice(0, 100))}]`);
  const { type, reason, content, isError } = answer;
  const isText = (one: unknown): boolean => one === undefined || typeof one === 'string';
  const right: Readonly<Record<string, boolean>> = {
    approve: true,
    decline: isText(reason),
    stop: isText(reason),
    result: (typeof content === 'string' || isContent(content)) && (isError === undefined || typeof isError === 'boolean'),
    input: 'value' in answer,
  };
  if (typeof type !== 'string' || !Object.hasOwn(right, type)) throw invalid('the type of an answer must be approve, decline, result, input or stop.');
  if (right[type] !== true) throw invalid(`an answer of type ${type} has a field that is missing or wrong.`);
  return answer as unknown as ApprovalAnswer;
}

/** Content of a result is what a user message may hold too: text, images, files. */
function isContent(value: unknown): boolean {
  return Array.isArray(value) && messageSchema.safeParse({ role: 'user', content: value }).success;
}

function checkMessages(messages: unknown, hasPrompt: boolean): void {
  if (!Array.isArray(messages) || (messages.length === 0 && !hasPrompt)) throw invalid('messages must be a list of one message or more.');
  for (const [at, message] of messages.entries()) {
    const issue = messageSchema.safeParse(message).error?.issues[0];
    if (issue !== undefined) throw invalid(`messages.${[at, ...issue.path].map(String).join('.').slice(0, 200)} is wrong: it is no message as the documentation has it.`);
  }
}

function record(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  throw invalid(`${name} must be an object.`);
}

function invalid(what: string): Problem {
  return new Problem(400, 'invalid-body', what[0]?.toUpperCase() + what.slice(1));
}
