import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../lib/errors.ts';
import { checkToolRetry } from '../../lib/invoke/check-tool-retry.ts';
import type { ToolRetry } from '../../lib/tool.ts';

describe('checkToolRetry', () => {
  it.each<[string, ToolRetry]>([
    ['a count alone', { count: 2 }],
    ['no repeat', { count: 0 }],
    ['everything', { count: 1, initialDelayMs: 0, factor: 1, maxDelayMs: 0, maxTotalMs: 0 }],
    ['no bound on the time', { count: 1, maxTotalMs: Infinity }],
    ['what is undefined as absent', { count: 1, factor: undefined } as never],
  ])('takes %s', (_name, retry) => {
    expect(() => checkToolRetry('add', retry)).not.toThrow();
  });

  it.each<[string, unknown, string]>([
    ['a number', 3, 'is 3; give an object with a count'],
    ['null', null, 'is null; give an object'],
    ['no count', {}, 'needs a count'],
    ['half a repeat', { count: 1.5 }, 'needs a count'],
    ['no end', { count: Infinity }, 'needs a count'],
    ['less than none', { count: -1 }, 'has count -1; give a number, 0 or more'],
    ['a time before now', { count: 1, initialDelayMs: -5 }, 'has initialDelayMs -5; give a number, 0 or more'],
    ['a time that is no number', { count: 1, maxDelayMs: NaN }, 'has maxDelayMs NaN'],
    ['a time as a text', { count: 1, maxTotalMs: '30' }, 'has maxTotalMs 30; give a number'],
    ['waits that shrink', { count: 1, factor: 0.5 }, 'has factor 0.5; give a number, 1 or more'],
    ['an option that does not exist', { count: 1, jitter: 1 }, 'has the unknown option "jitter"'],
  ])('refuses %s', (_name, retry, message) => {
    const check = (): void => checkToolRetry('add', retry as ToolRetry);
    expect(check).toThrow(ConfigError);
    expect(check).toThrow(`defineTool: retry of tool "add" ${message}`);
  });
});
