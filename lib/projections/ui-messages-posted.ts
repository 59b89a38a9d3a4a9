import { startWith } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import type { LoopEvent } from '../event.ts';
import type { UiMessage } from './ui-messages-chunk.ts';
import { fromUiMessages } from './ui-messages-input.ts';
import type { PostedRun, SuspendedRun } from './posted-run.ts';

/**
 * A body of `POST /runs` that a transport of the AI SDK has posted: `messages` with ids and parts. Nothing for a body in the
 * door's own words. The id of the chat is the thread; that of the message that goes on is the run's.
 *
 * @throws ConfigError as of {@link fromUiMessages}
 * @internal
 */
export async function uiMessagesPosted(
  body: unknown, suspended: SuspendedRun, write: (messageId: string | undefined) => OperatorFunction<LoopEvent, string>,
): Promise<PostedRun | undefined> {
  if (!isPosted(body)) return undefined;
  const { id, messages: posted, messageId: _messageId, trigger: _trigger, ...rest } = body;
  const { messages, answers, messageId, system } = fromUiMessages(posted);
  const isAnswered = messageId !== undefined && Object.keys(answers).length > 0;
  const goesOn = isAnswered && (await suspended(messageId)) !== undefined ? { runId: messageId, answers } : undefined;
  // The start of a run that goes on is not in its log twice.
  const start: readonly LoopEvent[] = goesOn === undefined ? [] : [{ type: 'run-start', runId: goesOn.runId, resumed: true }];
  return {
    body: {
      ...rest, messages, onRequest: 'suspend',
      ...(typeof id === 'string' && id !== '' && { threadId: id }),
      ...(system !== undefined && { system }),
    },
    ...(goesOn !== undefined && { goesOn }),
    isLost: goesOn === undefined && Object.values(answers).some(({ type }) => type !== 'result'),
    encode: (events$) => events$.pipe(startWith(...start), write(messageId)),
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
