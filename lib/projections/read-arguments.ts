import { partialJson } from '../fold/partial-json.ts';
import type { PartialJson } from '../fold/partial-json.ts';
import type { CallState } from '../loop-state.ts';

/**
 * The reader that has read exactly the text of this call. A memory and nothing else: a call without one, such as a state
 * that was folded before or came as JSON, is read from the start.
 */
const readers = new WeakMap<CallState, PartialJson>();

/**
 * A call with a further piece of its arguments and their new reading. Linear in the piece, as long as each call that comes
 * out is the one that goes in next.
 *
 * @internal
 */
export function readArguments(call: CallState, chunk: string): CallState {
  const reader = readers.get(call) ?? readerOf(call.argumentsText);
  readers.delete(call);
  reader.push(chunk);
  const { value } = reader;
  const next: CallState = { ...call, argumentsText: call.argumentsText + chunk, ...(value !== undefined && { arguments: value }) };
  readers.set(next, reader);
  return next;
}

function readerOf(text: string): PartialJson {
  const reader = partialJson();
  reader.push(text);
  return reader;
}
