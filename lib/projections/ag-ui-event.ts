/**
 * AG-UI 1.0 as data: the events that a run says in it, and the messages that a client holds. Structural, so that nothing
 * of AG-UI is loaded; `spec/types/ag-ui.types.ts` compares them with the types of `@ag-ui/core`.
 */
import type { JsonPatchOperation } from '../host.ts';
import type { Meta } from '../message.ts';

interface Said<Type extends string> {
  readonly type: Type;
  /** Open by key. */
  readonly metadata?: Meta;
}

/** Of the run itself, or of the sub-agent that it names. */
interface Owned<Type extends string> extends Said<Type> {
  readonly subagentRunId?: string;
}

interface OfMessage<Type extends string> extends Owned<Type> {
  readonly messageId: string;
}

interface OfCall<Type extends string> extends Owned<Type> {
  readonly toolCallId: string;
}

interface OfRun<Type extends string> extends Said<Type> {
  readonly threadId: string;
  readonly runId: string;
}

type Run =
  | (OfRun<'RUN_STARTED'> & { readonly protocolVersion: string })
  | (OfRun<'RUN_FINISHED'> & { readonly outcome: AgUiOutcome; readonly result?: unknown; readonly usage?: readonly AgUiTokenUsage[] })
  | (Said<'RUN_ERROR'> & { readonly message: string; readonly code?: string; readonly usage?: readonly AgUiTokenUsage[] })
  | (Owned<'STEP_STARTED'> & { readonly stepName: string })
  | (Owned<'STEP_FINISHED'> & { readonly stepName: string });

type Spoken =
  | (OfMessage<'TEXT_MESSAGE_START'> & { readonly role: 'assistant' | 'user' })
  | (OfMessage<'TEXT_MESSAGE_CONTENT'> & { readonly delta: string })
  | OfMessage<'TEXT_MESSAGE_END'>
  | OfMessage<'REASONING_START'>
  | (OfMessage<'REASONING_MESSAGE_START'> & { readonly role: 'reasoning' })
  | (OfMessage<'REASONING_MESSAGE_CONTENT'> & { readonly delta: string })
  | OfMessage<'REASONING_MESSAGE_END'>
  | OfMessage<'REASONING_END'>
  | (Owned<'REASONING_ENCRYPTED_VALUE'> & { readonly subtype: 'message' | 'tool-call'; readonly entityId: string; readonly encryptedValue: string });

type Called =
  | (OfCall<'TOOL_CALL_START'> & { readonly toolCallName: string; readonly parentMessageId: string })
  | (OfCall<'TOOL_CALL_ARGS'> & { readonly delta: string })
  | OfCall<'TOOL_CALL_END'>
  | (OfCall<'TOOL_CALL_RESULT'> & { readonly messageId: string; readonly content: AgUiContent; readonly role: 'tool' });

type Held =
  | (Owned<'STATE_SNAPSHOT'> & { readonly snapshot: unknown })
  | (Owned<'STATE_DELTA'> & { readonly delta: readonly JsonPatchOperation[] })
  | (Said<'MESSAGES_SNAPSHOT'> & { readonly messages: readonly AgUiMessage[] })
  | (OfMessage<'ACTIVITY_SNAPSHOT'> & { readonly activityType: string; readonly content: Meta })
  | (Owned<'CUSTOM'> & { readonly name: string; readonly value: unknown });

type Subagent =
  | (Said<'SUBAGENT_STARTED'> & { readonly subagentRunId: string; readonly name: string; readonly parentSubagentRunId?: string; readonly parentToolCallId: string })
  | (Said<'SUBAGENT_FINISHED'> & {
      readonly subagentRunId: string;
      readonly result?: unknown;
      readonly outcome: { readonly type: 'success' } | { readonly type: 'suspended'; readonly interruptIds: readonly string[] };
    })
  | (Said<'SUBAGENT_ERROR'> & { readonly subagentRunId: string; readonly message: string; readonly code?: string });

/** An event of AG-UI 1.0: those of its types that a run needs. */
export type AgUiEvent = Run | Spoken | Called | Held | Subagent;

/** How a run ended that did not fail. */
export type AgUiOutcome =
  | { readonly type: 'success'; readonly pendingToolCallIds?: readonly string[] }
  | { readonly type: 'interrupt'; readonly interrupts: readonly AgUiInterrupt[] }
  | { readonly type: 'cancelled' };

/** What a run waits for; an entry of the next input's `resume` answers it by `id`. */
export interface AgUiInterrupt {
  readonly id: string;
  /** `tool_call`: may it run? `input_required`: a value is wanted. */
  readonly reason: 'tool_call' | 'input_required';
  readonly message?: string;
  readonly toolCallId: string;
  /** JSON Schema of the answer's `payload`. */
  readonly responseSchema: Meta;
  readonly subagentRunId?: string;
  readonly metadata: Meta;
}

/** Tokens of one model: cached and reasoning counts are parts of input and output. */
export interface AgUiTokenUsage {
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteInputTokens?: number;
}

export type AgUiContent = string | readonly AgUiContentPart[];
export type AgUiContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio' | 'video' | 'document'; readonly source: AgUiSource; readonly metadata?: unknown };
export type AgUiSource =
  | { readonly type: 'data'; readonly value: string; readonly mimeType: string }
  | { readonly type: 'url'; readonly value: string; readonly mimeType?: string }
  | { readonly type: 'file'; readonly value: string; readonly mimeType?: string; readonly provider?: string };

interface OwnMessage<Role extends string> {
  readonly id: string;
  readonly role: Role;
  readonly encryptedValue?: string;
  readonly metadata?: Meta;
  /** The sub-agent that it belongs to. */
  readonly subagentRunId?: string;
}

export interface AgUiToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly encryptedValue?: string;
  readonly metadata?: Meta;
}

/** A message as a client holds it. */
export type AgUiMessage =
  | (OwnMessage<'developer' | 'system' | 'reasoning'> & { readonly content: string })
  | (OwnMessage<'assistant'> & { readonly content?: string; readonly toolCalls?: readonly AgUiToolCall[] })
  | (OwnMessage<'user'> & { readonly content: AgUiContent })
  | (OwnMessage<'tool'> & { readonly content: AgUiContent; readonly toolCallId: string; readonly error?: string })
  | (OwnMessage<'activity'> & { readonly activityType: string; readonly content: Meta });

/** What a client sends to start a run, or to go on with one. */
export interface AgUiInput {
  readonly threadId: string;
  readonly runId: string;
  readonly messages: readonly AgUiMessage[];
  readonly tools?: readonly { readonly name: string; readonly description: string; readonly parameters?: unknown }[];
  readonly context?: readonly { readonly description: string; readonly value: string }[];
  readonly state?: unknown;
  readonly forwardedProps?: unknown;
  readonly resume?: readonly { readonly interruptId: string; readonly status: 'resolved' | 'cancelled'; readonly payload?: unknown }[];
}
