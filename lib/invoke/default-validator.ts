import { catchError, map, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { answer } from '../answer.ts';
import { InvalidToolSchemaError } from '../errors.ts';
import type { SchemaValidator } from '../schema-validator.ts';

/**
 * The validator of a run that was given none. It is loaded once: a later run begins at once.
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
  if (loaded !== undefined) return of(loaded);
  return answer(load('rx-tool-loop/json-schema')).pipe(
    map(({ jsonSchemaValidator }) => (loaded = jsonSchemaValidator())),
    catchError((cause: unknown) => throwError(() => new InvalidToolSchemaError(toolName, REMEDY, {}, { cause }))),
  );
}

/** Kept, because asking the host for a module that it has costs a run as much as its own steps do. */
let loaded: SchemaValidator | undefined;

const REMEDY =
  'its validator did not load. Install @cfworker/json-schema, or give the option validator, as a bundle must: jsonSchemaValidator() of rx-tool-loop/json-schema.';

/**
 * By its public name, since a built file does not stand where its source does. Handed in, which hides it from bundlers: they
 * would put the validator into every bundle, or fail where its package is not installed.
 */
function load(name: string): PromiseLike<typeof import('./json-schema-validator.ts')> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}
