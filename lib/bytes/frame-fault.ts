import { ModelError } from '../errors.ts';
import { providerFault } from './provider-fault.ts';

/**
 * The error of a stream in which the provider sent one in place of a frame, or in one.
 *
 * @param data - the text of that frame
 * @internal
 */
export function frameFault(data: string): ModelError {
  const fault = providerFault(data);
  const name = fault.type === undefined ? '' : ` (${fault.type})`;
  const advice = fault.retryable ? 'It may be tried again.' : '`detail` holds it.';
  return new ModelError('model-stream', `The provider sent an error inside its stream${name}. ${advice}`, fault);
}
