import { defer } from 'rxjs';
import { ask } from '../bytes/ask.ts';
import type { DeltaOf } from '../delta.ts';
import { ConfigError } from '../errors.ts';
import type { Capability, ImageLimits, Model } from '../model.ts';
import { openaiChatFold } from './openai-chat-fold.ts';
import type { OpenaiChatServer, ReasoningField } from './openai-chat-message.ts';
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
  /** What the model behind the server can do. Default: `tools`, `parallel-tools`, `images`, `files`. */
  readonly capabilities?: readonly Capability[];
  /** What the server takes of images in one request. Default: unknown, so the server itself refuses. */
  readonly imageLimits?: ImageLimits;
  /** Whether the answer comes piece by piece. Default: true; without, one body is taken apart into the same deltas. */
  readonly stream?: boolean;
  /** Whether an option that this wire lacks is an error (code `unsupported`) instead of a warning. Default: false. */
  readonly strictOptions?: boolean;
  /**
   * More fields of the request, merged over the adapter's own: what a server has beyond the common wire. `messages`,
   * `tools` and `stream` cannot be given here.
   */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The field of `maxTokens`. Default: `max_completion_tokens` for api.openai.com, else `max_tokens`. */
  readonly maxTokensField?: string;
  /**
   * Under which name the server wants its readable reasoning back in a past turn. Default: the one under which this
   * model has sent it, and `reasoning_content` before it sent any.
   */
  readonly reasoningField?: ReasoningField;
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
  for (const field of ['messages', 'tools', 'stream']) {
    if (options.body && field in options.body) throw new ConfigError(`openaiChat: \`body\` cannot hold \`${field}\`.`);
  }
  const { href: url, host } = endpoint(baseUrl);
  const { stream = true, strictOptions, imageLimits, body, fetch } = options;
  const headers = headersOf(options, stream);
  const { capabilities = host === 'api.openai.com' ? [...CAPABILITIES, 'json-schema'] : CAPABILITIES } = options;
  const server: OpenaiChatServer = { host, id: model, reasoning: options.reasoningField, images: capabilities.includes('images') };
  const maxTokensField = options.maxTokensField ?? (host === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens');
  const write = openaiChatRequest({ server, maxTokensField, stream, body });
  return {
    id: model,
    provider,
    capabilities,
    ...(imageLimits && { imageLimits }),
    stream: (request) =>
      defer(() => {
        const written = write(request);
        const warnings = written.lacks.map(warning);
        const fold = openaiChatFold(() => request.ids('call'), server);
        return ask(request, { url, headers, body: written.body, fetch, warnings, strictOptions, fold });
      }),
  };
}

const CAPABILITIES: readonly Capability[] = ['tools', 'parallel-tools', 'images', 'files'];

function warning(lack: string): DeltaOf<'warning'> {
  return { type: 'warning', text: `The chat-completions wire cannot say ${lack}; it is left out.`, data: { lack } };
}

function endpoint(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  // Not repeated in the message: what stands before the @ is a secret.
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new ConfigError('openaiChat: `baseUrl` must be an http(s) URL without a user name, such as https://api.openai.com/v1.');
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  url.hash = '';
  return url;
}

function headersOf({ apiKey, headers }: OpenaiChatOptions, stream: boolean): Record<string, string> {
  const all = new Headers();
  const own = { 'content-type': 'application/json', accept: stream ? 'text/event-stream' : 'application/json' };
  const authorization = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
  for (const [name, value] of Object.entries({ ...own, ...authorization, ...headers })) {
    // Checked here, because `fetch` would say it late and with the value in its message.
    try {
      all.set(name, value);
    } catch {
      throw new ConfigError(`openaiChat: the header ${JSON.stringify(name)} holds what cannot be sent, such as a line break.`);
    }
  }
  return Object.fromEntries(all);
}
