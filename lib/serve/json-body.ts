import { jsonDepth } from './json-depth.ts';
import { jsonFault } from './json-fault.ts';
import { Problem } from './problem.ts';

/** Bounds on reading a body. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

/**
 * The JSON value of a request's body. An empty body is `{}` where `mayBeEmpty`.
 *
 * Rejects with a {@link Problem}: 415 for another content type, 413 for a body over `maxBodyBytes`, 408 for one that does
 * not come within `bodyTimeoutMs`, 400 with the place for text that is not UTF-8 or not JSON, and 400 for JSON that is nested too deep.
 *
 * @internal
 */
export async function jsonBody(request: Request, limits: BodyLimits, mayBeEmpty = false): Promise<unknown> {
  const type = request.headers.get('content-type');
  const isJson = /^application\/json\s*(;|$)/i.test(type ?? '');
  if (!isJson && !(mayBeEmpty && type === null)) {
    throw new Problem(415, 'not-json', `The content type is ${type === null ? 'missing' : 'another one'}: send JSON with content-type: application/json.`);
  }
  const bytes = await readBody(request, limits);
  if (bytes.length === 0 && mayBeEmpty) return {};
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem(400, 'invalid-json', 'The body is not UTF-8: encode it so.');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem(400, 'invalid-json', `The body is not JSON${placeIn(text)}.`);
  }
  if (jsonDepth(text) > MAX_DEPTH) throw new Problem(400, 'invalid-body', `The body is nested deeper than ${MAX_DEPTH} levels: make it flatter.`);
  return value;
}

/** What is nested deeper overflows the stack where it is written, as a log does. */
const MAX_DEPTH = 500;

async function readBody(request: Request, { maxBodyBytes, bodyTimeoutMs }: BodyLimits): Promise<Uint8Array> {
  const tooLarge = new Problem(413, 'body-too-large', `The body is larger than ${maxBodyBytes} bytes: send less.`, { connection: 'close' });
  if (Number(request.headers.get('content-length')) > maxBodyBytes) throw tooLarge;
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const detail = `The body did not come within ${bodyTimeoutMs} ms: send it faster.`;
    if (bodyTimeoutMs < Infinity) timer = setTimeout(() => reject(new Problem(408, 'body-too-slow', detail, { connection: 'close' })), bodyTimeoutMs);
  });
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) break;
      length += value.length;
      if (length > maxBodyBytes) throw tooLarge;
      chunks.push(value);
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error instanceof Problem ? error : new Problem(400, 'body-broken', 'The body broke off: send it again.');
  } finally {
    clearTimeout(timer);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Line and column. The engine's own words may repeat the body, so they are left out. */
function placeIn(text: string): string {
  if (text.trim() === '') return ': it is empty';
  const lines = text.slice(0, jsonFault(text)).split('\n');
  return ` at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
