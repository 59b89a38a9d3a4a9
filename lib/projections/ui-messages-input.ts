import type { ApprovalAnswer } from '../approval.ts';
import type { AssistantPart, Message, ToolResult } from '../message.ts';
import type { UiMessage } from './ui-messages-chunk.ts';
import { readOwn } from './ui-messages-own.ts';
import { fault, nodesOf, readFile, readText, readUser, unknownPart } from './ui-messages-read.ts';
import type { UiNode } from './ui-messages-read.ts';
import { readTool } from './ui-messages-read-tool.ts';

/** What a chat has posted. */
export interface UiConversation {
  /** For a new run. */
  readonly messages: readonly Message[];
  /** Of messages with the role `system`; absent where there are none. Whoever can post one can write anything into it. */
  readonly system?: string;
  /**
   * Answers to open requests, by the request's id: for `resumeToolLoop`, which knows what was asked. Approvals, and the
   * results of tools that the client runs. Only of the last step of the last message, and what no run has told the client yet.
   */
  readonly answers: Readonly<Record<string, ApprovalAnswer>>;
  /** Of the assistant's message that the answer goes on with; absent where it is a new one. */
  readonly messageId?: string;
}

/**
 * The messages of a chat of the AI SDK, as a conversation that any provider takes.
 *
 * Every call gets one result: one without is closed by an error result that says so. Input that was no JSON is wrapped in an
 * object. What a provider wants back with its reasoning and calls is as it came. Steps that were withdrawn, and calls that
 * were never finished, leave no trace. `data-` parts are passed over, but for what the user said meanwhile.
 *
 * Contract:
 * - fails: a part that cannot be read is a {@link ConfigError} that names its place, such as `messages[2].parts[0].url`.
 *   Texts, results, approvals and what goes back to a provider are the client's word: what a person may see and do is for
 *   your server to check, and an approval is for `resumeToolLoop`, which refuses one that nobody asked for.
 *
 * @param messages - as posted; of AI SDK 5, 6 or 7
 * @public
 */
export function fromUiMessages(messages: readonly UiMessage[]): UiConversation {
  const all: Message[] = [];
  const system: string[] = [];
  let answers: ReadonlyMap<string, ApprovalAnswer> = new Map();
  let messageId: string | undefined;
  for (const message of nodesOf(messages, 'messages')) {
    const [role, id] = [message.text('role'), message.get('id')];
    answers = new Map();
    messageId = undefined;
    if (role === 'user') all.push(...readUser(message.list('parts')));
    else if (role === 'system') system.push(...message.list('parts').flatMap(readText).map(({ text }) => text));
    else if (role === 'assistant') {
      const turn = new Turn();
      for (const part of message.list('parts')) turn.read(part);
      all.push(...turn.messages());
      answers = turn.answers;
      if (typeof id === 'string') messageId = id;
    } else throw fault(`${message.path}.role`, `is ${JSON.stringify(role)}; it must be user, assistant or system`);
  }
  return { messages: all, answers: Object.fromEntries(answers), ...(system.length > 0 && { system: system.join('\n\n') }), ...(messageId !== undefined && { messageId }) };
}

/** The steps of one assistant's message. */
class Turn {
  /** Of the step that is read. */
  readonly answers = new Map<string, ApprovalAnswer>();
  private readonly closed: Message[] = [];
  private content: AssistantPart[] = [];
  private results: ToolResult[] = [];
  private isWithdrawn = false;

  messages(): readonly Message[] {
    this.close();
    return this.closed;
  }

  read(part: UiNode): void {
    const type = part.text('type');
    switch (type) {
      case 'step-start':
        this.close();
        this.answers.clear();
        return;
      case 'text':
        return void this.content.push(...readSaid(part));
      case 'reasoning':
        return this.reasoning(part);
      case 'file':
      case 'reasoning-file':
        return void this.content.push(readFile(part, false));
      case 'source-url':
      case 'source-document':
        return void this.content.push(readSource(part));
      case 'data-retract':
        this.isWithdrawn = true;
        return;
      case 'steering-message':
        return this.heard(part.list('parts'));
      case 'data-steering':
      case 'data-correction': {
        const data = part.node('data');
        return data.get('parts') === undefined ? undefined : this.heard(data.list('parts'));
      }
    }
    if (type.startsWith('data-')) return;
    if (type === 'dynamic-tool') return this.tool(part, part.text('toolName'));
    if (type.startsWith('tool-')) return this.tool(part, type.slice('tool-'.length));
    throw unknownPart(part, 'an assistant has text, reasoning, tools, sources and files');
  }

  private reasoning(part: UiNode): void {
    const { kind, data, meta, replaces } = readOwn(part.get('providerMetadata'));
    if (replaces) this.content = this.content.filter(({ type }) => type !== 'reasoning');
    const text = part.text('text');
    const held = meta && { meta };
    if (kind === 'opaque') this.content.push({ type: 'opaque', data, ...held });
    else if (text !== '' || meta !== undefined) this.content.push({ type: 'reasoning', text, ...held });
  }

  private tool(part: UiNode, name: string): void {
    const { parts, result, answer } = readTool(part, name);
    this.content.push(...parts);
    if (result !== undefined) this.results.push(result);
    if (answer !== undefined) this.answers.set(...answer);
  }

  /** What the user said while the message was written. */
  private heard(parts: readonly UiNode[]): void {
    this.close();
    this.closed.push(...readUser(parts));
  }

  private close(): void {
    const { content, results, isWithdrawn } = this;
    [this.content, this.results, this.isWithdrawn] = [[], [], false];
    if (isWithdrawn) return;
    if (content.length > 0) this.closed.push({ role: 'assistant', content });
    if (results.length > 0) this.closed.push({ role: 'tool', results });
  }
}

function readSaid(part: UiNode): AssistantPart[] {
  const isRefusal = readOwn(part.get('providerMetadata')).kind === 'refusal';
  return readText(part).map((said) => (isRefusal ? { ...said, type: 'refusal' } : said));
}

function readSource(part: UiNode): AssistantPart {
  const { data, meta } = readOwn(part.get('providerMetadata'));
  const [url, title] = [part.get('url'), part.get('title')];
  return {
    type: 'source',
    ...(typeof url === 'string' && { url }),
    ...(typeof title === 'string' && title !== '' && { title }),
    ...(data !== undefined && { data }),
    ...(meta && { meta }),
  };
}
