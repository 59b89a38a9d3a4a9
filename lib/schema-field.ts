/**
 * The words that the schemas of a run are written in.
 *
 * Made with `zod/mini`: `zod/v4/core` has no words to write a schema in, and the whole `zod` is three times as large.
 */
import * as z from 'zod/mini';
import { isRecord } from './is-record.ts';

export const text = z.string();
export const number = z.number();
export const flag = z.boolean();
export const texts = z.array(text);
/** There or not there, never false. */
export const yes = z.literal(true);

/** Free-form JSON, passed on as it is: a schema of records would drop a key named `__proto__`. */
export const json = z.unknown();

/** Free-form JSON that is an object. */
export const record = z.custom<Readonly<Record<string, unknown>>>(isRecord, 'Expected an object.');

export const figures = z.custom<Readonly<Record<string, number>>>(
  (value) => isRecord(value) && Object.values(value).every((figure) => typeof figure === 'number'),
  'Expected an object of numbers.',
);

/** A field that may be absent. JSON has no `undefined`, so neither has the type. */
export function maybe<T extends z.core.SomeType>(schema: T): z.ZodMiniExactOptional<T> {
  return z.optional(schema) as unknown as z.ZodMiniExactOptional<T>;
}

/** An object that is checked by its `type`, where that is known, and by `common` alone where it is not. */
export function open<T>(common: z.core.$ZodLooseShape, fields: Readonly<Record<string, z.ZodMiniType>>): z.ZodMiniType<T> {
  const known = new Map(Object.entries(fields));
  const schema = z.looseObject({ type: text, ...common }).check((context) => {
    const { value } = context;
    const issues = known.get(value.type)?.safeParse(value).error?.issues ?? [];
    for (const issue of issues) context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
  });
  return schema as unknown as z.ZodMiniType<T>;
}
