/** What is needed of an MCP client: that of the packages `@modelcontextprotocol/client` and `@modelcontextprotocol/sdk` fits. */
import type { JsonSchema } from '../tool.ts';

/**
 * A connected client. It stays the caller's own: nothing here connects or closes it. What takes different arguments in
 * the two packages has no types here.
 */
export interface McpClient {
  /** One page or, without a cursor, all of them. */
  listTools(params?: { cursor?: string }): PromiseLike<McpPage>;
  callTool(params: never, ...rest: never[]): PromiseLike<unknown>;
  setNotificationHandler?(what: never, handler: never): void;
  removeNotificationHandler?(method: string): void;
  setRequestHandler?(what: never, handler: never): void;
  removeRequestHandler?(method: string): void;
  /** Undefined before it is connected. */
  getServerCapabilities?(): { readonly tools?: unknown } | undefined;
  /** `modern` from protocol 2026-07-28 on: there changes are told to those alone who ask. */
  getProtocolEra?(): string | undefined;
  listen?(filter: { toolsListChanged?: boolean }): PromiseLike<{ close(): PromiseLike<void> }>;
}

export interface McpRequestOptions {
  signal?: AbortSignal;
  /** Milliseconds. */
  timeout?: number;
  maxTotalTimeout?: number;
  resetTimeoutOnProgress?: boolean;
  onprogress?: (progress: McpProgress) => void;
}

/** What a server says of a call while it runs. */
export interface McpProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface McpPage {
  readonly tools: readonly McpTool[];
  readonly nextCursor?: string | undefined;
}

/** A tool as its server lists it. What its annotations say is a hint, and as true as the server is honest. */
export interface McpTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly annotations?: McpAnnotations | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

export interface McpAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/** What a call came to. */
export interface McpResult {
  readonly content?: readonly McpContent[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

export type McpContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: McpResource }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name?: string; readonly mimeType?: string; readonly description?: string };

export interface McpResource {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
}
