import { isLoopError, ModelError } from '../index.ts';
import type { Environment } from './api-key.ts';
import type { ModelChoice } from './model-choice.ts';
import { oneLine } from './one-line.ts';
import { serverWords } from './server-words.ts';

/**
 * A failed run in one line: its code, what happened, what the server said, what to do. No stack trace and no page of HTML;
 * a key that a server repeats is masked.
 *
 * @internal
 */
export function errorLine(error: unknown, choice: ModelChoice, env: Environment): string {
  const code = isLoopError(error) ? error.code : 'other';
  const failure = modelErrorIn(error);
  const message = error instanceof Error ? error.message : String(error);
  const advice = adviceFor(code, failure?.status, choice);
  const words = serverWords(failure?.detail);
  // The rest of the message is advice to whoever writes the program.
  const [fact = message] = advice === '' && words === '' ? [message] : message.split(/(?<=[.!?])\s/);
  const said = [fact, words === '' ? '' : `The server says: ${words}`].filter((text) => text !== '').map(sentence).join(' ');
  return [oneLine(masked(`${code}: ${said}`, choice, env), MAX_MESSAGE), advice].filter((text) => text !== '').join(' ');
}

const MAX_MESSAGE = 600;

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function masked(text: string, choice: ModelChoice, env: Environment): string {
  const names = choice.wire === 'embedded' ? [] : choice.keys;
  const secrets = names.map((name) => env[name]?.trim() ?? '').filter((key) => key !== '');
  return secrets.reduce((safe, key) => safe.replaceAll(key, '***'), text);
}

function adviceFor(code: string, status: number | undefined, choice: ModelChoice): string {
  if (choice.wire === 'embedded') return '';
  const { baseUrl, id, keys } = choice;
  if (status === 401 || status === 403) return `Set ${keys[0]} to a key that is valid there.`;
  if (status === 404) return baseUrl === undefined ? `Check the model id ${id} of --model.` : `Check the base URL ${baseUrl} and the model id ${id} of --model.`;
  if (status === 429 || status === 402) return 'Wait, or check the quota of the key.';
  if (status !== undefined && status >= 500) return 'The server is at fault: try again later.';
  switch (code) {
    case 'model-transport':
      return baseUrl === undefined ? 'Check the network.' : `Check that ${baseUrl} is the base URL of a running server.`;
    case 'model-timeout':
      return 'The model was silent for too long: try again later.';
    case 'unsupported':
      return 'Choose another --model, or fewer --tools.';
    default:
      return '';
  }
}

function modelErrorIn(error: unknown): ModelError | undefined {
  if (error instanceof ModelError) return error;
  return error instanceof Error && error.cause !== undefined ? modelErrorIn(error.cause) : undefined;
}
