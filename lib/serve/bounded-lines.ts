/**
 * Lines for a model, up to a number and to 50,000 characters, which are about 12,000 tokens.
 *
 * @internal
 */
export class BoundedLines {
  private readonly most: number;
  private readonly lines: string[] = [];
  private characters = 0;

  constructor(most: number) {
    this.most = most;
  }

  get count(): number {
    return this.lines.length;
  }

  /** False when there is no room for it. */
  add(line: string): boolean {
    if (this.lines.length >= this.most || this.characters + line.length > MAX_CHARACTERS) return false;
    this.lines.push(line);
    this.characters += line.length + 1;
    return true;
  }

  /** The lines, then the notes in parentheses; empty notes are left out. */
  text(...notes: readonly string[]): string {
    return [...this.lines, ...notes.filter((note) => note !== '').map((note) => `(${note})`)].join('\n');
  }
}

const MAX_CHARACTERS = 50_000;
