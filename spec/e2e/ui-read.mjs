// A client of the AI SDK without a chat: `readUIMessageStream` over the HTTP transport of the same package, and a list of messages that
// it keeps itself. Reads the same conversations as `ui-chat.mjs`, and prints them in the same shape.
//   node ui-read.mjs <package> <base address>
import { text } from 'node:stream/consumers';

const [, , packageName, base] = process.argv;
const { DefaultChatTransport, readUIMessageStream, lastAssistantMessageIsCompleteWithApprovalResponses: isApproved, lastAssistantMessageIsCompleteWithToolCalls: isAnswered } =
  await import(packageName);

/** What a person and the client's own tools make of a part that waits for them. */
function answered(part, { approve, output }) {
  if (part.state === 'approval-requested' && approve !== undefined) return { ...part, state: 'approval-responded', approval: { ...part.approval, ...approve } };
  if (part.state === 'input-available' && part.toolName === output?.tool) return { ...part, state: 'output-available', output: output.value };
  return part;
}

/** Says one thing, and answers what is asked until nothing is; leaves where it is told to. */
async function read({ name, stopAt, ...answers }) {
  const [told, errors] = [[], []];
  const transport = new DefaultChatTransport({ api: `${base}/${name}` });
  const messages = [{ id: 'said', role: 'user', parts: [{ type: 'text', text: 'go' }] }];
  let sent = -1;
  do {
    sent += 1;
    const leaving = new AbortController();
    const chunks = await transport.sendMessages({ chatId: name, messages, trigger: 'submit-message', abortSignal: leaving.signal });
    // What passes by is in no message: only the stream tells it.
    const ear = new TransformStream({
      transform(chunk, controller) {
        const { type, data } = chunk;
        if (type.startsWith('data-')) told.push({ type, data });
        if (type === stopAt) leaving.abort();
        controller.enqueue(chunk);
      },
    });
    const begun = messages.at(-1).role === 'assistant' ? messages.pop() : undefined;
    let last = begun;
    const onError = (error) => leaving.signal.aborted || errors.push(error.message);
    for await (const state of readUIMessageStream({ stream: chunks.pipeThrough(ear), onError, ...(begun && { message: structuredClone(begun) }) })) last = state;
    messages.push({ ...last, parts: last.parts.map((part) => answered(part, answers)) });
  } while (sent < 8 && errors.length === 0 && (isApproved({ messages }) || isAnswered({ messages })));
  return { name, messages, told, errors, status: errors.length > 0 ? 'error' : 'ready', sent };
}

const chats = JSON.parse(await text(process.stdin));
const held = [];
for (const chat of chats) held.push(await read(chat));
console.log(JSON.stringify(held));
