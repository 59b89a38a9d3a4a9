import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolResult } from '../../lib/index.ts';
import { demoScenes } from '../../lib/serve/demo-scenes.ts';
import type { DemoRound } from '../../lib/serve/demo-scenes.ts';
import type { DemoTurn } from '../../lib/serve/demo-speech.ts';

const result = (text: string, isError = false): ToolResult => ({ callId: 'c', name: 'tool', content: [{ type: 'text', text }], isError });

function turn(word: string, at: number, round: Partial<DemoRound> = {}): DemoTurn {
  const next = demoScenes.find((scene) => scene.word === word)?.turns[at];
  if (next === undefined) throw new Error(`There is no turn ${at} of ${word}.`);
  return next({ prompt: word, tries: 0, results: [], ...round });
}

describe('demoScenes', () => {
  it('have a word each, which a prompt can hold', () => {
    const words = demoScenes.map(({ word }) => word);
    expect(new Set(words).size).toBe(words.length);
    expect(words.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
  });

  it('are listed in docs/command.md', () => {
    const text = readFileSync(join(__dirname, '../../docs/command.md'), 'utf8');
    expect(demoScenes.filter(({ word }) => !text.includes(`| \`${word}\` |`)).map(({ word }) => word)).toEqual([]);
  });

  it('call the tools that they say, and end without a call', () => {
    for (const { word, tools, turns } of demoScenes) {
      const said = turns.map((next) => next({ prompt: word, tries: 9, results: [result('x')] }));
      expect([word, [...new Set(said.flatMap(({ calls = [] }) => calls.map(({ name }) => name)))]]).toEqual([word, tools]);
      expect([word, said.at(-1)?.calls]).toEqual([word, undefined]);
    }
  });

  it('fail as often as they say', () => {
    expect(turn('retry', 0).error).toMatchObject({ status: 503, retryable: true });
    expect(turn('retry', 0, { tries: 1 }).error).toMatchObject({ status: 429, retryable: true, retryAfterMs: 1_500 });
    expect(turn('retry', 0, { tries: 2 })).toEqual({ text: expect.stringContaining('third time') });
    expect(turn('retract', 0)).toMatchObject({ text: expect.any(String), error: { code: 'model-stream', retryable: true } });
    expect(turn('retract', 0, { tries: 1 }).error).toBeUndefined();
    expect(turn('error', 0).error).toMatchObject({ retryable: false });
  });

  it.each([
    ['flood', 10_000],
    ['flood 3', 3_000],
    ['flood 0', 1_000],
    ['flood 999', 60_000],
  ])('say as much for %j as it wants, and no more than is good', (prompt, words) => {
    expect(turn('flood', 0, { prompt }).text?.split(/\s+/)).toHaveLength(words);
  });

  it('calculate what the prompt holds', () => {
    const asked = (prompt: string) => turn('calculate', 0, { prompt }).calls?.[0]?.arguments;
    expect(asked('calculate 2 + 3')).toEqual({ expression: '2 + 3' });
    expect(asked('calculate')).toEqual({ expression: '12.5% of 349' });
  });

  it('say what a call has come to', () => {
    expect(turn('edit', 1, { results: [result('I like tea.', true)] }).text).toBe('The note stays as it was: I like tea.');
    expect(turn('edit', 1, { results: [result('changed')] }).text).toBe('The note is changed.');
    expect(turn('research', 1, { results: [result('broken', true)] }).text).toBe('The researcher failed: broken');
    expect(turn('calculate', 1).text).toBe('It is **nothing**.');
  });
});
