import { errorText as textOf } from '../errors.ts';
import type { ToolResultEvent } from '../event.ts';
import { resultText } from '../message.ts';
import type { ResultPart, ToolCall, ToolFault, ToolLocation, ToolResult } from '../message.ts';
import type { Tool } from '../tool.ts';
import { isToolOutput } from '../tool-output.ts';
import type { ToolOutput } from '../tool-output.ts';
import { fault } from './fault.ts';
import { toJson } from './to-json.ts';

/** What turns a failure into words for the model. */
export type ErrorText = (fault: ToolFault) => string;

/** The result of a call that does not run, or whose body failed. */
export function failedResult({ id, name }: ToolCall, error: ToolFault, errorText: ErrorText): ToolResult {
  return { callId: id, name, content: [{ type: 'text', text: errorText(error) }], isError: true, error };
}

/**
 * The result of a body that has ended. A string is said as it is, anything else as its JSON text, no output is no
 * content; a {@link ToolOutput} says its parts itself.
 *
 * @param value - as JSON has it
 * @param text - its JSON text
 */
export function outputResult(call: ToolCall, tool: Tool, args: unknown, value: unknown, text: string | undefined, errorText: ErrorText): ToolResult {
  const rich = isToolOutput(value) ? value : undefined;
  const output = rich === undefined ? value : rich.output;
  if (rich?.content !== undefined && !isContent(rich.content)) return failedResult(call, fault('other', 'The content of the output must be a text or a list of parts.'), errorText);
  const content = rich?.content === undefined ? contentOf(output, rich === undefined ? text : JSON.stringify(output)) : partsOf(rich.content);
  const display = displayOf(tool, args, rich);
  const told = { ...(output !== undefined && { output }), ...(display !== undefined && { display }) };
  if (rich?.isError !== true) return { callId: call.id, name: call.name, content, isError: false, ...told };
  const error = fault('other', saidIn(content));
  // What the tool itself says to the model is said whole, unless the policy keeps it from saying anything.
  const whole = errorText(error) === error.message;
  return { ...failedResult(call, error, errorText), ...(whole && content.length > 0 && { content }), ...told };
}

/** Whether it is what a user's function may give as content. */
export function isContent(content: unknown): content is string | readonly ResultPart[] {
  return typeof content === 'string' || (Array.isArray(content) && content.every((part: { readonly type?: unknown } | null) => typeof part?.type === 'string'));
}

/** Parts from what a user's function gives as content. */
export function partsOf(content: string | readonly ResultPart[]): readonly ResultPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

export function resultEvent(call: ToolCall, { runId, step }: { readonly runId: string; readonly step: number }, elapsedMs: number, result: ToolResult): ToolResultEvent {
  return { type: 'tool-result', runId, step, callId: call.id, call, result, elapsedMs };
}

/** A person's word on a tool; nothing where the tool's own function fails. */
export function titleOf(tool: Tool, args: unknown): string | undefined {
  try {
    const title: unknown = tool.title?.(args as never);
    return typeof title === 'string' ? title : undefined;
  } catch {
    return undefined;
  }
}

function contentOf(value: unknown, text: string | undefined): readonly ResultPart[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  return text === undefined ? [] : [{ type: 'text', text }];
}

function displayOf(tool: Tool, args: unknown, rich: ToolOutput | undefined): ToolResult['display'] {
  let locations: readonly ToolLocation[] | undefined;
  try {
    const said = toJson(tool.locations?.(args as never));
    if (!said.ok || (said.value !== undefined && !Array.isArray(said.value))) throw new Error(said.ok ? 'it gives no list' : said.reason);
    locations = said.value as typeof locations;
  } catch (error) {
    // Told, because it is a fault of the tool; but it is no reason to lose the result.
    return { ...rich?.display, text: rich?.display?.text ?? `locations() failed: ${textOf(error)}` };
  }
  if (locations === undefined) return rich?.display;
  return { ...rich?.display, locations: rich?.display?.locations ?? locations };
}

function saidIn(content: readonly ResultPart[]): string {
  const text = resultText(content).trim();
  return text === '' ? 'The tool failed.' : text;
}
