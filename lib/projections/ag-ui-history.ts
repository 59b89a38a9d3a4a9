import { isRecord } from '../is-record.ts';
import { toolCall } from '../message.ts';
import type { AssistantPart, Message, Meta, ToolCall, ToolFaultKind, ToolResult } from '../message.ts';
import { agUiCheck } from './ag-ui-check.ts';
import { agUiParts } from './ag-ui-parts.ts';

/** The conversation that a client holds, as a run reads it. */
export interface AgUiHistory {
  readonly messages: readonly Message[];
  /** What messages of the roles `system` and `developer` say. */
  readonly system?: string;
  /** By call id. */
  readonly results: ReadonlyMap<string, ToolResult>;
}

interface Turn {
  readonly parts: AssistantPart[];
  /** A result has come: what the assistant says next is another turn. */
  isAnswered: boolean;
}

type Sent = Readonly<Record<string, unknown>>;

const KINDS: ReadonlySet<unknown> = new Set<ToolFaultKind>([
  'invalid-input', 'timeout', 'cancelled', 'not-found', 'permission-denied', 'rate-limited', 'provider', 'network', 'refused', 'other',
]);

/**
 * Reads a client's messages. Reasoning, text and calls that follow one another are one turn; its results follow it in
 * call order, wherever the client has them. A call that nobody answered gets an error result, because a model refuses a
 * conversation with an open one. Activities and what sub-agents said are not part of it.
 *
 * @throws ConfigError that names the message and the field
 * @internal
 */
export function agUiHistory(sent: readonly unknown[]): AgUiHistory {
  const entries: (Message | Turn)[] = [];
  const calls = new Map<string, { readonly turn: Turn; readonly call: ToolCall }>();
  const results = new Map<string, ToolResult>();
  const system: string[] = [];
  const turn = (): Turn => {
    const last = entries.at(-1);
    if (last !== undefined && 'parts' in last && !last.isAnswered) return last;
    const next: Turn = { parts: [], isAnswered: false };
    entries.push(next);
    return next;
  };

  for (const [at, value] of sent.entries()) {
    const path = `messages[${at}]`;
    const message = agUiCheck.record(value, path);
    if (message['role'] === 'activity' || message['subagentRunId'] !== undefined) continue;
    switch (message['role']) {
      case 'system':
      case 'developer':
        system.push(agUiCheck.text(message['content'], `${path}.content`));
        break;
      case 'user':
        entries.push({ role: 'user', content: agUiParts(message['content'], `${path}.content`) });
        break;
      case 'reasoning':
        turn().parts.push(reasoningOf(message, path));
        break;
      case 'assistant': {
        const mine = turn();
        mine.parts.push(...textOf(message, path));
        for (const [n, one] of agUiCheck.list(message['toolCalls'], `${path}.toolCalls`).entries()) {
          const call = callOf(one, `${path}.toolCalls[${n}]`);
          if (calls.has(call.id)) throw agUiCheck.wrong(`${path}.toolCalls[${n}].id`, `is ${JSON.stringify(call.id)}, which a call before it has`);
          calls.set(call.id, { turn: mine, call });
          mine.parts.push({ type: 'tool-call', call });
        }
        break;
      }
      case 'tool': {
        const id = agUiCheck.text(message['toolCallId'], `${path}.toolCallId`);
        const asked = calls.get(id);
        if (asked === undefined) throw agUiCheck.wrong(`${path}.toolCallId`, `is ${JSON.stringify(id)}, and no call before it has this id`);
        if (results.has(id)) throw agUiCheck.wrong(`${path}.toolCallId`, `is ${JSON.stringify(id)}, and this call has a result already`);
        asked.turn.isAnswered = true;
        results.set(id, resultOf(message, asked.call, path));
        break;
      }
      default:
        throw agUiCheck.wrong(`${path}.role`, `is ${JSON.stringify(message['role'])}; it must be user, assistant, reasoning, tool, system, developer or activity`);
    }
  }
  const messages = entries.flatMap((entry) => ('parts' in entry ? closed(entry.parts, results) : [entry]));
  return { messages, results, ...(system.length > 0 && { system: system.join('\n\n') }) };
}

/** Reasoning alone is no turn: providers refuse it. */
function closed(content: readonly AssistantPart[], results: ReadonlyMap<string, ToolResult>): Message[] {
  if (content.every(({ type }) => type === 'reasoning' || type === 'opaque')) return [];
  const answers = content.flatMap((part) => (part.type === 'tool-call' ? [results.get(part.call.id) ?? unanswered(part.call)] : []));
  const turn: Message = { role: 'assistant', content };
  return answers.length === 0 ? [turn] : [turn, { role: 'tool', results: answers }];
}

function unanswered({ id, name }: ToolCall): ToolResult {
  const message = 'This call was not answered.';
  return { callId: id, name, content: [{ type: 'text', text: message }], isError: true, error: { kind: 'cancelled', message, retryable: false } };
}

function reasoningOf(message: Sent, path: string): AssistantPart {
  const meta = metaOf(message, path);
  if (metadataOf(message)['opaque'] === true && meta !== undefined) {
    return { type: 'opaque', data: meta['data'], ...(meta['meta'] !== undefined && { meta: meta['meta'] as Meta }) };
  }
  return { type: 'reasoning', text: agUiCheck.text(message['content'], `${path}.content`), ...(meta && { meta }) };
}

function textOf(message: Sent, path: string): AssistantPart[] {
  const meta = metaOf(message, path);
  const text = message['content'] === undefined ? '' : agUiCheck.text(message['content'], `${path}.content`);
  if (text === '' && meta === undefined) return [];
  return [{ type: metadataOf(message)['refusal'] === true ? 'refusal' : 'text', text, ...(meta && { meta }) }];
}

function callOf(value: unknown, path: string): ToolCall {
  const call = agUiCheck.record(value, path);
  const asked = agUiCheck.record(call['function'], `${path}.function`);
  const name = agUiCheck.text(asked['name'], `${path}.function.name`);
  return toolCall(agUiCheck.text(call['id'], `${path}.id`), name, agUiCheck.text(asked['arguments'], `${path}.function.arguments`), metaOf(call, path));
}

function resultOf(message: Sent, { id, name }: ToolCall, path: string): ToolResult {
  const content = agUiParts(message['content'], `${path}.content`);
  const { isError = false, kind, retryable = false } = metadataOf(message);
  if (isError !== true && message['error'] === undefined) return { callId: id, name, content, isError: false };
  const said = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const text = message['error'] === undefined ? said : agUiCheck.text(message['error'], `${path}.error`);
  const error = { kind: KINDS.has(kind) ? (kind as ToolFaultKind) : 'other', message: text, retryable: retryable === true };
  return { callId: id, name, content, isError: true, error };
}

function metadataOf({ metadata }: Sent): Sent {
  return typeof metadata === 'object' && metadata !== null ? (metadata as Sent) : {};
}

/** What a provider wants back. A value that was not made here is kept as it is. */
function metaOf({ encryptedValue }: Sent, path: string): Meta | undefined {
  if (encryptedValue === undefined) return undefined;
  const value = agUiCheck.text(encryptedValue, `${path}.encryptedValue`);
  try {
    const meta: unknown = JSON.parse(value);
    if (isRecord(meta)) return meta as Meta;
  } catch {
    // Another agent's.
  }
  return { encryptedValue: value };
}
