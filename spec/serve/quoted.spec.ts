import { describe, expect, it } from '@jest/globals';
import { quoted } from '../../lib/serve/quoted.ts';

describe('quoted', () => {
  it('puts a name into quotes and writes out what a terminal would obey', () => {
    expect(quoted('a b')).toBe('"a b"');
    expect(quoted('a\n\u001b[31m"')).toBe('"a\\n\\u001b[31m\\""');
  });

  it('cuts what is longer than 200 characters', () => {
    expect(quoted('x'.repeat(200))).toBe(`"${'x'.repeat(200)}"`);
    expect(quoted('x'.repeat(201))).toBe(`"${'x'.repeat(200)}…"`);
  });
});
