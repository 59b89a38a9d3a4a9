import type { ResultPart, ToolDisplay } from './message.ts';

/** What a tool may return to say more than its output. */
export interface ToolOutput<Output = unknown> {
  readonly '~toolOutput': true;
  readonly output?: Output;
  readonly content?: string | readonly ResultPart[];
  readonly isError?: boolean;
  readonly display?: ToolDisplay;
}

/** The output type that a tool's return type stands for. */
export type OutputOf<Returned> = Returned extends ToolOutput<infer Output> ? Output : Returned;

/**
 * A tool's whole answer: what a program reads (`output`), what the model reads (`content`, by default the output's text)
 * and what a screen shows (`display`). `isError` makes it an error result of kind `other`.
 *
 * @example A tool that answers with an image
 * ```ts
 * import { defineTool, toolOutput } from 'rx-tool-loop';
 * import * as z from 'zod';
 *
 * export const chart = defineTool({
 *   name: 'chart',
 *   description: 'Draws a chart.',
 *   input: z.object({ values: z.array(z.number()) }),
 *   run: ({ values }) => toolOutput({ output: { points: values.length }, content: [{ type: 'text', text: 'Drawn.' }] }),
 * });
 * ```
 * @public
 */
export function toolOutput<Output = undefined>(said: Omit<ToolOutput<Output>, '~toolOutput'>): ToolOutput<Output> {
  return { ...said, '~toolOutput': true };
}

/** Whether a tool returned a {@link ToolOutput}. */
export function isToolOutput(value: unknown): value is ToolOutput {
  return typeof value === 'object' && value !== null && (value as Partial<ToolOutput>)['~toolOutput'] === true;
}
