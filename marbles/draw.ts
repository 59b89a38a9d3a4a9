/** One character of a marble line: a letter, `|`, `#`, `^` or `!`, at its frame. */
export interface Mark {
  readonly frame: number;
  readonly letter: string;
}

export interface DrawOptions {
  /** Letter and meaning, in the order in which they are listed. */
  readonly legend?: readonly (readonly [letter: string, meaning: string])[];
  /** Write long gaps as times (`500ms`). Default: only gaps over 80 frames, which nobody can count. */
  readonly progress?: boolean;
}

/** From here on a gap is easier to read as a time, in a diagram that has times. */
const LONG = 6;
const UNCOUNTABLE = 80;

/**
 * Two marble lines, one below the other, over one legend.
 *
 * ```text
 *     expected  -t-c-y-1-T-(ZL|)
 *     actual    -t-c-y-1-T-(LZ|)
 *       t = 0 text "hi"
 * ```
 *
 * Marks of one frame are one group. A group is as wide as it is written, so a mark may fall into the frames that the
 * group before it covers; no diagram can say that, and it is drawn as `@6x`: x at frame 6.
 */
export function draw(expected: readonly Mark[], actual: readonly Mark[], options: DrawOptions = {}): string {
  const legend = options.legend ?? [];
  const [above, below] = lines([byFrame(expected), byFrame(actual)], options.progress === true ? LONG : UNCOUNTABLE);
  const width = Math.max(0, ...legend.map(([letter]) => letter.length));
  return [
    `    expected  ${above}`,
    `    actual    ${below}`,
    ...legend.map(([letter, meaning]) => `      ${letter.padEnd(width)} = ${meaning}`),
  ].join('\n');
}

type Groups = ReadonlyMap<number, string>;

function byFrame(marks: readonly Mark[]): Groups {
  const groups = new Map<number, string>();
  for (const { frame, letter } of marks) groups.set(frame, (groups.get(frame) ?? '') + letter);
  return new Map([...groups].map(([frame, letters]) => [frame, [...letters].length === 1 ? letters : `(${letters})`]));
}

interface Line {
  text: string;
  /** The frame at which its next character stands. */
  frame: number;
}

/** Walks the frames of both lines together, so that a frame in which both have a mark stands in one column. */
function lines(sides: readonly [Groups, Groups], long: number): readonly [string, string] {
  const pens: readonly [Line, Line] = [{ text: '', frame: 0 }, { text: '', frame: 0 }];
  const frames = [...new Set(sides.flatMap((side) => [...side.keys()]))].sort((a, b) => a - b);
  for (const frame of frames) {
    const writing = pens.filter((_, side) => sides[side]?.has(frame));
    for (const pen of writing) advance(pen, frame, long);
    if (writing.length === 2) align(writing);
    for (const [side, pen] of pens.entries()) put(pen, frame, sides[side]?.get(frame));
  }
  return [pens[0].text || '-', pens[1].text || '-'];
}

function advance(pen: Line, frame: number, long: number): void {
  const gap = frame - pen.frame;
  if (gap <= 0) return;
  pen.text += gap > long ? `${pen.text === '' || pen.text.endsWith(' ') ? '' : ' '}${gap}ms ` : '-'.repeat(gap);
  pen.frame = frame;
}

/** Spaces take no time: they only bring the columns together again. */
function align(pens: readonly Line[]): void {
  if (pens.some((pen) => pen.frame !== pens[0]?.frame)) return;
  const width = Math.max(...pens.map((pen) => [...pen.text].length));
  for (const pen of pens) pen.text += ' '.repeat(width - [...pen.text].length);
}

function put(pen: Line, frame: number, group: string | undefined): void {
  if (group === undefined) return;
  const covered = frame < pen.frame;
  pen.text += covered ? `@${frame}${group}` : group;
  pen.frame = Math.max(pen.frame, frame + [...group].length);
}
