import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const cli = join(root, 'dist/lib/serve/cli.js');

/** `rx-tool-loop serve` as a process of its own. */
export interface ServeProcess {
  readonly url: string;
  readonly port: string;
  /** What it has written to stderr so far. */
  readonly said: () => string;
  /** Ends it, and settles when it is gone. */
  end(signal: 'SIGINT' | 'SIGKILL'): Promise<void>;
}

/** Starts the built command; paths begin at the root of the project. */
export async function serveProcess(...words: readonly string[]): Promise<ServeProcess> {
  if (!existsSync(cli)) execFileSync(process.execPath, ['.build/build.mjs'], { cwd: root });
  const child: ChildProcess = spawn(process.execPath, [cli, 'serve', ...words], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] } });
  let err = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => resolve(/serves (\S+)/.exec(text)?.[1] ?? ''));
    void gone.then(() => reject(new Error(`serve has ended: ${err}`)));
  });
  return {
    url,
    port: new URL(url).port,
    said: () => err,
    end: (signal) => {
      child.kill(signal);
      return gone;
    },
  };
}
