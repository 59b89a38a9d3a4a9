/**
 * The letters of a run's events, the same in every lane: lower case in step 0, upper case in step 1. A later step has no
 * letters of its own: its spec gives them. Two letters are those of the step's first and second call.
 */
const LETTERS = {
  text: 't',
  reasoning: 'k',
  refusal: 'r',
  'reasoning-replace': 'x',
  call: 'cd',
  'call-start': 'o',
  'call-arguments': 'a',
  usage: 'u',
  finish: 'f',
  retry: 'w',
  fallback: 'b',
  retract: 'e',
  correction: 'v',
  'end tool-use': 'y',
  end: 'z',
  'tool-call': 'gh',
  request: '[{',
  answer: ']}',
  'tool-start': 'ij',
  'tool-progress': 'pq',
  'tool-commit': 'mn',
  result: '12',
  dropped: '56',
} as const;

/** Letters that do not depend on the step. */
const FIXED = {
  'run-start': 'S',
  'step-start': 's',
  steering: 'l',
  compaction: '~',
  status: ':',
  plan: '=',
  title: '%',
  state: '+',
  custom: '*',
  done: 'L',
} as const;

export type LetterKind = keyof typeof LETTERS | keyof typeof FIXED;

/** Digits and brackets have no upper case: in step 1 digits go on counting, and brackets are angles. */
const LATER: Partial<Record<keyof typeof LETTERS, string>> = { result: '34', dropped: '78', request: '<«', answer: '>»' };

/** One table of the alphabet, read in both directions. */
export const eventLetters = {
  /** The letter of an event; undefined where the alphabet has none. `place` counts the calls of the step, from 0. */
  of(kind: LetterKind, step = 0, place = 0): string | undefined {
    if (kind in FIXED) return FIXED[kind as keyof typeof FIXED];
    const [first, later] = rows(kind as keyof typeof LETTERS);
    return step === 0 ? first[place] : step === 1 ? later[place] : undefined;
  },

  /** What a letter stands for, in words; undefined for a letter that stands for nothing. */
  describe(letter: string): string | undefined {
    return DESCRIPTIONS.get(letter);
  },

  /** Letters that stand for nothing, so that a drawing may use them for an event without one. */
  free: [...'9αβγδεζηθικλμνξοπρστυφχψω'] as readonly string[],
};

function rows(kind: keyof typeof LETTERS): readonly [string, string] {
  const first = LETTERS[kind];
  return [first, LATER[kind] ?? first.toUpperCase()];
}

const DESCRIPTIONS: ReadonlyMap<string, string> = new Map<string, string>([
  ...Object.entries(FIXED).map(([kind, letter]) => [letter, kind] as const),
  ...(Object.keys(LETTERS) as (keyof typeof LETTERS)[]).flatMap((kind) =>
    rows(kind).flatMap((letters, step) =>
      [...letters].map((letter, place) => [letter, describe(kind, step, letters.length === 1 ? undefined : place)] as const),
    ),
  ),
]);

function describe(kind: string, step: number, place: number | undefined): string {
  return place === undefined ? `${step} ${kind}` : `${step} ${kind} (call ${place + 1} of the step)`;
}
