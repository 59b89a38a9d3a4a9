import type { ApprovalAnswer } from '../approval.ts';
import type { Checkpoint } from '../checkpoint.ts';
import { ConfigError, errorText } from '../errors.ts';
import { defineTool } from '../invoke/define-tool.ts';
import type { Message } from '../message.ts';
import type { Tool } from '../tool.ts';
import { agUiAnswers } from './ag-ui-answers.ts';
import { agUiCheck } from './ag-ui-check.ts';
import type { AgUiInput } from './ag-ui-event.ts';
import { agUiHistory } from './ag-ui-history.ts';

export interface FromAgUiOptions {
  /** Of the run that this input goes on with: its open requests say what the answers mean. */
  readonly checkpoint?: Checkpoint | undefined;
}

/** What a client asks for, in the words of a run. */
export interface AgUiAsked {
  readonly threadId: string;
  readonly runId: string;
  /** The conversation, closed: every call has one result. */
  readonly messages: readonly Message[];
  /** The client's tools: they run there, and a run that calls one is suspended until its result comes. */
  readonly tools: readonly Tool[];
  /** Answers by request id, for `resumeToolLoop`; absent where the input answers nothing. */
  readonly answers?: Readonly<Record<string, ApprovalAnswer>>;
  /** What the client calls system. It is a stranger's: yours should stand before it, or instead of it. */
  readonly system?: string;
  readonly state?: unknown;
  readonly context: readonly { readonly description: string; readonly value: string }[];
  readonly forwardedProps?: unknown;
}

/**
 * What an AG-UI client sends, as what `toolLoop` and `resumeToolLoop` take.
 *
 * Contract:
 * - fails: throws a {@link ConfigError} that names the field, such as `input.messages[2].content[0].type`: answer it with
 *   status 400. Nothing is dropped silently; activities and what sub-agents said are no part of the conversation.
 *
 * @param input - the body of the request, parsed; everything in it is checked
 * @see {@link toAgUi} - for the way back
 * @public
 */
export function fromAgUi(input: AgUiInput, options: FromAgUiOptions = {}): AgUiAsked {
  const sent = agUiCheck.record(input, '');
  const history = agUiHistory(agUiCheck.list(sent['messages'], 'messages', true));
  const answers = agUiAnswers(agUiCheck.list(sent['resume'], 'resume'), options.checkpoint, history.results);
  return {
    threadId: agUiCheck.text(sent['threadId'], 'threadId'),
    runId: agUiCheck.text(sent['runId'], 'runId'),
    messages: history.messages,
    tools: agUiCheck.list(sent['tools'], 'tools').map((tool, at) => clientTool(tool, `tools[${at}]`)),
    ...(answers !== undefined && { answers }),
    ...(history.system !== undefined && { system: history.system }),
    ...(sent['state'] !== undefined && { state: sent['state'] }),
    context: agUiCheck.list(sent['context'], 'context').map((one, at) => contextOf(one, `context[${at}]`)),
    ...(sent['forwardedProps'] !== undefined && { forwardedProps: sent['forwardedProps'] }),
  };
}

function clientTool(value: unknown, path: string): Tool {
  const tool = agUiCheck.record(value, path);
  const name = agUiCheck.text(tool['name'], `${path}.name`);
  const description = agUiCheck.text(tool['description'], `${path}.description`);
  const input = agUiCheck.record(tool['parameters'] ?? { type: 'object', properties: {} }, `${path}.parameters`);
  try {
    return defineTool({ name, description, input, runsOn: 'client' });
  } catch (cause) {
    throw new ConfigError(`fromAgUi: input.${path} cannot be a tool: ${errorText(cause)}`, { cause });
  }
}

function contextOf(value: unknown, path: string): { readonly description: string; readonly value: string } {
  const { description, value: said } = agUiCheck.record(value, path);
  return { description: agUiCheck.text(description, `${path}.description`), value: agUiCheck.text(said, `${path}.value`) };
}
