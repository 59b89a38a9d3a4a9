import { describe, expect, it } from '@jest/globals';
// Parts of Angular are published for a linker; without one its compiler takes that part.
import '@angular/compiler';
import { VERSION } from '@angular/core';
import { VERSION as COMMON_VERSION } from '@angular/common';
import { packageJson } from '../guards/support/project.ts';

const { devDependencies, peerDependencies, peerDependenciesMeta } = packageJson as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>;

describe('the Angular of these specs', () => {
  it('is the one that was asked for', () => {
    expect(VERSION.major).toBe(process.env['RX_TOOL_LOOP_ANGULAR_MAJOR'] ?? String(devDependencies?.['@angular/core']).split('.')[0]);
    expect(COMMON_VERSION.full).toBe(VERSION.full);
  });

  it.each(['@angular/core', '@angular/common'])('is one that an application may have: the range of %s holds it, and nobody must have it', (name) => {
    const [, from, to] = /^>=(\d+) <(\d+)$/.exec(String(peerDependencies?.[name])) ?? [];
    expect(Number(VERSION.major)).toBeGreaterThanOrEqual(Number(from));
    expect(Number(VERSION.major)).toBeLessThan(Number(to));
    expect(peerDependenciesMeta?.[name]).toEqual({ optional: true });
  });
});
