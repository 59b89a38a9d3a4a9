import { firstValueFrom, NEVER, Subject } from 'rxjs';
import { runCommand } from '../../lib/serve/run-command.ts';
import type { Host } from '../../lib/serve/run-command.ts';

export type HostChanges = Partial<Host> & { readonly terminal?: boolean };

/** A host that keeps what is written. */
export function fakeHost(changes: HostChanges = {}) {
  const written = { out: '', err: '' };
  const output$ = new Subject<string>();
  const host: Host = {
    stdin: (async function* () {})(),
    stdout: {
      isTTY: changes.terminal === true,
      columns: 80,
      write: (text) => {
        written.out += text;
        output$.next(written.out);
      },
    },
    stderr: { write: (text) => (written.err += text) },
    env: {},
    cwd: __dirname,
    version: '1.2.3',
    page: () => Promise.resolve('<!doctype html><title>Page</title>'),
    now: () => 0,
    interrupt$: NEVER,
    closed$: NEVER,
    importModule: () => Promise.reject(new Error('no module')),
    ...changes,
  };
  return { host, written, output$ };
}

export type Written = { readonly code: number; readonly out: string; readonly err: string };

/** Runs the command to its end. */
export async function run(words: readonly string[], changes: HostChanges = {}): Promise<Written> {
  const { host, written } = fakeHost(changes);
  return { code: await firstValueFrom(runCommand(words, host)), ...written };
}
