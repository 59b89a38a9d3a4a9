import { resolve } from 'node:path';
import { catchError, defer, of, switchMap, take, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { foldState, initialState, isLoopError } from '../index.ts';
import type { ToolLoopOptions } from '../index.ts';
import { agUiFormat } from '../projections/ag-ui.ts';
import { uiMessageFormat } from '../projections/ui-messages.ts';
import type { Environment } from './api-key.ts';
import { bearer } from './bearer.ts';
import { errorLine } from './error-line.ts';
import { fileRunLog } from './file-run-log.ts';
import { httpHandler } from './http.ts';
import type { HttpHandler } from './http.ts';
import { firstWords } from './first-words.ts';
import { loopSetup } from './loop-setup.ts';
import { memoryRunLog } from './memory-run-log.ts';
import { listen } from './node-listener.ts';
import type { ServeOptions } from './run-options.ts';
import type { Output } from './run-view.ts';
import { withPage } from './with-page.ts';

/** What the command needs of the process that it runs in. */
export interface ServeHost {
  readonly stdout: Output;
  readonly stderr: { write(text: string): unknown };
  readonly env: Environment;
  /** Where relative paths begin. */
  readonly cwd: string;
  /** The text of the inspector's page. */
  readonly page: () => Promise<string>;
  /** Emits when the person asks to stop (Ctrl-C). */
  readonly interrupt$: Observable<unknown>;
}

/** A pause that lets a person see that a model without a network streams. */
const OFFLINE_DELAY_MS = 25;

/**
 * `rx-tool-loop serve`: prints its address, serves until it is interrupted, ends its runs softly, and emits its exit code.
 *
 * Contract:
 * - starts: on subscribing.
 * - fails: with a `ConfigError` for wrong options; a port that is taken is exit code 1 and a line on stderr.
 *
 * @internal
 */
export function serveCommand(options: ServeOptions, tools: NonNullable<ToolLoopOptions['tools']>, host: ServeHost): Observable<number> {
  return defer(() => {
    const handler = withPage(handlerOf(options, tools, host), host.page);
    return defer(() => listen(handler, options)).pipe(
      tap(({ url }) => host.stdout.write(`rx-tool-loop serves ${url}/runs\n${host.stdout.isTTY === true ? `${url}/ draws them\n` : ''}`)),
      switchMap((server) =>
        host.interrupt$.pipe(
          take(1),
          tap(() => host.stderr.write('rx-tool-loop: ending; once more ends at once\n')),
          switchMap(() => server.close()),
        ),
      ),
      switchMap(() => of(0)),
    );
  }).pipe(
    catchError((error: unknown) => {
      if (isLoopError(error)) throw error;
      host.stderr.write(`rx-tool-loop: ${cannotListen(error, options)}\n`);
      return of(1);
    }),
  );
}

function handlerOf(options: ServeOptions, tools: NonNullable<ToolLoopOptions['tools']>, { env, stderr, cwd }: ServeHost): HttpHandler {
  const { choice, log, cors } = options;
  const setup = loopSetup(options, env, OFFLINE_DELAY_MS);
  const token = env['RX_TOOL_LOOP_TOKEN']?.trim() ?? '';
  return httpHandler({
    start: () => ({ ...setup(tools), title: firstWords }),
    log: log === 'memory' ? memoryRunLog() : fileRunLog({ dir: resolve(cwd, log) }),
    cors,
    list: true,
    formats: { 'ag-ui': agUiFormat(), 'ai-sdk-ui': uiMessageFormat() },
    snapshot: { initial: initialState, fold: foldState },
    ...(token !== '' && { authorize: bearer(token) }),
    onError: (error) => void stderr.write(`rx-tool-loop: ${errorLine(error, choice, env)}\n`),
  });
}

function cannotListen(error: unknown, { host, port }: ServeOptions): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  if (code === 'EADDRINUSE') return `The port ${port} is taken: choose another --port, or 0 for any that is free.`;
  if (code === 'EACCES') return `The port ${port} needs rights that this user does not have: choose another --port.`;
  if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL') return `The host ${JSON.stringify(host)} is no address of this machine: choose another --host.`;
  return `The server failed: ${error instanceof Error ? error.message : String(error)}`;
}
