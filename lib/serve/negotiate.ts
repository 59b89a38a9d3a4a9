import type { Format } from './format.ts';
import { Problem } from './problem.ts';

/**
 * The format that a request asks for: by name with `?format=`, else the native one where `Accept` wants a stream of events.
 * Nothing where it wants JSON, which is an answer of a `POST` alone.
 *
 * @param isStream - whether the answer is a stream in any case
 * @throws Problem 400 for a name that is unknown
 * @internal
 */
export function negotiate(request: Request, formats: Readonly<Record<string, Format>>, isStream: boolean): Format | undefined {
  const name = new URL(request.url).searchParams.get('format');
  if (name !== null) {
    if (Object.hasOwn(formats, name)) return formats[name];
    throw new Problem(400, 'unknown-format', `There is no such format: this server has ${Object.keys(formats).join(', ')}.`);
  }
  const wantsEvents = /\btext\/event-stream\b/i.test(request.headers.get('accept') ?? '');
  return isStream || wantsEvents ? formats['events'] : undefined;
}
