import { arithmetic } from './embedded-arithmetic.ts';
import type { Clause, Token } from './embedded-clause.ts';

/** How a property is filled: by its type where that says enough, else by its name and description. */
export type Kind = 'const' | 'enum' | 'zone' | 'formula' | 'path' | 'number' | 'numbers' | 'boolean' | 'place' | 'text' | 'string' | 'other';

export interface Property {
  readonly name: string;
  readonly kind: Kind;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly isRequired: boolean;
}

export interface Value {
  readonly value: unknown;
  readonly used: readonly Token[];
  /** Free text, to which more of the same sentence may belong. */
  readonly isOpen?: boolean;
}

/** What may still be taken. */
export interface Source {
  readonly clause: Clause;
  readonly used: ReadonlySet<Token>;
  /** Whether a word is the tool's own. */
  readonly isKnown: (token: Token) => boolean;
}

/**
 * The value that a clause gives a property, and the tokens that became it; `undefined` where it gives none.
 *
 * @internal
 */
export function readValue(property: Property, source: Source): Value | undefined {
  return READ[property.kind](property, source);
}

const READ: Record<Kind, (property: Property, source: Source) => Value | undefined> = {
  const: ({ schema }) => ({ value: schema['const'], used: [] }),
  enum: memberIn,
  zone: zoneIn,
  formula: (_, { clause: { text, tokens } }) => {
    const value = arithmetic(text) ?? tokens.find((token) => token.kind === 'quoted' && /\d/.test(token.text))?.text;
    return value === undefined ? undefined : { value, used: tokens.filter(({ kind }) => kind !== 'word') };
  },
  path: (_, source) => pathIn(source) ?? quotedIn(source),
  number: ({ schema }, source) => {
    const token = numbersIn(source).find(({ text }) => schema['type'] !== 'integer' || Number.isInteger(numeric(text)));
    return token && { value: numeric(token.text), used: [token] };
  },
  numbers: (_, source) => {
    const used = numbersIn(source);
    return used.length === 0 ? undefined : { value: used.map(({ text }) => numeric(text)), used };
  },
  boolean: ({ name }, { clause }) => {
    const said = clause.tokens.find(({ key }) => /^(?:true|false|yes|no|on|off)$/.test(key) || key === name.toLowerCase());
    return said && { value: !/^(?:false|no|off)$/.test(said.key), used: [said] };
  },
  place: (_, source) => quotedIn(source) ?? placeIn(source) ?? restIn(behind(source, source.clause.tokens.findLastIndex(source.isKnown))),
  text: (_, source) => quotedIn(source) ?? restIn(source),
  string: (_, source) => quotedIn(source) ?? subjectIn(source) ?? restIn(source),
  other: () => undefined,
};

function numbersIn({ clause, used }: Source): Token[] {
  return clause.tokens.filter((token) => token.kind === 'number' && !used.has(token) && Number.isFinite(numeric(token.text)));
}

function numeric(text: string): number {
  return Number(text.replaceAll(',', '').replace('\u2212', '-'));
}

function quotedIn({ clause, used }: Source): Value | undefined {
  const quoted = clause.tokens.find((token) => token.kind === 'quoted' && token.text !== '' && !used.has(token));
  return quoted && { value: quoted.text, used: [quoted] };
}

function pathIn({ clause: { text, tokens } }: Source): Value | undefined {
  for (const { 0: piece, index } of text.matchAll(/[^\s"'`“”()<>,;]+/g)) {
    const path = piece.replace(/[.:!?]$/, '');
    if (!/\p{L}/u.test(path) || !/[\\/]|\w\.\w+$/.test(path)) continue;
    return { value: path, used: tokens.filter(({ start, end }) => start < index + path.length && end > index) };
  }
  return undefined;
}

function memberIn(property: Property, source: Source): Value | undefined {
  const members = property.schema['enum'] as readonly unknown[];
  const { text, tokens } = source.clause;
  const said = firstOf(phrasesIn(tokens, new Map(members.map((member) => [phrase(String(member)), member]))), property, source);
  // A member without a letter or digit, such as `+`, is no token.
  const isSign = (member: unknown) => typeof member === 'string' && member !== '' && phrase(member) === '' && text.includes(member);
  const sign = members.find(isSign);
  return said ?? (sign === undefined ? undefined : { value: sign, used: [] });
}

/** What is said first and still free; what stands behind the property's own name (`to miles`) before all others. */
function firstOf(found: readonly Value[], { name }: Property, { clause: { tokens }, used }: Source): Value | undefined {
  const free = found.filter((one) => one.used.every((token) => !used.has(token)));
  const called = new Set(tokens.filter((_, n) => tokens[n - 1]?.key === name.toLowerCase()));
  return free.find((one) => one.used.some((token) => called.has(token))) ?? free[0];
}

let zones: ReadonlyMap<string, string> | undefined;

/** A zone by its city (`tokyo`), by the whole name, or any other name that the host knows (`Asia/Kolkata`). */
function zoneIn(property: Property, source: Source): Value | undefined {
  const { text, tokens } = source.clause;
  zones ??= new Map([...Intl.supportedValuesOf('timeZone'), 'UTC'].map((zone) => [phrase(zone.slice(zone.lastIndexOf('/') + 1)), zone]));
  for (const { 0: name, index } of [...text.matchAll(/\b[A-Z][A-Za-z]{1,14}(?:\/[\w+-]{1,30}){1,2}/g)].slice(0, 8)) {
    const named = tokens.filter(({ start, end }) => start < index + name.length && end > index);
    if (isZone(name) && named.every((token) => !source.used.has(token))) return { value: name, used: named };
  }
  return firstOf(phrasesIn(tokens, zones), property, source);
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** Lower case without accents, words parted by one space: `Sao_Paulo` and `São Paulo` are one. */
function phrase(text: string): string {
  const words = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().match(/[\p{L}\p{N}]+/gu);
  return words?.join(' ') ?? '';
}

/** In words; the names of cities in zones have three. */
const LONGEST_PHRASE = 5;

/** Where tokens in a row say one of the phrases, of those that begin at one token the longest. */
function phrasesIn(tokens: readonly Token[], phrases: ReadonlyMap<string, unknown>): Value[] {
  const words = tokens.map(({ kind, text }) => (kind === 'quoted' ? '' : phrase(text)));
  return tokens.flatMap((_, start) => {
    for (let size = Math.min(LONGEST_PHRASE, words.length - start); size > 0; size--) {
      const said = words.slice(start, start + size).join(' ');
      if (said !== '' && phrases.has(said)) return [{ value: phrases.get(said), used: tokens.slice(start, start + size) }];
    }
    return [];
  });
}

const BEFORE_PLACE = /^(?:in|at|for|near|of|to|from)$/;

/** The words behind `in` and its like, else the first name that begins with a capital. */
function placeIn({ clause, used, isKnown }: Source): Value | undefined {
  const { tokens } = clause;
  const isPart = (token: Token | undefined) => token?.kind === 'word' && !token.isStop && !used.has(token);
  const behind = tokens.findIndex((token, n) => BEFORE_PLACE.test(token.key) && isPart(tokens[n + 1])) + 1;
  const capital = (token: Token, n: number) => n > 0 && isPart(token) && !isKnown(token) && /^\p{Lu}/u.test(token.text);
  const start = behind > 0 ? behind : tokens.findIndex(capital);
  if (start < 0) return undefined;
  const after = tokens.slice(start);
  const end = after.findIndex((token) => !isPart(token));
  return span(clause, end < 0 ? after : after.slice(0, end), false);
}

/** What stands behind `for` or `about`, once a word of the tool was said. */
function subjectIn(source: Source): Value | undefined {
  const { tokens } = source.clause;
  const known = tokens.findIndex(source.isKnown);
  const about = tokens.findIndex((token, n) => n > known && /^(?:for|about)$/.test(token.key));
  return known < 0 || about < 0 ? undefined : restIn(behind(source, about), () => true);
}

function behind(source: Source, at: number): Source {
  const { text, tokens } = source.clause;
  return { ...source, clause: { text, tokens: tokens.slice(at + 1) } };
}

/** From the first word that says something and is not the tool's own, to the last; a value ends it, with its name (`limit 5`). */
function restIn({ clause, used, isKnown }: Source, mayBegin = (token: Token) => !isKnown(token)): Value | undefined {
  const says = (token: Token) => !token.isStop && !used.has(token);
  const from = clause.tokens.findIndex((token) => says(token) && mayBegin(token));
  if (from < 0) return undefined;
  const taken = clause.tokens.findIndex((token, n) => n > from && used.has(token));
  const rest = clause.tokens.slice(from, taken < 0 ? undefined : taken);
  const last = rest.findLastIndex((token, n) => n === 0 || (says(token) && !(taken >= 0 && isKnown(token))));
  return span(clause, rest.slice(0, last + 1), true);
}

function span({ text }: Clause, used: readonly Token[], isOpen: boolean): Value | undefined {
  const [first, last] = [used[0], used.at(-1)];
  return first && last && { value: text.slice(first.start, last.end), used, isOpen };
}
