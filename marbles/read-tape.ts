import { ConfigError } from '../lib/index.ts';
import { tapeFault } from './tape-fault.ts';
import type { Tape, TapeHeader, TapeLine } from './tape.ts';

/**
 * Reads a tape: what `rx-tool-loop run --json` has written. Events and fields that this version does not know are kept.
 *
 * @param text - JSON lines; empty lines are passed over
 * @throws ConfigError of one line: which line is wrong, and what is wrong with it. A tape whose last line was torn is wrong
 * there.
 *
 * @example A tape as a drawing
 * ```ts
 * import { readTape, toMarbleSvg } from 'rx-tool-loop/marbles';
 *
 * export const drawing = (tape: string): string => toMarbleSvg(readTape(tape));
 * ```
 * @public
 */
export function readTape(text: string): Tape {
  let header: TapeHeader | undefined;
  const lines: TapeLine[] = [];
  let last: TapeLine | undefined;
  /** Of each run inside of another: that one. */
  const above = new Map<string, string>();
  for (const [index, line] of text.replace(/^\ufeff/, '').split('\n').entries()) {
    if (line.trim() === '') continue;
    const wrong = (what: string): ConfigError => new ConfigError(`This is no tape: line ${index + 1} ${what}.`);
    const said = parsed(line, wrong);
    if (header === undefined) {
      header = headerOf(said, wrong);
      continue;
    }
    if (last !== undefined && 'error' in last) throw wrong('comes after the error that ends the run');
    const fault = tapeFault(said);
    if (fault !== undefined) throw wrong(fault);
    const one = said as TapeLine;
    if (last !== undefined && one.at < last.at) throw wrong(`is at ${one.at} ms, before the line above it`);
    if (isInsideItself(one, above)) throw wrong('has a run that is inside of itself');
    last = one;
    lines.push(one);
  }
  if (header === undefined) throw new ConfigError('This is no tape: it is empty. Give one that "rx-tool-loop run --json" has written.');
  return { header, lines };
}

/** Whoever draws it asks for the runs above, until there is none. */
function isInsideItself(line: TapeLine, above: Map<string, string>): boolean {
  if (!('event' in line) || line.event.parent === undefined || above.has(line.event.runId)) return false;
  const { runId, parent } = line.event;
  above.set(runId, parent.runId);
  let id: string | undefined = parent.runId;
  while (id !== undefined && id !== runId) id = above.get(id);
  return id === runId;
}

function parsed(line: string, wrong: (what: string) => ConfigError): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw wrong('is no JSON');
  }
}

function headerOf(said: unknown, wrong: (what: string) => ConfigError): TapeHeader {
  const { tape, startedAt, model, tools } = (said ?? {}) as Partial<Record<keyof TapeHeader, unknown>>;
  if (tape === undefined) throw wrong('is no header such as {"tape":1,...}');
  if (tape !== 1) throw wrong(`says that the tape has version ${JSON.stringify(tape)}, and this version of the package reads 1`);
  if (typeof startedAt !== 'string' || Number.isNaN(new Date(startedAt).getTime())) throw wrong('is a header without a time as startedAt');
  if (typeof model !== 'string') throw wrong('is a header without model');
  if (!Array.isArray(tools) || !tools.every((tool) => typeof tool === 'string')) throw wrong('is a header without a list of names as tools');
  return said as TapeHeader;
}
