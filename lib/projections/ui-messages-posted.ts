import { defer, map, of, startWith } from 'rxjs';
import type { Observable, OperatorFunction } from 'rxjs';
import type { LoopEvent } from '../event.ts';
import type { UiMessage } from './ui-messages-chunk.ts';
import { fromUiMessages } from './ui-messages-input.ts';
import type { UiConversation } from './ui-messages-input.ts';
import { startOf } from './posted-run.ts';
import type { PostedRun, SuspendedRun } from './posted-run.ts';

/**
 * A body of `POST /runs` that a transport of the AI SDK has posted: `messages` with ids and parts. Nothing for a body in the
 * door's own words. The id of the chat is the thread; that of the message that goes on is the run's.
 *
 * Contract:
 * - fails: with a `ConfigError` as of {@link fromUiMessages}.
 *
 * @returns one value
 * @internal
 */
export function uiMessagesPosted(body: unknown, suspended: SuspendedRun, write: Write): Observable<PostedRun | undefined> {
  return isPosted(body) ? defer(() => readPosted(body, suspended, write)) : of(undefined);
}

type Write = (messageId: string | undefined) => OperatorFunction<LoopEvent, string>;

function readPosted(body: Posted, suspended: SuspendedRun, write: Write): Observable<PostedRun> {
  const { id, messages: posted, messageId: _messageId, trigger: _trigger, ...rest } = body;
  const conversation = fromUiMessages(posted);
  const { answers, messageId } = conversation;
  const isAnswered = messageId !== undefined && Object.keys(answers).length > 0;
  const run$ = isAnswered ? suspended(messageId).pipe(map((checkpoint) => (checkpoint === undefined ? undefined : { runId: messageId, answers }))) : of(undefined);
  return run$.pipe(map((goesOn) => postedRun(id, rest, conversation, goesOn, write)));
}

function postedRun(id: unknown, rest: object, { messages, answers, messageId, system }: UiConversation, goesOn: PostedRun['goesOn'], write: Write): PostedRun {
  return {
    body: {
      ...rest, messages, onRequest: 'suspend',
      ...(typeof id === 'string' && id !== '' && { threadId: id }),
      ...(system !== undefined && { system }),
    },
    ...(goesOn !== undefined && { goesOn }),
    isLost: goesOn === undefined && Object.values(answers).some(({ type }) => type !== 'result'),
    encode: (events$) => events$.pipe(startWith(...startOf(goesOn)), write(messageId)),
  };
}

interface Posted {
  readonly messages: readonly UiMessage[];
  readonly [field: string]: unknown;
}

function isPosted(body: unknown): body is Posted {
  const { messages, prompt } = (body ?? {}) as { readonly messages?: unknown; readonly prompt?: unknown };
  return prompt === undefined && Array.isArray(messages) && messages.some((message) => Array.isArray((message as { readonly parts?: unknown } | null)?.parts));
}
