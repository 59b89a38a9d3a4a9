import { anthropic } from '../deltas/anthropic.ts';
import { embedded } from '../deltas/embedded.ts';
import { openaiChat } from '../deltas/openai-chat.ts';
import type { Model } from '../index.ts';
import { apiKey } from './api-key.ts';
import type { Environment } from './api-key.ts';
import type { ModelChoice } from './model-choice.ts';

/**
 * The model of `--model`, with its key from the environment. Nothing is sent.
 *
 * @param delayMs - pause of the embedded model between two words
 * @throws ConfigError when a key is missing, or cannot be sent.
 * @internal
 */
export function loadModel(choice: ModelChoice, env: Environment, delayMs: number): Model {
  if (choice.wire === 'embedded') return embedded({ delayMs });
  const make = choice.wire === 'anthropic' ? anthropic : openaiChat;
  const options = { model: choice.id, apiKey: apiKey(choice, env) };
  return make(choice.baseUrl === undefined ? options : { ...options, baseUrl: choice.baseUrl });
}
