import { resolve } from 'node:path';
import { catchError, concat, defer, ignoreElements, map, merge, of, Subscription, switchMap, takeUntil, tap, throwError, using } from 'rxjs';
import type { Observable } from 'rxjs';
import { isLoopError, toolLoop } from '../index.ts';
import type { Outcome, Tool, ToolLoopOptions } from '../index.ts';
import type { Environment } from './api-key.ts';
import { errorLine } from './error-line.ts';
import { help } from './help.ts';
import { loadTools } from './load-tools.ts';
import type { ImportModule } from './load-tools.ts';
import { loopSetup } from './loop-setup.ts';
import { mcpTools } from './mcp-tools.ts';
import { replayCommand } from './replay-command.ts';
import { rootTools } from './root-tools.ts';
import { runOptions } from './run-options.ts';
import type { LoopChoice, RunOptions } from './run-options.ts';
import { runView } from './run-view.ts';
import type { Output } from './run-view.ts';
import { serveCommand } from './serve-command.ts';

/** What the command needs of the process that it runs in. */
export interface Host {
  /** Read where a tape is named `-`. */
  readonly stdin: AsyncIterable<string | Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  /** Where relative paths begin. */
  readonly cwd: string;
  readonly version: string;
  /** The text of the inspector's page, which `serve` has at `/`. */
  readonly page: () => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Emits when the person asks to stop (Ctrl-C). */
  readonly interrupt$: Observable<unknown>;
  /** Emits when nobody reads the output any more. */
  readonly closed$: Observable<unknown>;
  readonly importModule: ImportModule;
}

/** Exit codes, as `docs/command.md` lists them. */
const EXIT = { answer: 0, failed: 1, usage: 2, noAnswer: 3, cancelled: 130 } as const;

/** A pause that lets a person see that a model without a network streams. */
const TERMINAL_DELAY_MS = 25;

/**
 * Runs the command with the words after its name; emits its exit code once, after everything is written.
 *
 * Contract:
 * - starts: on subscribing.
 * - leaves: unsubscribing, an interrupt and a closed output leave the run, which aborts its request and its tools.
 * - fails: never because of the run or of the words: those are exit codes and a line on stderr.
 *
 * @internal
 */
export function runCommand(words: readonly string[], host: Host): Observable<number> {
  return defer(() => {
    const wish = runOptions(words);
    if (wish.wish === 'run') return play(wish.options, host);
    if (wish.wish === 'replay') return replayCommand(wish.options, host);
    if (wish.wish === 'serve') {
      const { options } = wish;
      const serve$ = (servers: Subscription) => defer(() => toolsOf(options, servers, host)).pipe(switchMap(({ tools }) => serveCommand(options, tools, host)));
      return using(() => new Subscription(), (servers) => serve$(servers as Subscription));
    }
    host.stdout.write(wish.wish === 'help' ? help : `${host.version}\n`);
    return of(EXIT.answer);
  }).pipe(
    catchError((error: unknown) => {
      if (!isLoopError(error) || error.code !== 'config') return throwError(() => error);
      return of(closing(host, { code: EXIT.usage, line: error.message }));
    }),
  );
}

interface CommandTools {
  /** Those that there are at the beginning. */
  readonly first: readonly Tool[];
  readonly tools: NonNullable<ToolLoopOptions['tools']>;
}

interface Ending {
  readonly code: number;
  /** For stderr. */
  readonly line?: string;
}

function play(options: RunOptions, host: Host): Observable<number> {
  let ending: Ending = { code: EXIT.failed, line: 'The run ended without a word.' };
  const left$ = merge(
    host.interrupt$.pipe(map((): Ending => ({ code: EXIT.cancelled, line: 'cancelled' }))),
    // Who runs `... | head` has what they wanted.
    host.closed$.pipe(map((): Ending => ({ code: EXIT.answer }))),
  ).pipe(tap((left) => (ending = left)));

  const setup = loopSetup(options, host.env, host.stdout.isTTY === true ? TERMINAL_DELAY_MS : 0);
  const servers = new Subscription();
  const text$ = defer(() => toolsOf(options, servers, host)).pipe(
    takeUntil(left$),
    switchMap(({ first, tools }) =>
      toolLoop({ ...setup(tools), prompt: options.prompt }).pipe(
        tap({
          next: (event) => {
            if (event.type === 'done') ending = endingOf(event.outcome);
          },
          error: (error: unknown) => {
            ending = { code: EXIT.failed, line: errorLine(error, options.choice, host.env) };
          },
        }),
        takeUntil(left$),
        runView({ view: options.view, model: options.model, tools: first.map((tool) => tool.name) }, host),
      ),
    ),
  );
  return concat(
    using(() => servers, () => text$).pipe(
      tap((text) => host.stdout.write(text)),
      ignoreElements(),
    ),
    defer(() => of(closing(host, ending))),
  );
}

/** @param servers - ends those that `--mcp` starts */
async function toolsOf({ tools, root, mcp }: LoopChoice, servers: Subscription, host: Host): Promise<CommandTools> {
  const { cwd, importModule, stdout, stderr } = host;
  const given = await loadTools(tools, cwd, importModule);
  const read = root === undefined ? [] : await rootTools(resolve(cwd, root));
  const fixed = [...given, ...read];
  if (mcp.length === 0) return { first: fixed, tools: fixed };
  // On a terminal the line of the view may be open.
  const tell = (line: string): unknown => stderr.write(`${stdout.isTTY === true ? '\n' : ''}rx-tool-loop: ${line}\n`);
  const { first, tools$ } = await mcpTools(mcp, fixed, servers, { ...host, tell });
  return { first, tools: tools$ };
}

function endingOf({ reason }: Outcome): Ending {
  if (reason === 'answer') return { code: EXIT.answer };
  return { code: EXIT.noAnswer, line: `No answer: the run ended with "${reason}". ${ADVICE[reason] ?? ''}`.trim() };
}

const ADVICE: { readonly [reason in Outcome['reason']]?: string } = {
  'max-steps': 'Raise --max-steps, or ask for less.',
  length: 'The model reached its length limit: ask for less.',
  'content-filter': 'The provider withheld the answer: ask in another way.',
  refusal: 'The model declined: ask in another way.',
  suspended: 'A call waits for an answer, which nobody can give here: use serve.',
};

function closing(host: Host, { code, line }: Ending): number {
  if (line !== undefined) host.stderr.write(`rx-tool-loop: ${line}\n`);
  return code;
}
