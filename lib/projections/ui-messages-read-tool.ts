import type { ApprovalAnswer } from '../approval.ts';
import type { AssistantPart, Meta, ResultPart, ToolFaultKind, ToolResult } from '../message.ts';
import { readOwn } from './ui-messages-own.ts';
import type { Own } from './ui-messages-own.ts';
import { fault } from './ui-messages-read.ts';
import type { UiNode } from './ui-messages-read.ts';

/** What a tool part of a posted message says. */
export interface ReadTool {
  readonly parts: readonly AssistantPart[];
  readonly result?: ToolResult;
  /** What it answers, by the request's id. */
  readonly answer?: readonly [id: string, answer: ApprovalAnswer];
}

const NOTHING: ReadTool = { parts: [] };

/**
 * A call with its result. One that has none is closed by an error result, because no provider takes an open call; one that
 * was never finished leaves no trace.
 *
 * @internal
 */
export function readTool(part: UiNode, name: string): ReadTool {
  const [callId, state] = [part.text('toolCallId'), part.text('state')];
  const [asked, settled] = [readOwn(part.get('callProviderMetadata')), readOwn(part.get('resultProviderMetadata'))];
  if (state === 'input-streaming' || settled.incomplete) return NOTHING;
  const answer = settled.settled || settled.waiting ? undefined : readAnswer(part, state, asked.request);
  const answers = answer && { answer };
  if (asked.nested !== undefined) return { parts: [], ...answers };
  const input = readInput(part);
  const meta = asked.meta ?? (settled.settled ? settled.meta : undefined);
  if (part.get('providerExecuted') === true) return { parts: readServerTool(part, { id: callId, name, input, state, meta, resultMeta: settled.meta }) };
  const call = { id: callId, name, arguments: input, ...(meta && { meta }) };
  return { parts: [{ type: 'tool-call', call }], result: { callId, name, ...readResult(part, state, settled) }, ...answers };
}

/** An object, because providers refuse anything else for ever: what was no JSON is wrapped. */
function readInput(part: UiNode): Readonly<Record<string, unknown>> {
  const input = part.get('input') ?? part.get('rawInput') ?? {};
  return typeof input === 'object' && !Array.isArray(input) ? (input as Readonly<Record<string, unknown>>) : { input };
}

function readResult(part: UiNode, state: string, { content, waiting }: Own): Omit<ToolResult, 'callId' | 'name'> {
  switch (state) {
    case 'output-available': {
      if (part.get('preliminary') === true || waiting) return failure('cancelled', 'The call did not come to an end.');
      const output = part.get('output');
      const read = isContent(content) ? content : contentOf(output);
      return { content: read, isError: false, ...(output !== undefined && { output }) };
    }
    case 'output-error':
      return failure('other', part.text('errorText'));
    case 'output-denied':
      return failure('refused', refusalOf(part.node('approval').get('reason')));
    case 'approval-responded': {
      const approval = part.node('approval');
      if (approval.get('approved') === false) return failure('refused', refusalOf(approval.get('reason')));
      return failure('cancelled', 'The call was approved, but it has not run.');
    }
    case 'approval-requested':
      return failure('cancelled', 'The call was not approved, and has not run.');
    case 'input-available':
      return failure('cancelled', 'The call was not answered.');
    default:
      throw fault(`${part.path}.state`, `is ${JSON.stringify(state)}, which no tool part has`);
  }
}

function readAnswer(part: UiNode, state: string, request: string | undefined): readonly [string, ApprovalAnswer] | undefined {
  if (state === 'approval-responded') {
    const approval = part.node('approval');
    const [id, approved, reason] = [approval.text('id'), approval.get('approved'), approval.get('reason')];
    if (typeof approved !== 'boolean') throw fault(`${approval.path}.approved`, 'is neither true nor false');
    if (approved) return [id, { type: 'approve' }];
    return [id, { type: 'decline', ...(typeof reason === 'string' && reason !== '' && { reason }) }];
  }
  if (typeof request !== 'string') return undefined;
  if (state === 'output-error') return [request, { type: 'result', content: part.text('errorText'), isError: true }];
  if (state !== 'output-available' || part.get('preliminary') === true) return undefined;
  return [request, { type: 'result', content: contentOf(part.get('output')) }];
}

interface ServerTool {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly state: string;
  readonly meta: Meta | undefined;
  readonly resultMeta: Meta | undefined;
}

function readServerTool(part: UiNode, { id, name, input, state, meta, resultMeta = meta }: ServerTool): AssistantPart[] {
  const parts: AssistantPart[] = [{ type: 'server-tool', id, name, phase: 'call', data: input, ...(meta && { meta }) }];
  const data = state === 'output-available' ? part.get('output') : state === 'output-error' ? { error: part.text('errorText') } : undefined;
  if (data !== undefined) parts.push({ type: 'server-tool', id, name, phase: 'result', data, ...(resultMeta && { meta: resultMeta }) });
  return parts;
}

function failure(kind: ToolFaultKind, message: string): Omit<ToolResult, 'callId' | 'name'> {
  return { content: [{ type: 'text', text: message }], isError: true, error: { kind, message, retryable: false } };
}

function refusalOf(reason: unknown): string {
  return typeof reason === 'string' && reason !== '' ? reason : 'The call was declined.';
}

/** A string is said as it is, anything else as its JSON text; no output is no content. */
function contentOf(output: unknown): ResultPart[] {
  if (output === undefined) return [];
  return [{ type: 'text', text: typeof output === 'string' ? output : JSON.stringify(output) }];
}

function isContent(value: unknown): value is readonly ResultPart[] {
  return Array.isArray(value) && value.every((part) => typeof part === 'object' && part !== null && isResultPart(part as Record<string, unknown>));
}

function isResultPart({ type, text, data, url, mediaType }: Record<string, unknown>): boolean {
  const isText = (one: unknown): boolean => one === undefined || typeof one === 'string';
  if (type === 'text') return typeof text === 'string';
  return (type === 'image' || (type === 'file' && typeof mediaType === 'string')) && isText(data) && isText(url) && isText(mediaType);
}
