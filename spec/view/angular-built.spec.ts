import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VERSION } from '@angular/core';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exists, read, root } from '../guards/support/project.ts';
import { outputOf, run } from '../guards/support/run-node.ts';

const PROGRAM = 'spec/e2e/angular-built.mjs';
/** What the program prints, one line for each check. */
const CHECKS = [...read(PROGRAM).matchAll(/\bholds\('(.+)'\)/g)].map(([, line]) => line);

describe('the built entries for Angular, under plain Node', () => {
  let folder = '';

  // A project that has the package, and the Angular of these specs.
  beforeAll(() => {
    if (!exists('dist/lib/view/angular.js')) throw new Error('There is no dist: run "npm run build" first.');
    folder = mkdtempSync(join(tmpdir(), 'rx-tool-loop-angular-built-'));
    const own = join(folder, 'node_modules/rx-tool-loop');
    mkdirSync(own, { recursive: true });
    for (const part of ['dist', 'package.json']) cpSync(join(root, part), join(own, part), { recursive: true });
    for (const name of ['rxjs', 'tslib', 'zod']) symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    symlinkSync(join(process.env['RX_TOOL_LOOP_ANGULAR'] ?? root, 'node_modules/@angular'), join(folder, 'node_modules/@angular'));
    cpSync(join(root, PROGRAM), join(folder, 'program.mjs'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('hold what they promise', () => {
    const flags = ['--preserve-symlinks', '--preserve-symlinks-main'];
    const printed = outputOf(run(process.execPath, [...flags, 'program.mjs'], folder));
    expect(printed.trim().split('\n')).toEqual([`Angular ${VERSION.major}`, ...CHECKS]);
    expect(CHECKS.length).toBeGreaterThan(8);
  });
});
