import type { Meta, ToolResult } from '../message.ts';
import { agUiContent } from './ag-ui-content.ts';
import type { AgUiContent } from './ag-ui-event.ts';

/**
 * What a client is told of a result. The event has no field for a failure, so its metadata says it; masked, the text of
 * a failure names its kind and nothing else.
 *
 * @internal
 */
export function agUiResult({ content, isError, error }: ToolResult, mask: boolean): { readonly content: AgUiContent; readonly metadata?: Meta } {
  if (!isError) return { content: agUiContent(content) };
  const kind = error?.kind ?? 'other';
  const metadata = { isError, kind, ...(error?.retryable && { retryable: true }) };
  return { content: mask ? `The tool failed (${kind}).` : agUiContent(content), metadata };
}
