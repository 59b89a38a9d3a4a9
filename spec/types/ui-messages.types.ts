// What this library sends and reads is what the AI SDK's own types say, of both versions.
import type { ChatTransport as Transport7, UIMessage as Message7, UIMessageChunk as Chunk7 } from 'ai';
import type { ChatTransport as Transport6, UIMessage as Message6, UIMessageChunk as Chunk6 } from 'ai-v6';
import type { fromUiMessages, UiMessageChunk, UiMessageTransport } from '../../lib/projections/ui-messages.ts';

type Only7 = 'reset-step' | 'tool-approval-response';

export const chunk7 = (chunk: UiMessageChunk): Chunk7 => chunk;
export const chunk6 = (chunk: Exclude<UiMessageChunk, { type: Only7 }>): Chunk6 => chunk;

export const transport7 = (transport: UiMessageTransport): Transport7<Message7> => transport;
export const transport6 = (transport: UiMessageTransport): Pick<Transport6<Message6>, 'reconnectToStream'> => transport;

export const posted7 = (messages: Message7[]): Parameters<typeof fromUiMessages>[0] => messages;
export const posted6 = (messages: Message6[]): Parameters<typeof fromUiMessages>[0] => messages;
