// A chat of the AI SDK without a screen: the class behind `useChat`, over its own HTTP transport. Reads which chats to hold
// from its input, and prints what each of them holds in the end.
//   node ui-chat.mjs <package> <base address>
import { text } from 'node:stream/consumers';

const [, , packageName, base] = process.argv;
const { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses: isApproved, lastAssistantMessageIsCompleteWithToolCalls: isAnswered } =
  await import(packageName);

class Chat extends AbstractChat {
  constructor(init) {
    const state = {
      status: 'ready',
      error: undefined,
      messages: [],
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (at, message) => void (state.messages = state.messages.map((one, n) => (n === at ? structuredClone(message) : one))),
      snapshot: (value) => structuredClone(value),
    };
    super({ ...init, state });
  }
}

/** What a door takes: the prompt, and what this spec wants of the run. */
const prepareSendMessagesRequest = ({ id, messages }) => ({ body: { prompt: messages.at(-1).parts.map(({ text: said }) => said).join(''), threadId: id } });

/** Says one thing, answers what is asked until nothing is, and stops where it is told to. */
async function hold({ name, approve, output, stopAt, door }) {
  const [told, errors] = [[], []];
  let left = 8;
  const chat = new Chat({
    id: name,
    // A whole address is a door's; there the id of the chat is the thread.
    transport: new DefaultChatTransport(
      base.includes('?') ? { api: base } : door === undefined ? { api: `${base}/${name}` } : { api: `${base}/runs?format=${door}`, prepareSendMessagesRequest },
    ),
    sendAutomaticallyWhen: (state) => (isApproved(state) || isAnswered(state)) && left-- > 0,
    onData: ({ type, data }) => {
      told.push({ type, data });
      if (type === stopAt) void chat.stop();
    },
    onError: ({ message }) => errors.push(message),
    onToolCall: ({ toolCall: { toolName: tool, toolCallId } }) => {
      if (output !== undefined && tool === output.tool) void chat.addToolOutput({ tool, toolCallId, output: output.value });
    },
  });
  await chat.sendMessage({ text: 'go' });
  for (let open = 8; open > 0; open--) {
    const asked = chat.lastMessage?.parts.find(({ state }) => state === 'approval-requested');
    if (asked === undefined || approve === undefined) break;
    await chat.addToolApprovalResponse({ id: asked.approval.id, ...approve });
    // The next request is sent by itself, when all are answered.
    while (chat.status !== 'ready' && chat.status !== 'error') await new Promise((resolve) => setTimeout(resolve, 1));
  }
  while (chat.status !== 'ready' && chat.status !== 'error') await new Promise((resolve) => setTimeout(resolve, 1));
  return { name, messages: chat.messages, told, errors, status: chat.status, sent: 8 - left };
}

const chats = JSON.parse(await text(process.stdin));
const held = [];
for (const chat of chats) held.push(await hold(chat));
console.log(JSON.stringify(held));
