// Fetches a Node 22 beside the repository: the AI SDK 7 needs it, and the specs of its client run under it. Prints its path.
//   node spec/e2e/node-22.mjs           fetches it where there is none
//   node spec/e2e/node-22.mjs --find    prints nothing where there is none
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VERSION = '22.23.5';
const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const folder = process.env.RX_TOOL_LOOP_NODE_22 ?? join(tmpdir(), `rx-tool-loop-node-${VERSION}`);
const fetched = join(folder, 'node_modules', PACKAGE, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const binary = Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : fetched;

if (!existsSync(binary) && !process.argv.includes('--find')) {
  mkdirSync(folder, { recursive: true });
  const options = ['--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['install', ...options, `${PACKAGE}@${VERSION}`], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
}
if (existsSync(binary)) console.log(binary);
