import { defer } from 'rxjs';
import { open } from '../bytes/open.ts';
import { sse } from '../bytes/sse.ts';
import { ConfigError } from '../errors.ts';
import type { Capability, Model } from '../model.ts';
import { openaiChatFold } from './openai-chat-fold.ts';
import { openaiChatRequest } from './openai-chat-request.ts';

export interface OpenaiChatOptions {
  /** The name that the server knows the model by, such as `gpt-5`. */
  readonly model: string;
  /**
   * Where the service is, without `/chat/completions`; a query is kept. Default: `https://api.openai.com/v1`.
   * Any server that speaks the same wire will do.
   */
  readonly baseUrl?: string;
  /** Sent as a bearer token. Default: none is sent, as local servers want it. */
  readonly apiKey?: string | undefined;
  /** More headers; one of the same name replaces the adapter's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** What events and errors call the provider. Default: `openai`. */
  readonly provider?: string;
  /** What the model behind the server can do. Default: `tools`, `parallel-tools`. */
  readonly capabilities?: readonly Capability[];
}

/**
 * A model behind the chat-completions wire: OpenAI, and every server that is compatible with it.
 *
 * Contract:
 * - starts: each subscription to `stream()` is one request; nothing is sent before.
 * - leaves: the request is aborted in the same tick.
 * - fails: a bad option throws a {@link ConfigError} here; on the way, a {@link ModelError} says whether trying again
 *   may help. The adapter never tries again itself.
 *
 * @example Ask once
 * ```ts
 * import { openaiChat } from 'rx-tool-loop/openai-chat';
 *
 * const model = openaiChat({ model: 'gpt-5', apiKey: 'sk-...' });
 * const local = openaiChat({ model: 'qwen3', baseUrl: 'http://127.0.0.1:11434/v1' });
 * ```
 * @public
 */
export function openaiChat(options: OpenaiChatOptions): Model {
  const { model, baseUrl = 'https://api.openai.com/v1', provider = 'openai' } = options;
  if (typeof model !== 'string' || model === '') {
    throw new ConfigError('openaiChat needs `model`: the name that the server knows the model by.');
  }
  const url = endpoint(baseUrl);
  const headers = headersOf(options);
  const write = openaiChatRequest(model);
  return {
    id: model,
    provider,
    capabilities: options.capabilities ?? ['tools', 'parallel-tools'],
    stream: (request) =>
      defer(() => {
        const fold = openaiChatFold(() => request.ids('call'));
        const bytes$ = open({
          url,
          headers,
          body: write(request),
          fetch: options.fetch,
          now: () => request.scheduler.now(),
          isOver: () => fold.isOver(),
        });
        return bytes$.pipe(sse(() => fold));
      }),
  };
}

function endpoint(baseUrl: string): string {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new ConfigError('openaiChat: `baseUrl` is no URL; give one such as https://api.openai.com/v1.');
  }
  if (!/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`openaiChat: \`baseUrl\` begins with ${url.protocol}; it must begin with https: or http:.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigError('openaiChat: `baseUrl` holds a user name or password; give them as `headers`.');
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  url.hash = '';
  return url.href;
}

function headersOf({ apiKey, headers = {} }: OpenaiChatOptions): Record<string, string> {
  const all = new Headers({ 'content-type': 'application/json', accept: 'text/event-stream' });
  if (apiKey !== undefined && apiKey !== '') put(all, 'authorization', `Bearer ${apiKey}`, '`apiKey`');
  for (const [name, value] of Object.entries(headers)) put(all, name, value, `the header ${JSON.stringify(name)}`);
  return Object.fromEntries(all);
}

/** Checked here, because `fetch` would say it late and with the value in its message. */
function put(headers: Headers, name: string, value: string, what: string): void {
  try {
    headers.set(name, value);
  } catch {
    const hint = 'look for a line break or a character past U+00FF';
    throw new ConfigError(`openaiChat: ${what} cannot be sent in a header; ${hint}.`);
  }
}
