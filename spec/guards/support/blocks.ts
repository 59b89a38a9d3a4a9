import { filesIn, read, exists } from './project.ts';

/** A fenced block of a document or of a doc comment. */
export interface Block {
  /** `file:line` of its first line. */
  readonly place: string;
  readonly file: string;
  /** Of its first line, from 1. */
  readonly line: number;
  readonly language: string;
  readonly lines: readonly string[];
}

export const documents = [...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].filter(exists), ...filesIn('docs', '.md').filter((file) => !file.includes('/node_modules/'))];

/** The fenced blocks of every document and of every doc comment of the sources. */
export function blocks(): Block[] {
  const sources = [...filesIn('lib', '.ts'), ...filesIn('marbles', '.ts')];
  return [
    ...documents.flatMap((file) => blocksIn(file, read(file).split('\n'))),
    ...sources.flatMap((file) => blocksIn(file, commentLines(read(file)))),
  ];
}

/** A source file's doc comments without their stars; every other line is empty, so that line numbers hold. */
function commentLines(text: string): string[] {
  let inside = false;
  return text.split('\n').map((line) => {
    if (/^\s*\/\*\*/.test(line)) inside = true;
    const comment = inside ? line.replace(/^\s*(\/\*\*|\*\/|\*)? ?/, '').replace(/\*\/\s*$/, '') : '';
    if (line.includes('*/')) inside = false;
    return comment;
  });
}

function blocksIn(file: string, lines: readonly string[]): Block[] {
  const found: Block[] = [];
  let open: { readonly indent: number; readonly fence: string; readonly language: string; readonly line: number } | undefined;
  lines.forEach((text, at) => {
    const [, space = '', fence = '', language = ''] = /^(\s*)(`{3,})\s*([\w-]*)/.exec(text) ?? [];
    if (open === undefined) {
      if (fence !== '') open = { indent: space.length, fence, language, line: at + 2 };
    } else if (fence.length >= open.fence.length && language === '') {
      const { indent, language: kind, line } = open;
      const inner = lines.slice(line - 1, at).map((one) => one.slice(Math.min(indent, /^\s*/.exec(one)?.[0].length ?? 0)));
      found.push({ place: `${file}:${line}`, file, line, language: kind, lines: inner });
      open = undefined;
    }
  });
  if (open !== undefined) throw new Error(`${file}:${open.line - 1} opens a block that nothing closes.`);
  return found;
}

/** The lines of a document that are outside its blocks; the others are empty. */
export function proseLines(file: string): string[] {
  const lines = read(file).split('\n');
  for (const { line, lines: inner } of blocksIn(file, lines)) for (let at = 0; at < inner.length; at++) lines[line - 1 + at] = '';
  return lines;
}
