import { catchError, map, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { answer } from '../answer.ts';
import { InvalidToolSchemaError } from '../errors.ts';
import type { SchemaValidator } from '../schema-validator.ts';

/**
 * The validator of a run that was given none. The host keeps what it has loaded, so that one is loaded once.
 *
 * Contract:
 * - starts: at the call, which is the preflight of a run.
 * - leaves: what is still loading is ignored.
 * - fails: with an {@link InvalidToolSchemaError} that says what to install or to give.
 *
 * @param toolName - the tool that needs it
 * @internal
 */
export function defaultValidator(toolName: string): Observable<SchemaValidator> {
  return answer(load('rx-tool-loop/json-schema')).pipe(
    map(({ jsonSchemaValidator }) => jsonSchemaValidator()),
    catchError((cause: unknown) => throwError(() => new InvalidToolSchemaError(toolName, REMEDY, {}, { cause }))),
  );
}

const REMEDY =
  'its validator did not load. Install @cfworker/json-schema, or give the option validator, as a bundle must: jsonSchemaValidator() of rx-tool-loop/json-schema.';

/**
 * By its public name, since a built file does not stand where its source does. Handed in, which hides it from bundlers: they
 * would put the validator into every bundle, or fail where its package is not installed.
 */
function load(name: string): PromiseLike<typeof import('./json-schema-validator.ts')> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}
