import { embedded } from '../deltas/embedded.ts';
import { openaiChat } from '../deltas/openai-chat.ts';
import { ConfigError } from '../index.ts';
import type { Model } from '../index.ts';
import { apiKey } from './api-key.ts';
import type { Environment } from './api-key.ts';

/**
 * The model of `--model`: `embedded`, or `<base-url>#<id>` for a server that speaks OpenAI's chat completions. Its key
 * comes from {@link apiKey}.
 *
 * @param delayMs - pause of the embedded model between two words
 * @throws ConfigError when the name is neither.
 * @internal
 */
export function loadModel(name: string, env: Environment, delayMs: number): Model {
  if (name === 'embedded') return embedded({ delayMs });
  const cut = name.indexOf('#');
  const [address, id] = cut < 0 ? [name, ''] : [name.slice(0, cut), name.slice(cut + 1)];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new ConfigError(`There is no model ${JSON.stringify(name)}. ${FORMS}`);
  }
  // Not repeated in the message: what stands before the @ is a secret.
  if (url.username !== '' || url.password !== '') {
    throw new ConfigError('The base URL of --model holds a user name or password. Put the key into RX_TOOL_LOOP_API_KEY instead.');
  }
  if (id === '') throw new ConfigError(`--model ${JSON.stringify(name)} names no model after its base URL. ${FORMS}`);
  return openaiChat({ baseUrl: address, model: id, apiKey: apiKey(env) });
}

const FORMS = 'Write embedded, or a base URL and an id such as https://api.openai.com/v1#gpt-5-mini.';
