import { ConfigError } from '../errors.ts';
import { isRecord } from '../is-record.ts';

/** What a client sends, field by field: each check gives the value, or says where it is wrong and what would be right. */
export const agUiCheck = {
  record(value: unknown, path: string): Readonly<Record<string, unknown>> {
    if (isRecord(value)) return value;
    throw agUiCheck.wrong(path, `is ${told(value)}; it must be an object`);
  },

  /** Absent means empty, unless it is needed. */
  list(value: unknown, path: string, isNeeded = false): readonly unknown[] {
    if (value === undefined && !isNeeded) return [];
    if (Array.isArray(value)) return value;
    throw agUiCheck.wrong(path, `is ${told(value)}; it must be a list`);
  },

  text(value: unknown, path: string): string {
    if (typeof value === 'string') return value;
    throw agUiCheck.wrong(path, `is ${told(value)}; it must be a text`);
  },

  wrong(path: string, what: string): ConfigError {
    return new ConfigError(`fromAgUi: input${path === '' ? '' : `.${path}`} ${what}.`);
  },
};

/** The kind of a value, never the value: it is a stranger's. */
function told(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}
