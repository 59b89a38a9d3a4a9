import { spawn } from 'node:child_process';
import { root } from '../../guards/support/project.ts';

export interface Served {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Ends the process and waits for its end. */
  stop(): Promise<void>;
}

/** Starts the built `rx-tool-loop serve` on a free port. */
export function serveCommand(words: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Served> {
  const child = spawn(process.execPath, ['dist/lib/serve/cli.js', 'serve', ...words], { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      const [, url] = /serves (http:\S+)\/runs\n/.exec(said) ?? [];
      if (url !== undefined) resolve({ url, stop });
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`rx-tool-loop serve ended with ${code}: ${said}`)));
  });
}
