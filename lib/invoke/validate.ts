import { catchError, defaultIfEmpty, map, of, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { answer, isAwaited } from '../answer.ts';
import { errorText } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import type { ToolCall } from '../message.ts';
import type { Answer, Tool, Validation, ValidationIssue } from '../tool.ts';

/** The arguments that the tool may run with, or why it may not. */
export type Checked =
  | { readonly ok: true; readonly args: unknown }
  | { readonly ok: false; readonly reason: string };

/** At most so many issues are told to the model: more would cost tokens and help no further. */
const MAX_ISSUES = 8;

/**
 * Checks a call's arguments: JSON, an object, and then the tool's own schema. No arguments are `{}`. A schema that fails
 * accepts nothing: that is the tool's fault, not the model's, but the model is the only one who can go on.
 *
 * @returns a plain value, unless the schema answers later
 * @internal
 */
export function validate(tool: Tool, call: ToolCall): Checked | Observable<Checked> {
  const failed = (error: unknown): Checked => ({ ok: false, reason: `The schema of tool "${tool.name}" failed: ${errorText(error)}` });
  const said = (validation: Validation<unknown>): Checked =>
    validation.issues === undefined ? { ok: true, args: validation.value } : refused(tool, issuesText(validation.issues));
  try {
    // A copy: a schema may pass parts of it on, and what the tool does to them must not change the events.
    const args = call.arguments === undefined || call.arguments === '' ? {} : copyOf(call.arguments);
    const fault = shapeFault(args, call.rawArguments);
    if (fault !== undefined) return refused(tool, fault);
    const validation = tool.input['~standard'].validate(args) as Answer<Validation<unknown>>;
    if (!isAwaited(validation)) return said(validation);
    return answer(validation).pipe(take(1), defaultIfEmpty<Validation<unknown>, Validation<unknown>>({ value: args }), map(said), catchError((error: unknown) => of(failed(error))));
  } catch (error) {
    return failed(error);
  }
}

/** A copy of a JSON value. `fromEntries` defines its keys, so that an own `__proto__` stays one. */
function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copyOf(one)]));
}

function refused(tool: Tool, why: string): Checked {
  return { ok: false, reason: `Invalid arguments for tool "${tool.name}": ${why}` };
}

function shapeFault(args: unknown, raw: string | undefined): string | undefined {
  if (isRecord(args)) return undefined;
  if (typeof args === 'string' && (raw === undefined || raw === args)) {
    try {
      JSON.parse(args);
    } catch (error) {
      return `not valid JSON (${(error as Error).message}). Send one JSON object.`;
    }
  }
  const kind = args === null ? 'null' : Array.isArray(args) ? 'an array' : `a ${typeof args}`;
  return `expected a JSON object, got ${kind}.`;
}

/** The first issues in words. */
export function issuesText(issues: readonly ValidationIssue[]): string {
  const told = issues.slice(0, MAX_ISSUES).map(({ path, message }) => (path?.length ? `${pathText(path)}: ${message}` : message));
  const rest = issues.length - told.length;
  return told.join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}

/** A path in words, such as `items[2].price`. */
export function pathText(path: NonNullable<ValidationIssue['path']>): string {
  return path
    .map((segment) => (typeof segment === 'object' ? segment.key : segment))
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at > 0 ? '.' : ''}${String(key)}`))
    .join('');
}
