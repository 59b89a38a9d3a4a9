/** Questions that a run puts to a person or a client, and their answers. */
import type { JsonSchema } from './tool.ts';
import type { Answer } from './tool.ts';
import type { ResultPart, ToolCall } from './message.ts';

/**
 * - `approval`: may this call run? Asked of tools with `needsApproval`, and where a `beforeTool` hook asks.
 * - `result`: a tool with `runsOn: 'client'` is called; its result is wanted.
 * - `input`: a running tool wants something of the user.
 */
export type ApprovalKind = 'approval' | 'result' | 'input';

/** An open request. */
export interface ApprovalRequest {
  /** Unique in the run and its nested runs; an answer names it. */
  readonly id: string;
  readonly kind: ApprovalKind;
  readonly runId: string;
  /** 0-based. */
  readonly step: number;
  readonly callId: string;
  /** As it would run: with the arguments that hooks have rewritten. */
  readonly call: ToolCall;
  /** JSON Schema of the arguments, or of the input that is wanted. */
  readonly schema?: JsonSchema;
  readonly reason?: string;
}

/**
 * - `approve` (kind `approval`): the call runs, with other `arguments` where given, which are checked again
 * - `decline` (every kind): the call gets the error result `refused`; a tool that asked for input hears it
 * - `result` (kind `result`): what the client's tool came to
 * - `input` (kind `input`): the value that the tool gets
 * - `suspend` (every kind): nobody answers now; the run ends when nothing else can move. For `input` it is a decline.
 * - `stop` (every kind): the run ends with reason `stopped`
 */
export type ApprovalAnswer =
  | { readonly type: 'approve'; readonly arguments?: unknown }
  | { readonly type: 'decline'; readonly reason?: string }
  | { readonly type: 'result'; readonly content: string | readonly ResultPart[]; readonly isError?: boolean }
  | { readonly type: 'input'; readonly value: unknown }
  | { readonly type: 'suspend' }
  | { readonly type: 'stop'; readonly reason?: string };

/** Answers requests, at once or later. An empty answer is `suspend`. */
export type ApprovalPort = (request: ApprovalRequest) => Answer<ApprovalAnswer | undefined | void>;
