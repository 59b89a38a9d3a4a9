import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer of the server: the frames of a stream (`hold` keeps it open after them), or a failure status. */
export type Reply =
  | { readonly frames: readonly unknown[]; readonly hold?: true }
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> };

export interface ChatServer {
  /** What `--model` is given. */
  readonly model: string;
  readonly requests: { readonly headers: IncomingMessage['headers']; readonly body: Record<string, unknown> }[];
  /** Settles when a reader has left an answer before its end. */
  readonly left: Promise<void>;
  close(): Promise<void>;
}

/** A loopback server that speaks chat completions: request n gets reply n, and the last one from then on. */
export async function chatServer(...replies: readonly Reply[]): Promise<ChatServer> {
  const requests: ChatServer['requests'] = [];
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  const server: Server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      requests.push({ headers: request.headers, body: JSON.parse(text) as Record<string, unknown> });
      const reply = replies[Math.min(requests.length, replies.length) - 1];
      if (reply === undefined) throw new Error('chatServer needs a reply');
      if ('status' in reply) {
        // A text is sent as it is: a page.
        const isPage = typeof reply.body === 'string';
        response.writeHead(reply.status, { 'content-type': isPage ? 'text/html' : 'application/json', ...reply.headers });
        response.end(isPage ? reply.body : JSON.stringify(reply.body));
        return;
      }
      response.on('close', () => !response.writableFinished && leave());
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const frame of reply.frames) response.write(`data: ${JSON.stringify(frame)}\n\n`);
      if (reply.hold === undefined) response.end('data: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    model: `http://127.0.0.1:${port}/v1#test-model`,
    requests,
    left,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const frame = (delta: object, finish: string | null = null): object => ({
  id: 'r1',
  object: 'chat.completion.chunk',
  model: 'test-model',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/** An answer in these pieces, which ends for this reason. */
export function says(words: readonly string[], finish = 'stop'): Reply {
  const usage = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } };
  return { frames: [...words.map((content) => frame({ content })), frame({}, finish), usage] };
}

/** An answer that begins and does not go on. */
export function beginsToSay(words: string): Reply {
  return { frames: [frame({ content: words })], hold: true };
}

/** A call of each of these tools. */
export function asks(...calls: readonly (readonly [name: string, args: unknown])[]): Reply {
  const toolCalls = calls.map(([name, args], index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { frames: [frame({ tool_calls: toolCalls }), frame({}, 'tool_calls')] };
}

/** An answer on Anthropic's wire. */
export function saysAnthropic(text: string): Reply {
  const usage = { input_tokens: 7, output_tokens: 3 };
  return {
    frames: [
      { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'test-model', content: [], usage } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
      { type: 'message_stop' },
    ],
  };
}
