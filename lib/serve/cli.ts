#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fromEvent, merge } from 'rxjs';
import { runCommand } from './run-command.ts';

/** How long tools may tidy up, and the output drain, after the command is through. */
const GRACE_MS = 2_000;

const CANCELLED = 130;

let interrupts = 0;
process.on('SIGINT', () => {
  interrupts += 1;
  if (interrupts > 1) process.exit(CANCELLED);
});
// Without a listener that stays, a write after the reader has left would end the process with a trace.
process.stdout.on('error', () => undefined);

const { version } = createRequire(import.meta.url)('rx-tool-loop/package.json') as { version: string };

runCommand(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  version,
  page: () => readFile(new URL('./inspector.html', import.meta.url), 'utf8'),
  now: () => performance.timeOrigin + performance.now(),
  interrupt$: merge(fromEvent(process, 'SIGINT'), fromEvent(process, 'SIGTERM')),
  closed$: fromEvent(process.stdout, 'error'),
  importModule: (url) => import(url) as Promise<Record<string, unknown>>,
}).subscribe({
  next: (code) => end(code),
  error: (error: unknown) => {
    process.stderr.write(`rx-tool-loop: ${String(error)}\n`);
    end(1);
  },
});

/** Lets the process end by itself, so that nothing written is lost, but not for ever: a tool may hold it. */
function end(code: number): void {
  process.exitCode = code;
  process.stdout.write('', () => setTimeout(() => process.exit(), GRACE_MS).unref());
}
