import type { JsonSchema, Validation } from './tool.ts';

/**
 * The port for tools whose `input` is a raw JSON Schema: makes one schema's check.
 *
 * Contract:
 * - starts: once for each such tool of a run, after `run-start` and before the first model call. The check is then asked
 *   with the arguments of each call, which are a JSON object.
 * - fails: throws an {@link InvalidToolSchemaError} that names path and keyword for whatever the check would not honour,
 *   so that no schema is half checked. Any error that it throws ends the run.
 */
export type SchemaValidator = (schema: JsonSchema, toolName: string) => SchemaCheck;

/** Whether a value is as one schema says. An issue's message must not hold the value: it is told to the model. */
export interface SchemaCheck {
  validate(value: unknown): Validation<unknown> | PromiseLike<Validation<unknown>>;
}
