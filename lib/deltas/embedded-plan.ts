import type { ToolChoice, ToolSpec } from '../model.ts';
import { readClause } from './embedded-clause.ts';
import type { Clause } from './embedded-clause.ts';
import { readersOf } from './embedded-reader.ts';
import type { Offer, Reader } from './embedded-reader.ts';

/** A call to make. */
export interface PlannedCall {
  readonly name: string;
  readonly rawArguments: string;
}

/** What a prompt asks for. */
export interface Plan {
  readonly calls: readonly PlannedCall[];
  /** Whole sentences about what was asked and cannot be called. */
  readonly notes: readonly string[];
}

/** A bound for hostile prompts; no provider's figure. */
const MOST_CALLS = 16;
/** The score from which on a tool is meant: one word of the description is too little. */
const ENOUGH = 2;
/** How many parts of the prompt behind a clause may complete it. */
const REACH = 3;

/**
 * The calls that a prompt asks for: those written out (`call add {"a":1,"b":2}`), then at most one tool for each clause,
 * the one whose words and arguments fit best. Depends on nothing but its arguments; costs what the prompt's length does.
 *
 * @internal
 */
export function planCalls(prompt: string, tools: readonly ToolSpec[], choice: ToolChoice): Plan {
  if (choice === 'none') return { calls: [], notes: [] };
  const only = typeof choice === 'object' ? choice.tool : undefined;
  const allowed = only === undefined ? tools : tools.filter(({ name }) => name === only);
  const plan = new Draft(only !== undefined && allowed.length === 0 ? [`I was given no tool named ${only}.`] : []);

  const rest = takeExplicit(prompt, (name, rawArguments) => {
    if (rawArguments === undefined) plan.note(`I did not call ${name}: the { of its arguments is never closed.`);
    else if (allowed.some((tool) => tool.name === name)) plan.call(name, rawArguments);
    else plan.note(`I was ${tools.some((tool) => tool.name === name) ? 'not free to call' : 'given no tool named'} ${name}.`);
  });
  const readers = readersOf(allowed);
  matchParts(rest, readers, plan);

  if (choice !== 'auto' && plan.calls.length === 0) {
    const whole = readClause(rest);
    const offers = readers.map((reader) => reader.offer(whole)).sort((a, b) => b.score - a.score);
    const possible = offers.find(isFilled);
    if (possible) plan.take(possible);
    else for (const one of offers) plan.miss(one);
  }
  return plan;
}

class Draft implements Plan {
  readonly calls: PlannedCall[] = [];
  readonly notes: string[];

  constructor(notes: string[]) {
    this.notes = notes;
  }

  get isFull(): boolean {
    return this.calls.length >= MOST_CALLS;
  }

  call(name: string, rawArguments: string): void {
    if (this.calls.some((made) => made.name === name && made.rawArguments === rawArguments)) return;
    if (this.isFull) this.note(`I make at most ${MOST_CALLS} calls for one prompt, so I left out the rest.`);
    else this.calls.push({ name, rawArguments });
  }

  take({ reader, filled }: Offer): void {
    this.call(reader.name, JSON.stringify(filled.arguments));
  }

  miss({ reader, filled }: Offer): void {
    this.note(`I did not call ${reader.name}: the prompt gives no value for ${filled.missing.join(', ')}.`);
  }

  note(sentence: string): void {
    if (!this.notes.includes(sentence)) this.notes.push(sentence);
  }
}

/** Calls `found` for each call that is written out, and gives back the prompt without them. */
function takeExplicit(prompt: string, found: (name: string, rawArguments: string | undefined) => void): string {
  const opening = /\bcall\s+([\w.:-]+)\s*(?=\{)/gi;
  let [rest, from] = ['', 0];
  for (let match = opening.exec(prompt); match !== null; match = opening.exec(prompt)) {
    const end = objectEnd(prompt, opening.lastIndex);
    found(match[1] as string, end < 0 ? undefined : prompt.slice(opening.lastIndex, end));
    // Without its end there is no telling what belongs to it; looking on would make a hostile prompt quadratic.
    if (end < 0) return rest + prompt.slice(from, match.index);
    rest += `${prompt.slice(from, match.index)}\n`;
    from = opening.lastIndex = end;
  }
  return rest + prompt.slice(from);
}

/** Just behind the brace that closes the one at `start`, or -1. */
function objectEnd(text: string, start: number): number {
  let [depth, isQuoted] = [0, false];
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (isQuoted && char === '\\') at++;
    else if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (char === '{') depth++;
    else if (char === '}' && --depth === 0) return at + 1;
  }
  return -1;
}

/** A stretch of the prompt between two cuts. */
interface Part {
  readonly start: number;
  readonly end: number;
  /** A sentence ends here, so that what follows is something else. */
  readonly isHard: boolean;
}

/** Quotations are stepped over; the first group ends a sentence, the second a part of one. */
const CUT =
  /"[^"]*"|“[^“”]*”|`[^`]*`|([?!;.](?=\s|$)|[\n？！；。]|\bthen\b)|(,(?=\s|$)|[，、]|\band\b|\balso\b)/gi;

function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let start = 0;
  const cut = (end: number, isHard: boolean): void => {
    const piece = text.slice(start, end);
    const last = parts.at(-1);
    // `add 1, 2 and 3`: a bare number belongs to what was said before it.
    if (last && !last.isHard && /^\s*[-$€£]?\d[\d.,]*%?\s*$/.test(piece)) parts[parts.length - 1] = { ...last, end, isHard };
    else if (/[\p{L}\p{N}]/u.test(piece)) parts.push({ start, end, isHard });
    else if (last && isHard) parts[parts.length - 1] = { ...last, isHard };
  };
  for (const { 0: mark, 1: hard, 2: soft, index } of text.matchAll(CUT)) {
    if ((hard ?? soft) === undefined) continue;
    cut(index, hard !== undefined);
    start = index + mark.length;
  }
  cut(text.length, true);
  return parts;
}

/** Gives each part to the tool that it fits; parts that fit none may complete, or repeat with other values, a neighbour. */
function matchParts(text: string, readers: readonly Reader[], plan: Draft): void {
  const parts = partsOf(text);
  const clause = (from: number, to: number) => readClause(text.slice(parts[from]?.start, parts[to]?.end));
  const known = new Map<number, Offer | undefined>();
  const choice = (n: number): Offer | undefined => {
    if (!known.has(n)) known.set(n, choose(readers, clause(n, n)));
    return known.get(n);
  };

  let last: Offer | undefined;
  for (let n = 0, unclaimed = 0; n < parts.length && !plan.isFull; n++) {
    const own = choice(n);
    if (own === undefined) {
      const alone = clause(n, n);
      const again = last !== undefined && last.filled.evidence > 0 ? last.reader.offer(alone) : undefined;
      if (!again || !isFilled(again) || !isAllValue(again, alone)) continue;
      plan.take(again);
      unclaimed = n + 1;
      continue;
    }
    let [best, end] = [own, n];
    for (let to = n + 1; to <= n + REACH && to < parts.length && choice(to) === undefined; to++) {
      if (isFilled(best) && parts[to - 1]?.isHard === true) break;
      const longer = own.reader.offer(clause(n, to));
      if (isMore(longer, best)) [best, end] = [longer, to];
    }
    if (n > unclaimed && !best.filled.isOpen && !(isFilled(best) && parts[n - 1]?.isHard === true)) {
      const longer = own.reader.offer(clause(n - 1, end));
      if (isMore(longer, best)) best = longer;
    }
    if (isFilled(best)) plan.take((last = best));
    else plan.miss(best);
    n = end;
    unclaimed = n + 1;
  }
}

/** The tool that fits best; one that can be called before one that lacks an argument. */
function choose(readers: readonly Reader[], clause: Clause): Offer | undefined {
  let best: Offer | undefined;
  for (const reader of readers) {
    const offer = reader.offer(clause);
    if (offer.score < ENOUGH) continue;
    const isBetter = best === undefined || (isFilled(offer) === isFilled(best) ? offer.score > best.score : isFilled(offer));
    if (isBetter) best = offer;
  }
  return best;
}

function isFilled({ filled }: Offer): boolean {
  return filled.missing.length === 0;
}

/** Whether a longer clause gives what was missing, a sure value where there was none, or more of a free text. */
function isMore(longer: Offer, offer: Offer): boolean {
  if (!isFilled(longer) || !isFilled(offer)) return isFilled(longer);
  return offer.filled.isOpen || longer.filled.evidence > offer.filled.evidence;
}

/** The clause is nothing but values, and sure ones: `and London` after a question about Tokyo. */
function isAllValue({ filled }: Offer, { tokens }: Clause): boolean {
  return filled.evidence > 0 && !filled.isOpen && tokens.every((token) => token.isStop || filled.used.has(token));
}
