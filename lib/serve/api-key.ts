/** Environment variables. */
export interface Environment {
  readonly [name: string]: string | undefined;
}

/**
 * The key for a model behind a base URL: `RX_TOOL_LOOP_API_KEY`, else `OPENAI_API_KEY`, else none. It is never an
 * option, because a command line can be seen by every process, and it is never shown.
 *
 * @internal
 */
export function apiKey(env: Environment): string | undefined {
  return env['RX_TOOL_LOOP_API_KEY'] || env['OPENAI_API_KEY'] || undefined;
}
