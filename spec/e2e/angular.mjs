// Runs the specs of the Angular entries on each Angular that they are for. The repository has one of these, the others are
// fetched beside it; the newest needs a newer Node than this library.
//   node spec/e2e/angular.mjs                 on all of them
//   node spec/e2e/angular.mjs 22 [options]    on one of them; the options are those of jest
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const VERSIONS = { 20: '20.3.35', 21: devDependencies['@angular/core'], 22: '22.2.6' };
const PACKAGES = ['core', 'common', 'compiler', 'platform-browser'];

/** Runs a program to its end, or ends this one. What it says goes to the error output, unless it is asked for. */
function run(command, args, { env = {}, stdout = 2 } = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: ['ignore', stdout, 'inherit'], encoding: 'utf8', env: { ...process.env, ...env } });
  if (done.status === 0) return done.stdout?.trim();
  console.error(`${command} ${args.join(' ')} has failed.`);
  process.exit(done.status ?? 1);
}

/** The folder of an Angular of this version. The packages it shares with the specs, such as RxJS, are not fetched again. */
function fetched(version) {
  const folder = join(process.env.RX_TOOL_LOOP_ANGULARS ?? tmpdir(), `rx-tool-loop-angular-${version}`);
  const isThere = PACKAGES.every((name) => existsSync(join(folder, 'node_modules/@angular', name, 'package.json')));
  if (isThere) return folder;
  mkdirSync(folder, { recursive: true });
  const options = ['--prefix', folder, '--no-save', '--no-package-lock', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  run('npm', ['install', ...options, ...PACKAGES.map((name) => `@angular/${name}@${version}`)]);
  return folder;
}

const [asked, ...options] = process.argv.slice(2);
const majors = asked === undefined ? Object.keys(VERSIONS) : [asked];
for (const major of majors) {
  const version = VERSIONS[major];
  if (version === undefined) {
    console.error(`There is no Angular ${major} here: give one of ${Object.keys(VERSIONS).join(', ')}, or nothing for all of them.`);
    process.exit(2);
  }
  const env = version === devDependencies['@angular/core'] ? {} : { RX_TOOL_LOOP_ANGULAR: fetched(version) };
  const node = major === '22' ? run(process.execPath, ['spec/e2e/node-22.mjs'], { stdout: 'pipe' }) : process.execPath;
  const { version: under } = JSON.parse(run(node, ['-p', 'JSON.stringify({ version: process.version })'], { stdout: 'pipe' }));
  console.error(`\nAngular ${version} under Node ${under}`);
  run(node, ['node_modules/jest/bin/jest.js', 'spec/view/angular', ...options], { env: { ...env, RX_TOOL_LOOP_ANGULAR_MAJOR: major } });
}
