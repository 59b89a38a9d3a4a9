/**
 * The chunks of the AI SDK's UI message stream, as far as {@link toUiMessages} sends them. Structural: the package `ai` is
 * not needed. A client that gets a type that it does not know fails for good, so what only version 7 knows is marked.
 */

/** JSON as the AI SDK types it: mutable, and a field may be `undefined`. */
export type UiJson = null | string | number | boolean | UiJson[] | { [key: string]: UiJson | undefined };

/** What a provider attached, by its name. This library's own entry is `rx-tool-loop`. */
export type UiProviderMetadata = Record<string, { [key: string]: UiJson | undefined }>;

interface Attached {
  providerMetadata?: UiProviderMetadata;
}

interface OfTool extends Attached {
  toolCallId: string;
  /** The client has no types for this tool: its part is a `dynamic-tool`. */
  dynamic?: boolean;
  /** The provider ran it itself. */
  providerExecuted?: boolean;
}

interface ToolInput extends OfTool {
  toolName: string;
  title?: string;
}

export type UiFinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

export type UiMessageChunk =
  | { type: 'start'; messageId?: string; messageMetadata?: unknown }
  | { type: 'start-step' }
  /** Takes back every part since `start-step`. Version 7. */
  | { type: 'reset-step' }
  | { type: 'finish-step' }
  | { type: 'finish'; finishReason?: UiFinishReason; messageMetadata?: unknown }
  | { type: 'message-metadata'; messageMetadata: unknown }
  | { type: 'abort'; reason?: string }
  | { type: 'error'; errorText: string }
  | ({ type: 'text-start' | 'reasoning-start'; id: string } & Attached)
  | ({ type: 'text-delta' | 'reasoning-delta'; id: string; delta: string } & Attached)
  | ({ type: 'text-end' | 'reasoning-end'; id: string } & Attached)
  | ({ type: 'tool-input-start' } & ToolInput)
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | ({ type: 'tool-input-available'; input: unknown } & ToolInput)
  | ({ type: 'tool-input-error'; input: unknown; errorText: string } & ToolInput)
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string; reason?: string }
  /** Version 7. */
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
  | ({ type: 'tool-output-available'; output: unknown; preliminary?: boolean; toolMetadata?: { [key: string]: UiJson | undefined } } & OfTool)
  | ({ type: 'tool-output-error'; errorText: string } & OfTool)
  | { type: 'tool-output-denied'; toolCallId: string }
  | ({ type: 'source-url'; sourceId: string; url: string; title?: string } & Attached)
  | ({ type: 'source-document'; sourceId: string; mediaType: string; title: string } & Attached)
  | ({ type: 'file'; url: string; mediaType: string } & Attached)
  | { type: `data-${string}`; id?: string; data: unknown; transient?: boolean };

/** A UI message as a client posts it. What is in its parts is checked where it is read. */
export interface UiMessage {
  readonly id?: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly { readonly type: string }[];
}
