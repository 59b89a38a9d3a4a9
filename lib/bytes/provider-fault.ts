import { isRecord } from '../is-record.ts';
import { json } from './json.ts';

/** What a provider says is wrong, as far as its words can be read. */
export interface ProviderFault {
  /** The provider's own name for it: the first of `type`, `status` and `code` that is a word. */
  readonly type?: string;
  /** The provider's text, cut to 2,000 characters. */
  readonly detail: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
}

// An empty account stays empty however long one waits, and providers report it with the status of a rate limit.
const SPENT = /insufficient_(quota|balance|credit|fund)|billing|quota_exceeded|payment_required|credits?_exhausted/i;
const SPENT_TEXT = /insufficient (quota|balance|credit|fund)/i;
const PASSING = /rate.?limit|too_many|overload|server_?error|internal|unavailable|time_?out|capacity|exhausted|api_error/i;
// The server refused a call that its own model had written: the next answer may hold a better one.
const OWN_CALL = /tool_use_failed/;

const DETAIL_LENGTH = 2_000;

/**
 * Reads the error that a provider sent as the body of a failure status, or as a frame inside its stream. The shapes in
 * use: `{ error: { message, type, code } }`, `{ error: "text" }`, `{ detail: "text" }`, the fields with no `error`
 * around them, and a list of any of these. What is no JSON (an HTML page of a proxy) is kept as text.
 *
 * With a `status`, the status decides (408, 409, 425, 429 and 5xx pass), except for an empty account, which never does,
 * and for a call that the server itself refused, which does. Without one (inside a stream) the error's own code or name
 * decides, and what has neither is taken as fatal.
 *
 * @internal
 */
export function providerFault(text: string, status?: number): ProviderFault {
  const error = errorIn(text);
  const words = [error['type'], error['status'], error['code']].filter((word) => typeof word === 'string');
  const type = words.find((word) => word !== '' && !/^\d+$/.test(word));
  return {
    ...(type !== undefined && { type }),
    detail: text.slice(0, DETAIL_LENGTH),
    retryable: passes(words.join(' '), String(error['message'] ?? error['detail'] ?? ''), status ?? statusOf(error)),
  };
}

function passes(names: string, message: string, status: number | undefined): boolean {
  if (SPENT.test(names) || SPENT_TEXT.test(message)) return false;
  if (OWN_CALL.test(names)) return true;
  if (status !== undefined) return status >= 500 || [408, 409, 425, 429].includes(status);
  return PASSING.test(names || message);
}

/** Gateways put the status of the server behind them into `code`, as a number or its digits. */
function statusOf(error: Fields): number | undefined {
  const code = Number(error['code'] ?? Number.NaN);
  return code >= 400 && code < 600 ? code : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function errorIn(text: string): Fields {
  let value = json(text);
  if (Array.isArray(value)) value = value[0];
  if (!isRecord(value)) return {};
  const inner = value['error'] ?? value;
  return isRecord(inner) ? inner : { message: inner };
}
