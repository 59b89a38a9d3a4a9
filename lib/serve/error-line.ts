import { isLoopError, ModelError } from '../index.ts';
import { apiKey } from './api-key.ts';
import type { Environment } from './api-key.ts';
import { oneLine } from './one-line.ts';

/**
 * A failed run in one line: its code, what happened, what to do. No stack trace; a key that a server repeats is masked.
 *
 * @internal
 */
export function errorLine(error: unknown, model: string, env: Environment): string {
  const code = isLoopError(error) ? error.code : 'other';
  const message = error instanceof Error ? error.message : String(error);
  const key = apiKey(env);
  const said = oneLine(`${code}: ${key === undefined ? message : message.replaceAll(key, '***')}`, MAX_MESSAGE);
  const advice = adviceFor(code, statusOf(error), model);
  return advice === '' ? said : `${said}${/[.!?…]$/.test(said) ? '' : '.'} ${advice}`;
}

const MAX_MESSAGE = 600;

function adviceFor(code: string, status: number | undefined, model: string): string {
  const [address] = model.split('#');
  if (status === 401 || status === 403) return 'Set RX_TOOL_LOOP_API_KEY to a key that is valid there.';
  if (status === 404) return `Check the base URL and the model id of --model ${model}.`;
  if (status === 429) return 'Wait, or check the quota of the key.';
  if (status !== undefined && status >= 500) return 'The server is at fault: try again later.';
  switch (code) {
    case 'model-transport':
      return `Check that a server answers at ${address}.`;
    case 'model-timeout':
      return 'The model was silent for too long: try again later.';
    case 'unsupported':
      return 'Choose another --model, or fewer --tools.';
    default:
      return '';
  }
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof ModelError) return error.status;
  return error instanceof Error && error.cause !== undefined ? statusOf(error.cause) : undefined;
}
