import type { LoopEvent, ToolResultEvent, ToolStart } from '../event.ts';
import { resultText } from '../message.ts';
import type { ToolFault, ToolResult } from '../message.ts';
import type { LoopbackEvent, LoopbackEventOf } from './loopback-event.ts';

type Owner = Pick<LoopbackEventOf<'tool-start'>, 'toolName' | 'toolCallId' | 'parentToolUseId' | 'startedAt'>;

/**
 * The tools of one turn, those of its sub-agents too: each has one start, and one output unless it is taken back.
 *
 * @internal
 */
export class LoopbackTools {
  private readonly faultText: (fault: ToolFault) => string;
  /** Started and without an output yet. */
  private readonly open = new Map<string, Owner>();

  /** @param faultText - what a person is told of a failure */
  constructor(faultText: (fault: ToolFault) => string) {
    this.faultText = faultText;
  }

  start(event: ToolStart): LoopbackEventOf<'tool-start'> {
    const { call, startedAt, title, kind, speculative } = event;
    const owner: Owner = { ...ownerOf(event, call.name), startedAt };
    this.open.set(event.callId, owner);
    const told = { ...(title !== undefined && { title }), ...(kind !== undefined && { kind }), ...(speculative && { speculative }) };
    return { type: 'tool-start', ...owner, params: call.arguments, ...told };
  }

  result(event: ToolResultEvent): LoopbackEvent[] {
    const { callId, call, result } = event;
    const begun = this.open.get(callId);
    const owner = begun ?? ownerOf(event, call.name);
    this.open.delete(callId);
    return [
      // Whoever shows outputs by their start would lose one whose body never ran.
      ...(begun === undefined ? [{ type: 'tool-start', ...owner, params: call.arguments } as const] : []),
      // A sub-agent that failed has no ending of its own.
      ...this.takeBelow(callId).map(unended),
      { type: 'tool-output', ...owner, display: this.display(result), isError: result.isError, ...shown(result) },
    ];
  }

  /** Takes tools and all that runs below them back; the ids of those that were shown. */
  retract(callIds: readonly string[]): string[] {
    const taken = callIds.flatMap((id) => {
      const owner = this.open.get(id);
      this.open.delete(id);
      return [...this.takeBelow(id), ...(owner === undefined ? [] : [owner])];
    });
    return taken.map(({ toolCallId }) => toolCallId);
  }

  /** The turn is over: what has not ended never will. */
  end(): LoopbackEvent[] {
    const left = [...this.open.values()].reverse();
    this.open.clear();
    return left.map(unended);
  }

  /** Removes what runs for a call, the deepest first. */
  private takeBelow(callId: string): Owner[] {
    const below = [...this.open.values()].filter(({ parentToolUseId }) => parentToolUseId === callId);
    return below.flatMap((owner) => {
      this.open.delete(owner.toolCallId);
      return [...this.takeBelow(owner.toolCallId), owner];
    });
  }

  private display({ display, isError, error, content }: ToolResult): string {
    if (display?.text !== undefined) return display.text;
    const text = resultText(content);
    return isError ? this.faultText(error ?? { kind: 'other', message: text, retryable: false }) : text;
  }
}

function ownerOf({ callId, parent }: Extract<LoopEvent, { callId: string }>, toolName: string): Owner {
  return { toolName, toolCallId: callId, ...(parent !== undefined && { parentToolUseId: parent.callId }) };
}

function unended(owner: Owner): LoopbackEvent {
  return { type: 'tool-output', ...owner, display: 'The tool did not end.', isError: true };
}

/** What a tool gave for a screen, in the words of the channel. */
function shown({ display }: ToolResult): Partial<LoopbackEventOf<'tool-output'>> {
  if (display === undefined) return {};
  const { text, raw, ...same } = display;
  return raw === undefined ? same : { ...same, rawResponse: raw };
}
