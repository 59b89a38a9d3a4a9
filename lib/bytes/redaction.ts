/** Stands where something was taken out. */
const REMOVED = '[removed]';

/** Headers, query parameters and fields of a body with such a name hold a secret. */
const SECRET_NAME = /auth|key|token|secret|cookie|session|signature|(^|-)sig$|credential|passw|nonce|jwt|^code$/i;
/** These say who asked. */
const ACCOUNT_NAME = /organi[sz]ation|(^|[-_])org([-_]|$)|account|project|tenant|workspace|customer|subscription|user(?!-agent)|request-?id|trace|(^|-)id$|cf-ray|forwarded|client-ip|real-ip|report-to/i;
/** Only how much is left, and until when: `x-ratelimit-remaining-tokens: 149984`. */
const LIMIT_NAME = /ratelimit|rate-limit/i;
const LIMIT_VALUE = /^[\d.,:+TZmsh -]{1,40}$/;
/** The part of a URL's path after one of these names an account. */
const ACCOUNT_FOLDER = /^(accounts?|organi[sz]ations?|orgs?|projects?|tenants?|workspaces?|users?|subscriptions?)$/i;

/** Fields of a JSON body, without punctuation and in lower case. Counts such as `max_tokens` are numbers and stay. */
const SECRET_FIELD = /(key|token|secret|password|passwd|authorization|credentials?|cookie|sessionid)$/;
const ACCOUNT_FIELD = /^(user|userid|username|email|safetyidentifier|accountid|organi[sz]ation|organi[sz]ationid|tenantid|customerid)$/;

/** What the keys of services and the tokens of the common formats look like, wherever they stand. */
const KEYS = [
  /\b(sk|pk|rk)[-_](?=[\w-]*\d)[\w-]{16,}/,
  /\b(gsk|xai|hf|r8|nvapi|pplx|csk|fw|tgp|key|org|proj|user|acct|req)[-_](?=[A-Za-z]*\d)[A-Za-z0-9]{16,}/,
  /\b(gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|AIza|ya29\.)[\w-]{16,}/,
  /\b(AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/,
  /\b(Bearer|Basic) [A-Za-z0-9._~+/=-]{16,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/,
];
const KEY = new RegExp(KEYS.map(({ source }) => source).join('|'), 'g');

/** A run of letters and digits this long is no word. Dates, versions and model names are shorter between their dashes. */
const RANDOM = /(?=[A-Za-z0-9_]*\d)(?=[A-Za-z0-9_]*[A-Za-z])[A-Za-z0-9_]{16,}/;

/** Shorter ones would be found by chance in other words. */
const KNOWN_LENGTH = 8;
const MASK = 'x'.charCodeAt(0);

/**
 * Takes secrets out of one recorded exchange. What it has taken out of one place (a header's key, an account's name) it
 * finds in all others, so it is asked for the headers and the URL before the bodies.
 *
 * It errs on the side of taking too much. What it cannot know (a name in a prompt, a key that a model spells out in pieces)
 * stays.
 *
 * @internal
 */
export class Redaction {
  private readonly known: Set<string>;

  /** @param secrets - texts to take out wherever they stand; empty ones are ignored */
  constructor(secrets: readonly string[]) {
    this.known = new Set(secrets.filter((secret) => secret !== ''));
  }

  headers(headers: Headers): Record<string, string> {
    return Object.fromEntries([...headers].map(([name, value]) => [name, this.isPublic(name, value) ? this.text(value) : this.removed(value, SECRET_NAME.test(name))]));
  }

  /** Names and passwords, secret values of the query and whatever looks like a key or an account. */
  url(text: string): string {
    if (!URL.canParse(text)) return this.text(text);
    const url = new URL(text);
    for (const part of ['username', 'password'] as const) if (url[part] !== '') url[part] = this.removed(url[part], true);
    for (const [name, value] of [...url.searchParams]) if (!this.isPublic(name, value)) url.searchParams.set(name, this.removed(value, SECRET_NAME.test(name)));
    const parts = url.pathname.split('/');
    const isSecret = (part: string, at: number): boolean => RANDOM.test(part) || ACCOUNT_FOLDER.test(parts[at - 1] ?? '');
    url.pathname = parts.map((part, at) => (part !== '' && isSecret(part, at) ? this.removed(part) : part)).join('/');
    url.hash = '';
    // Brackets are not written out in a query or a path.
    return this.text(url.href.replaceAll('%5Bremoved%5D', REMOVED));
  }

  text(text: string): string {
    let safe = text;
    for (const secret of this.known) safe = safe.replaceAll(secret, REMOVED);
    return safe.replace(KEY, REMOVED);
  }

  /** A body that was JSON. */
  json(value: unknown, name = ''): unknown {
    if (typeof value === 'string') {
      const field = name.toLowerCase().replace(/[^a-z0-9]/g, '');
      return SECRET_FIELD.test(field) || ACCOUNT_FIELD.test(field) ? this.removed(value) : this.text(value);
    }
    if (Array.isArray(value)) return value.map((one) => this.json(one, name));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.json(one, key)]));
  }

  /** The pieces of a body: what is taken out becomes as many `x`, also where it was cut between two pieces. */
  bytes(pieces: readonly Uint8Array[]): Uint8Array[] {
    const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let length = 0;
    for (const piece of pieces) {
      whole.set(piece, length);
      length += piece.length;
    }
    // One character for each byte, so that a place in the text is one in the bytes.
    const decoder = new TextDecoder('latin1');
    const text = decoder.decode(whole);
    for (const secret of this.known) {
      const wanted = decoder.decode(new TextEncoder().encode(secret));
      for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) whole.fill(MASK, at, at + wanted.length);
    }
    for (const { index, 0: found } of text.matchAll(KEY)) whole.fill(MASK, index, index + found.length);
    let start = 0;
    return pieces.map((piece) => whole.subarray(start, (start += piece.length)));
  }

  private isPublic(name: string, value: string): boolean {
    if (LIMIT_NAME.test(name) && LIMIT_VALUE.test(value)) return true;
    return !SECRET_NAME.test(name) && !ACCOUNT_NAME.test(name) && !RANDOM.test(value);
  }

  private removed(value: string, isSecret = false): string {
    // The scheme before a key is no part of it: bodies repeat the key alone.
    const secret = value.replace(/^(Bearer|Basic|Token|ApiKey) /i, '').trim();
    // A user called "assistant" must not take that word out of every body.
    const isWord = !isSecret && /^[a-z]+$/i.test(secret);
    if (secret.length >= KNOWN_LENGTH && !isWord) this.known.add(secret);
    return REMOVED;
  }
}
