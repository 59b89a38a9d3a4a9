// The chat, whole: `npm run chat` in the folder of the library, or `npm start` here.
//
// Installs what the page needs if it is not there, builds the page, and starts two `rx-tool-loop serve` and the server of the
// page. Ctrl-C ends them all. `--port <n>` is the page's; by default any that is free.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const here = import.meta.dirname;
const library = join(here, '../../..');
const command = join(library, 'dist/lib/serve/cli.js');

function step(said, program, words, cwd) {
  console.log(said);
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, encoding: 'utf8' });
  if (status === 0) return;
  console.error(`${stdout}${stderr}\nThat failed: ${program} ${words.join(' ')} (in ${cwd})`);
  process.exit(1);
}

if (!existsSync(join(here, 'node_modules/@angular/build'))) step('Installing the packages of the page; once, about a minute ...', 'npm', ['ci', '--no-audit', '--no-fund'], here);
if (!existsSync(command)) step('Building the library ...', 'npm', ['run', 'build'], library);
step('Building the page ...', process.execPath, ['node_modules/@angular/cli/bin/ng.js', 'build'], here);

const children = [];

/** Starts a program and waits for what it says first. */
function start(words, first) {
  const child = spawn(process.execPath, words, { cwd: library, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  child.once('exit', (code) => end(code ?? 1));
  return new Promise((resolve) => {
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const found = first.exec(said);
      if (found !== null) resolve(found[1]);
    });
  });
}

function end(code) {
  process.exitCode ??= code;
  for (const child of children) child.kill('SIGTERM');
}

process.once('SIGINT', () => end(0));
process.once('SIGTERM', () => end(0));

const tools = join(dirname(here), 'demo-tools.mjs');
const serves = /serves (\S+)\n/;
const [embedded, demo] = await Promise.all([
  start([command, 'serve', '--tools', `calculator,clock,${tools}`], serves),
  start([command, 'serve', '--model', 'demo', '--tools', `calculator,clock,${tools}`], serves),
]);
const page = await start([join(here, 'page-server.mjs'), '--embedded', embedded, '--demo', demo, ...process.argv.slice(2)], /at (\S+)\n/);
console.log(`The chat is at ${page} (Ctrl-C ends it)`);
