import { errorText, isLoopError } from '../errors.ts';
import type { ToolError } from '../errors.ts';
import type { ToolFault, ToolFaultKind } from '../message.ts';

/** What a tool threw, as data. A {@link ToolError} says its kind itself; anything else is `other`. */
export function faultOf(error: unknown): ToolFault {
  if (isLoopError(error) && error.code === 'tool') {
    const { kind, message, retryable } = error as ToolError;
    return { kind, message, retryable };
  }
  return fault('other', errorText(error));
}

export function fault(kind: ToolFaultKind, message: string): ToolFault {
  return { kind, message, retryable: false };
}
