import type { LoopEvent } from '../lib/index.ts';
import { difference } from './difference.ts';
import { draw } from './draw.ts';
import type { Mark } from './draw.ts';
import { eventLetters } from './event-letters.ts';
import type { Label } from './label.ts';
import { onLane } from './lanes.ts';
import type { Lane } from './lanes.ts';
import { VerifyEventsError } from './verify-events-error.ts';

/** One thing that a run said, and when. */
export type Said =
  | { readonly frame: number; readonly event: LoopEvent; readonly label: Label }
  | { readonly frame: number; readonly complete: true }
  | { readonly frame: number; readonly error: unknown };

/** Letter to label: `{ x: '2 text "bye"' }`. Quoted text may be left out: `{ x: '2 text' }`. */
export type EventLetters = Readonly<Record<string, string>>;

/** What `#` stands for. Without it any error will do, except one of `verifyEvents()`. */
export interface ExpectedError {
  readonly code?: string;
  readonly message?: string | RegExp;
}

export interface EventExpectation {
  /** Draws the run: which letters, in which frames, in which order, and how it ends. */
  toBe(diagram: string, letters?: EventLetters, error?: ExpectedError): EventExpectation;
  /**
   * Asks something of every event that the last `toBe` drew with this letter (at least one). A field is looked for on
   * the event, then on its `delta`, `result` or `outcome`; an object may have more fields than asked.
   */
  having(letter: string, fields: Readonly<Record<string, unknown>>): EventExpectation;
  /** Draws another lane of the same run. */
  lane(lane: Lane): EventExpectation;
}

/** What an expectation needs of its surroundings. */
export interface Stage {
  parse(diagram: string): readonly Mark[];
  /** Runs when all virtual time is over; what it returns is a failure. */
  afterwards(check: () => string | undefined): void;
}

/** @internal */
export function eventExpectation(said: readonly Said[], lane: Lane, stage: Stage): EventExpectation {
  let nameOf: Namer | undefined;
  const drawn = (): readonly Said[] => said.filter((one) => !('event' in one) || onLane(lane, one.event));

  const expectation: EventExpectation = {
    toBe(diagram, letters = {}, error) {
      const expected = stage.parse(diagram);
      refuseLetters(expected, letters);
      const name = namer(letters, new Set(expected.map((mark) => mark.letter)), lane);
      nameOf = name;
      stage.afterwards(() => {
        const actual = drawn().map((one): Mark => ({ frame: one.frame, letter: letterOf(one, name) }));
        const fault = errorFault(said, error);
        if (fault === undefined && sameMarks(expected, actual)) return undefined;
        const meanings = new Map<string, string>();
        for (const { letter } of [...expected, ...actual]) {
          if (letter === '|' || meanings.has(letter)) continue;
          meanings.set(letter, letter === '#' ? errorMeaning(said, error) : meaning(letter, drawn(), name, letters));
        }
        const picture = draw(expected, actual, { legend: [...meanings], progress: /(^|\s)\d+(\.\d+)?(ms|s|m)\s/.test(diagram) });
        return `The run is not as drawn (lane ${lane}):\n${picture}`;
      });
      return expectation;
    },

    having(letter, fields) {
      const name = nameOf;
      if (name === undefined) throw new Error(`having("${letter}", ...) comes after toBe(): the letters are those of its diagram.`);
      stage.afterwards(() => {
        const events = drawn().flatMap((one) => ('event' in one && name(one) === letter ? [one] : []));
        if (events.length === 0) return `having("${letter}", ...): no event of the run has this letter.`;
        const found = events.map(({ event, label }) => ({ label: label.label, lacks: difference(subject(event), fields) }));
        const lacking = found.find(({ lacks }) => lacks !== undefined);
        return lacking && `having("${letter}", ...): ${lacking.label}: ${lacking.lacks}.`;
      });
      return expectation;
    },

    lane: (other) => eventExpectation(said, other, stage),
  };
  return expectation;
}

type Namer = (one: Extract<Said, { event: LoopEvent }>) => string;

/**
 * Gives every label its letter: the spec's own, else the alphabet's, else one that stands for nothing yet. Beside the
 * events of the run itself, those of nested runs have no letters of the alphabet.
 */
function namer(letters: EventLetters, taken: ReadonlySet<string>, lane: Lane): Namer {
  const own = Object.entries(letters);
  const free = eventLetters.free.filter((letter) => !taken.has(letter) && !(letter in letters));
  const given = new Map<string, string>();
  return ({ event, label: { label, short, ...alphabet } }) => {
    const letter = event.parent === undefined || lane === 'nested' ? alphabet.letter : undefined;
    const mine = own.find(([, meaning]) => meaning === label) ?? own.find(([, meaning]) => meaning === short);
    if (mine !== undefined) return mine[0];
    if (letter !== undefined && !Object.hasOwn(letters, letter)) return letter;
    const next = given.get(label) ?? free[given.size] ?? '?';
    given.set(label, next);
    return next;
  };
}

/** A letter that stands for nothing, or two for one label, are slips of the pen. */
function refuseLetters(expected: readonly Mark[], letters: EventLetters): void {
  for (const { letter } of expected) {
    if (letter === '|' || letter === '#' || Object.hasOwn(letters, letter) || eventLetters.describe(letter) !== undefined) continue;
    throw new Error(`toBe(): the letter "${letter}" stands for no event. Give it a label: toBe(diagram, { ${letter}: '2 text "hi"' }).`);
  }
  const seen = new Map<string, string>();
  for (const [letter, label] of Object.entries(letters)) {
    if ([...letter].length !== 1 || '-|#()^! '.includes(letter)) throw new Error(`toBe(): "${letter}" is not a letter of a diagram.`);
    const other = seen.get(label);
    if (other !== undefined) throw new Error(`toBe(): "${other}" and "${letter}" both stand for ${label}.`);
    seen.set(label, letter);
  }
}

function letterOf(one: Said, name: Namer): string {
  if ('event' in one) return name(one);
  return 'error' in one ? '#' : '|';
}

function sameMarks(expected: readonly Mark[], actual: readonly Mark[]): boolean {
  return (
    expected.length === actual.length &&
    expected.every((mark, index) => mark.frame === actual[index]?.frame && mark.letter === actual[index]?.letter)
  );
}

/** What a letter stood for in this run (up to three labels), else what it would have stood for. */
function meaning(letter: string, drawn: readonly Said[], name: Namer, letters: EventLetters): string {
  const labels = drawn.flatMap((one) => ('event' in one && name(one) === letter ? [one.label.label] : []));
  const different = [...new Set(labels)];
  if (different.length === 0) return letters[letter] ?? eventLetters.describe(letter) ?? '?';
  return different.length > 3 ? `${different.slice(0, 3).join(', ')}, …` : different.join(', ');
}

function errorOf(said: readonly Said[]): { readonly error: unknown } | undefined {
  return said.find((one) => 'error' in one);
}

function errorFault(said: readonly Said[], expected: ExpectedError | undefined): string | undefined {
  const found = errorOf(said);
  if (found === undefined) return undefined;
  if (found.error instanceof VerifyEventsError) return 'no run breaks the grammar';
  const { code, message } = (found.error ?? {}) as { code?: unknown; message?: unknown };
  if (expected?.code !== undefined && expected.code !== code) return `expected was the code ${expected.code}`;
  if (expected?.message === undefined || (typeof message === 'string' && sameText(message, expected.message))) return undefined;
  return `expected was the message ${expected.message instanceof RegExp ? String(expected.message) : JSON.stringify(expected.message)}`;
}

function sameText(text: string, expected: string | RegExp): boolean {
  return typeof expected === 'string' ? text === expected : expected.test(text);
}

function errorMeaning(said: readonly Said[], expected: ExpectedError | undefined): string {
  const found = errorOf(said);
  if (found === undefined) return expected?.code === undefined ? 'an error' : `error ${expected.code}`;
  const { code, message } = (found.error ?? {}) as { code?: unknown; message?: unknown };
  const words = [code, message].filter((part) => typeof part === 'string');
  const fault = errorFault(said, expected);
  return `error ${words.length === 0 ? String(found.error) : words.join(': ')}${fault === undefined ? '' : ` (${fault})`}`;
}

/** An event together with what it carries, its own fields first. */
function subject(event: LoopEvent): object {
  if (event.type === 'delta') return { ...event.delta, ...event };
  if (event.type === 'tool-result') return { ...event.result, ...event };
  return event.type === 'done' ? { ...event.outcome, ...event } : event;
}
