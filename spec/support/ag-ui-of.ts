import { from } from 'rxjs';
import type { LoopEvent } from '../../lib/index.ts';
import { AgUiDesk } from '../../lib/projections/ag-ui-desk.ts';
import { toAgUi } from '../../lib/projections/ag-ui.ts';
import type { AgUiEvent, AgUiInput, AgUiOptions } from '../../lib/projections/ag-ui.ts';

export const input: AgUiInput = { threadId: 'thread', runId: 'asked', messages: [] };

/** What a whole run is in AG-UI. */
export function agUiOf(events: readonly LoopEvent[], options: Partial<AgUiOptions> = {}): AgUiEvent[] {
  const said: AgUiEvent[] = [];
  from(events).pipe(toAgUi({ input, ...options })).subscribe((event) => said.push(event));
  return said;
}

/** A desk, and what is said at it, in short. */
export function deskOf(mask = true): { readonly desk: AgUiDesk; readonly said: () => string[] } {
  const desk = new AgUiDesk([], mask);
  return { desk, said: () => desk.take().map(inShort) };
}

/** An event as its type, what it is about and what it adds: `TEXT_MESSAGE_CONTENT run/text/b hi`. */
export function inShort(event: AgUiEvent): string {
  const { type, ...fields } = event as unknown as Record<string, unknown> & { readonly type: string };
  const of = ['messageId', 'entityId', 'toolCallId', 'stepName', 'name', 'delta', 'encryptedValue', 'content'].flatMap((field) => {
    const value = fields[field];
    return value === undefined || (field === 'toolCallId' && type === 'TOOL_CALL_RESULT') ? [] : [typeof value === 'string' ? value : JSON.stringify(value)];
  });
  return [type, ...of].join(' ');
}
