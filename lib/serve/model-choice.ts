import { ConfigError } from '../index.ts';

/** What `--model` names. */
export type ModelChoice = { readonly wire: 'embedded' } | WireModelChoice;

export interface WireModelChoice {
  readonly wire: 'openai-chat' | 'anthropic';
  readonly id: string;
  /** Absent: the provider's own. */
  readonly baseUrl?: string;
  /** Environment variables that may hold the key, the first one that is set. */
  readonly keys: readonly [string, ...string[]];
  /** Whether nothing is asked without a key. Servers of one's own often want none. */
  readonly needsKey: boolean;
}

/** The key of a server that `--model` names by its address. */
const OWN_KEY = 'RX_TOOL_LOOP_API_KEY';

/** The base URL of an Anthropic-compatible server has this in front. */
const ANTHROPIC_MARK = 'anthropic+';

/**
 * Reads `--model`: `embedded`, `openai:<id>`, `anthropic:<id>`, `<base-url>#<id>` for a server that speaks OpenAI's chat
 * completions, or `anthropic+<base-url>#<id>` for one that speaks Anthropic's messages.
 *
 * @throws ConfigError when it is none of these. It does not repeat a password in an address.
 * @internal
 */
export function modelChoice(name: string): ModelChoice {
  if (name === 'embedded') return { wire: 'embedded' };
  const [, provider, id = ''] = /^(openai|anthropic):(.*)$/s.exec(name) ?? [];
  if (provider !== undefined) {
    if (id.trim() === '') throw new ConfigError(`--model ${JSON.stringify(name)} names no model after its provider. ${FORMS}`);
    return provider === 'openai'
      ? { wire: 'openai-chat', id, keys: ['OPENAI_API_KEY'], needsKey: true }
      : { wire: 'anthropic', id, keys: ['ANTHROPIC_API_KEY'], needsKey: true };
  }
  return name.startsWith(ANTHROPIC_MARK)
    ? { wire: 'anthropic', ...server(name, ANTHROPIC_MARK), keys: [OWN_KEY, 'ANTHROPIC_API_KEY'], needsKey: false }
    : { wire: 'openai-chat', ...server(name, ''), keys: [OWN_KEY, 'OPENAI_API_KEY'], needsKey: false };
}

function server(name: string, mark: string): { readonly baseUrl: string; readonly id: string } {
  const place = name.slice(mark.length);
  const cut = place.indexOf('#');
  const [baseUrl, id] = cut < 0 ? [place, ''] : [place.slice(0, cut), place.slice(cut + 1)];
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new ConfigError(`There is no model ${JSON.stringify(name)}. ${FORMS}`);
  // Not repeated in the message: what stands before the @ is a secret.
  if (url.username !== '' || url.password !== '') {
    throw new ConfigError(`The base URL of --model holds a user name or password. Put the key into ${OWN_KEY} instead.`);
  }
  if (id.trim() === '') throw new ConfigError(`--model ${JSON.stringify(name)} names no model after its base URL. ${FORMS}`);
  return { baseUrl, id };
}

const FORMS = 'Write embedded, openai:<id>, anthropic:<id>, or a base URL and an id such as http://127.0.0.1:11434/v1#qwen3.';
