import { defer } from 'rxjs';
import { ask } from '../bytes/ask.ts';
import type { DeltaOf } from '../delta.ts';
import { ConfigError } from '../errors.ts';
import type { Capability, ImageLimits, Model } from '../model.ts';
import { anthropicFold } from './anthropic-fold.ts';
import { anthropicRequest } from './anthropic-request.ts';

export interface AnthropicOptions {
  /** The name that the provider knows the model by, such as `claude-sonnet-4-6`. */
  readonly model: string;
  /** Sent as `x-api-key`. Default: none is sent. */
  readonly apiKey?: string | undefined;
  /** Where the service is, with or without a `/v1` at its end; a query is kept. Default: `https://api.anthropic.com`. */
  readonly baseUrl?: string;
  /** More headers; one of the same name replaces the adapter's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** The `anthropic-version` header. Default: `2023-06-01`. */
  readonly version?: string;
  /** Names of beta features: the `anthropic-beta` header. */
  readonly betas?: readonly string[];
  /**
   * More fields of the request's body, such as `metadata`. One of the same name replaces the adapter's own; `tools` are
   * added to the run's, which is how the provider's own tools are offered.
   */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Bound on the tokens of one answer where the request has none, because the wire demands one. Default 8,192. */
  readonly maxTokens?: number;
  /** `false`: the answer is asked for in one piece, and comes as the same deltas. Default `true`. */
  readonly stream?: boolean;
  /** Refuse a request whose options the wire lacks, by an {@link UnsupportedError}, instead of warning. Default `false`. */
  readonly strictOptions?: boolean;
  /** What events and errors call the provider. Default: `anthropic`. */
  readonly provider?: string;
  /** What the model can do. Default: `tools`, `parallel-tools`, `images`, `files`, `reasoning`. */
  readonly capabilities?: readonly Capability[];
  /** What one request may hold. Default: the API's documented limits, 100 images of 5 MiB each. */
  readonly imageLimits?: ImageLimits;
}

/** Source: the vision guide of the Claude API; models with a context over 200,000 tokens take more images. */
const IMAGE_LIMITS: ImageLimits = { count: 100, bytes: 5 * 1_048_576 };
const MAX_TOKENS = 8_192;
const CAPABILITIES: readonly Capability[] = ['tools', 'parallel-tools', 'images', 'files', 'reasoning'];
/** Fields of the body with an option or an input of their own. */
const OWN_FIELDS = ['model', 'messages', 'stream'];

/**
 * A model behind the Messages wire: Claude, and every server that speaks the same.
 *
 * Signed thinking, redacted blocks and the provider's own tools go back as they came. An option that the wire lacks
 * (`seed`, `responseFormat: 'json'`) is a `warning` before everything else that the exchange says.
 *
 * Contract:
 * - starts: each subscription to `stream()` is one request; nothing is sent before.
 * - leaves: the request is aborted in the same tick.
 * - fails: a bad option throws a {@link ConfigError} here; on the way, a {@link ModelError} says whether trying again
 *   may help, and an {@link UnsupportedError} names what the wire cannot carry. The adapter never tries again itself.
 *
 * @example Ask once
 * ```ts
 * import { anthropic } from 'rx-tool-loop/anthropic';
 *
 * const model = anthropic({ model: 'claude-sonnet-4-6', apiKey: 'sk-ant-...' });
 * ```
 * @public
 */
export function anthropic(options: AnthropicOptions): Model {
  const { model, baseUrl = 'https://api.anthropic.com', provider = 'anthropic', maxTokens = MAX_TOKENS, stream = true, body = {} } = options;
  const { capabilities = CAPABILITIES } = options;
  if (typeof model !== 'string' || model === '') {
    throw new ConfigError('anthropic needs `model`: the name that the provider knows the model by.');
  }
  if (!Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new ConfigError(`anthropic: \`maxTokens\` is ${String(maxTokens)}; give a whole number of tokens from 1 on.`);
  }
  if (typeof body !== 'object' || body === null) throw new ConfigError('anthropic: `body` is no object; give its fields by name.');
  const own = OWN_FIELDS.find((name) => name in body);
  if (own !== undefined) throw new ConfigError(`anthropic: \`body.${own}\` is the adapter's own; leave it out of \`body\`.`);
  const url = endpoint(baseUrl);
  const headers = headersOf(options, stream);
  const write = anthropicRequest({ model, maxTokens, stream, capabilities, body });
  return {
    id: model,
    provider,
    capabilities,
    imageLimits: options.imageLimits ?? IMAGE_LIMITS,
    stream: (request) =>
      defer(() => {
        const written = write(request);
        const warnings = written.lacking.map(({ option, why }): DeltaOf<'warning'> => {
          return { type: 'warning', text: `The option ${option} does not reach ${model}: ${why}.`, data: { option, model } };
        });
        const fold = anthropicFold(() => request.ids('call'));
        const { fetch, strictOptions } = options;
        return ask(request, { url, headers, body: written.body, fetch, warnings, strictOptions, fold });
      }),
  };
}

function endpoint(baseUrl: string): string {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new ConfigError('anthropic: `baseUrl` is no URL; give one such as https://api.anthropic.com.');
  }
  if (!/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`anthropic: \`baseUrl\` begins with ${url.protocol}; it must begin with https: or http:.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigError('anthropic: `baseUrl` holds a user name or password; give them as `headers`.');
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/messages`;
  url.hash = '';
  return url.href;
}

function headersOf({ apiKey, headers = {}, version = '2023-06-01', betas = [] }: AnthropicOptions, stream: boolean): Record<string, string> {
  const all = new Headers({ 'content-type': 'application/json', accept: stream ? 'text/event-stream' : 'application/json' });
  put(all, 'anthropic-version', version, '`version`');
  if (betas.length > 0) put(all, 'anthropic-beta', betas.join(), '`betas`');
  if (apiKey !== undefined && apiKey !== '') put(all, 'x-api-key', apiKey, '`apiKey`');
  for (const [name, value] of Object.entries(headers)) put(all, name, value, `the header ${JSON.stringify(name)}`);
  return Object.fromEntries(all);
}

/** Checked here, because `fetch` would say it late and with the value in its message. */
function put(headers: Headers, name: string, value: string, what: string): void {
  try {
    headers.set(name, value);
  } catch {
    const hint = 'look for a line break or a character past U+00FF';
    throw new ConfigError(`anthropic: ${what} cannot be sent in a header; ${hint}.`);
  }
}
