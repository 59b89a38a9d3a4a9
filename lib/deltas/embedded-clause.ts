/** A word, number or quotation of a clause. */
export interface Token {
  readonly kind: 'word' | 'number' | 'quoted';
  /** As it was typed, without quotation marks. */
  readonly text: string;
  /** Lower case, in the singular: what is compared. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
  /** Says nothing by itself, such as `the`. */
  readonly isStop: boolean;
}

/** A part of the prompt that may be one request. */
export interface Clause {
  readonly text: string;
  readonly tokens: readonly Token[];
}

/**
 * Takes a text apart into words, numbers and quotations; what stands between them is left out. Linear in the text.
 *
 * @internal
 */
export function readClause(text: string): Clause {
  return { text, tokens: Array.from(text.matchAll(TOKEN), tokenOf) };
}

/**
 * In turn: quotations; dates, times and versions (words here); words, also those with digits; numbers, with a sign only
 * where it cannot be an operator.
 */
const TOKEN =
  /"([^"]*)"|“([^“”]*)”|`([^`]*)`|\d+(?:[.:/-]\d+){2,}|\d+:\d+|\d*\p{L}[\p{L}\p{M}\p{N}]*|(?:(?<![\p{L}\p{N})])[-\u2212])?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?/gu;

function tokenOf(match: RegExpExecArray): Token {
  const [whole, ...quotations] = match;
  const quotation = quotations.find((text) => text !== undefined);
  const text = quotation ?? whole;
  const start = match.index + (quotation === undefined ? 0 : 1);
  const lower = quotation === undefined ? whole.toLowerCase() : '';
  const key = lower.length > 3 && /[^s]s$/.test(lower) ? lower.slice(0, -1) : lower;
  const kind = quotation !== undefined ? 'quoted' : /^[-\u2212]?\d[\d,]*(?:\.\d+)?$/.test(whole) ? 'number' : 'word';
  return { kind, text, key, start, end: start + text.length, isStop: STOP.has(lower) };
}

const STOP: ReadonlySet<string> = new Set(
  (
    'a an and the of in on at to from for by with as or so if up out about into than is are was were be been am do does did ' +
    'has have had can could will would shall should may might must let i me my we us our you your it its he she they them ' +
    'this that these those there here what which who when where how why s t d m re ve ll please tell give show get make ' +
    'use using find look now today tonight tomorrow currently right then also just much many number value result two'
  ).split(' '),
);
