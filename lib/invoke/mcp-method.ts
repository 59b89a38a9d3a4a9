import type { McpVersion } from './mcp-version.ts';

/**
 * What a handler is set for: the newer clients take a method's name, the older ones a zod schema, of which they read the
 * literal `method` and which they let parse. This is as much of one as they need; zod itself is not loaded.
 *
 * @internal
 */
export function mcpMethod(method: string, version: McpVersion): never {
  if (version === 2) return method as never;
  const parse = (data: unknown): unknown => data;
  const literal = { value: method, _def: { value: method } };
  return { shape: { method: literal }, parse, safeParse: (data: unknown) => ({ success: true, data }) } as never;
}
