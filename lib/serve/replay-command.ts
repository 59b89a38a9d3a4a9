import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { concat, defer, EMPTY, ignoreElements, map, merge, of, switchMap, takeUntil, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { ConfigError, isLoopError } from '../index.ts';
import { readTape, replay, toMarbleSvg } from '../../marbles/index.ts';
import type { Tape } from '../../marbles/index.ts';
import { oneLine } from './one-line.ts';
import type { ReplayOptions } from './run-options.ts';
import { runView } from './run-view.ts';
import type { Output, ViewHost } from './run-view.ts';

/** What the command needs of the process that it runs in. */
export interface ReplayHost extends Omit<ViewHost, 'now'> {
  readonly stdin: AsyncIterable<string | Uint8Array>;
  readonly stderr: Output;
  /** Where relative paths begin. */
  readonly cwd: string;
  /** Emits when the person asks to stop (Ctrl-C). */
  readonly interrupt$: Observable<unknown>;
  /** Emits when nobody reads the output any more. */
  readonly closed$: Observable<unknown>;
}

const CANCELLED = 130;

/**
 * `rx-tool-loop replay`: shows a tape as `run` has shown the run, with the times of the tape, or draws it; emits its exit code.
 *
 * Contract:
 * - starts: on subscribing.
 * - leaves: an interrupt and a closed output end it.
 * - fails: with a `ConfigError` for a file that cannot be read or written, and for what is no tape. How the run ended is no failure
 *   of the replay: an error of the run is a line on stderr.
 *
 * @internal
 */
export function replayCommand(options: ReplayOptions, host: ReplayHost): Observable<number> {
  let code = 0;
  let fault = '';
  const left$ = merge(host.interrupt$.pipe(map(() => CANCELLED)), host.closed$.pipe(map(() => 0))).pipe(tap((left) => (code = left)));
  const shown$ = defer(() => textOf(options.tape, host)).pipe(
    switchMap((text) => {
      const tape = readTape(text);
      if (options.view !== 'svg') return shown(tape, options, host, (error) => (fault = `rx-tool-loop: The run failed: ${told(error)}\n`));
      if (options.svg === '-') return of(toMarbleSvg(tape));
      return defer(() => writeText(options.svg, toMarbleSvg(tape), host)).pipe(switchMap(() => EMPTY));
    }),
    tap((text) => host.stdout.write(text)),
    takeUntil(left$),
    ignoreElements(),
  );
  return concat(
    shown$,
    defer(() => {
      if (fault !== '') host.stderr.write(fault);
      return of(code);
    }),
  );
}

function shown(tape: Tape, { view, speed }: ReplayOptions, host: ReplayHost, failed: (error: unknown) => void): Observable<string> {
  const { header, lines } = tape;
  const startedAt = Date.parse(header.startedAt);
  let [position, at] = [0, 0];
  const step = (): void => {
    at = lines[position]?.at ?? at;
    position += 1;
  };
  const events$ = replay(tape, { speed }).pipe(
    tap({
      next: step,
      error: (error: unknown) => {
        step();
        failed(error);
      },
    }),
  );
  // The views read the tape's clock: gaps and totals are those of the run.
  return events$.pipe(runView({ ...header, view: view === 'svg' ? 'live' : view, waits: speed < Infinity }, { ...host, now: () => startedAt + at }));
}

const MAX_MESSAGE = 500;

function told(error: unknown): string {
  return isLoopError(error) ? `${error.code}: ${oneLine(error.message, MAX_MESSAGE)}` : String(error);
}

async function textOf(path: string, { stdin, cwd }: ReplayHost): Promise<string> {
  if (path === '-') {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of stdin) text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  }
  try {
    return await readFile(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw new ConfigError(`The tape ${JSON.stringify(path)} cannot be read (${codeOf(error)}). Give the path of a file, or - for stdin.`, { cause: error });
  }
}

async function writeText(path: string, text: string, { cwd }: ReplayHost): Promise<void> {
  try {
    await writeFile(resolve(cwd, path), text);
  } catch (error) {
    throw new ConfigError(`The file ${JSON.stringify(path)} cannot be written (${codeOf(error)}). Give --svg a path that can, or - for stdout.`, { cause: error });
  }
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown } | null)?.code ?? error);
}
