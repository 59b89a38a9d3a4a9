import { errorText } from '../errors.ts';
import type { ToolFault } from '../message.ts';

/**
 * A failure that a person is told of: of the run, with whatever was thrown or an `ErrorInfo`, or of one call, with the text
 * that the model reads.
 */
export type UiFailure =
  | { readonly of: 'run'; readonly error: unknown }
  | { readonly of: 'tool'; readonly callId: string; readonly name: string; readonly error: ToolFault; readonly text: string };

/**
 * What a person reads of a failure. `true`: that it failed, and of which kind; `false`: its own words.
 *
 * @internal
 */
export function maskOf(mask: boolean | ((failure: UiFailure) => string)): (failure: UiFailure) => string {
  if (typeof mask === 'function') return mask;
  return mask ? masked : plain;
}

function masked(failure: UiFailure): string {
  return failure.of === 'run' ? 'The run failed.' : `The tool failed (${failure.error.kind}).`;
}

function plain(failure: UiFailure): string {
  if (failure.of === 'tool') return failure.text;
  const { error } = failure;
  const message = typeof error === 'object' && error !== null ? (error as { readonly message?: unknown }).message : undefined;
  return typeof message === 'string' && message !== '' ? message : errorText(error);
}
