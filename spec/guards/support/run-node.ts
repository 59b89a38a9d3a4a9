import { spawnSync } from 'node:child_process';
import { root } from './project.ts';

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an ES module text under plain Node, from the package's folder, so that the package can import itself by name. */
export function runModule(program: string, cwd = root): Ran {
  return run(process.execPath, ['--input-type=module', '--eval', program], cwd);
}

/** Runs a command to its end. Its environment has nothing of jest or of an npm script in it. */
export function run(command: string, args: readonly string[], cwd = root): Ran {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NODE_|JEST_|npm_)/.test(name)));
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 60_000, maxBuffer: 2 ** 26 });
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
}

/** What the command printed; fails with what it said on stderr. */
export function outputOf(ran: Ran): string {
  if (ran.status !== 0) throw new Error(`exit ${ran.status}\n${ran.stderr}\n${ran.stdout}`);
  return ran.stdout;
}
