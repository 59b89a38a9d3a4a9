import { describe, expect, it } from '@jest/globals';
import { userMessage } from '../../lib/index.ts';
import type { Hooks, Message } from '../../lib/index.ts';
import { demoSetup } from '../../lib/serve/demo-setup.ts';

const { afterStep } = demoSetup.hooks as Hooks;
const judged = (text: string): unknown => afterStep?.({ content: [], text, calls: [], finish: 'stop', model: 'demo' }, { runId: 'r', step: 0, attempt: 1, scratch: new Map() });
const titled = (...messages: Message[]): unknown => demoSetup.title?.(messages);

describe('demoSetup', () => {
  it('sends back an answer whose code has no end', () => {
    expect(judged('```js\n1\n')).toMatchObject({ type: 'correct', message: expect.stringContaining('code block') });
    expect([judged(''), judged('a'), judged('```js\n1\n```\n')]).toEqual([undefined, undefined, undefined]);
  });

  it('names the conversation by its first prompt, cut to a line', () => {
    expect(titled(userMessage('  Show\n me  '), userMessage('more'))).toBe('Show me');
    expect(titled({ role: 'user', content: [{ type: 'image', url: 'x' }, { type: 'text', text: 'this' }] })).toBe('this');
    expect(titled(userMessage('\u{1f600}'.repeat(41)))).toBe(`${'\u{1f600}'.repeat(39)}…`);
    expect(titled(userMessage('a'.repeat(40)))).toBe('a'.repeat(40));
    expect(titled()).toBe('');
  });
});
