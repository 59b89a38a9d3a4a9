import { map, of } from 'rxjs';
import type { Observable } from 'rxjs';
import type { SchemaValidator } from '../schema-validator.ts';
import type { Tool } from '../tool.ts';
import { defaultValidator } from './default-validator.ts';
import { rawInput } from './raw-input.ts';

/**
 * The tools of a run, those with a raw JSON Schema now able to check their arguments. One value; at once, unless the
 * default validator has to be loaded.
 *
 * @internal
 */
export function bindSchemas(tools: ReadonlyMap<string, Tool>, validator: SchemaValidator | undefined): Observable<ReadonlyMap<string, Tool>> {
  const raw = [...tools.values()].find(({ needsValidator }) => needsValidator);
  if (raw === undefined) return of(tools);
  const validator$ = validator === undefined ? defaultValidator(raw.name) : of(validator);
  return validator$.pipe(map((made) => new Map([...tools].map(([name, tool]) => [name, bound(tool, made)]))));
}

function bound(tool: Tool, validator: SchemaValidator): Tool {
  if (!tool.needsValidator) return tool;
  const check = validator(tool.parameters, tool.name);
  return { ...tool, input: rawInput(tool.parameters, (value) => check.validate(value)) };
}
