import { describe, expect, it } from '@jest/globals';
import { apiKey } from '../../lib/serve/api-key.ts';

describe('apiKey', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['none', {}, undefined],
    ['its own variable', { RX_TOOL_LOOP_API_KEY: 'a', OPENAI_API_KEY: 'b' }, 'a'],
    ['the common one', { OPENAI_API_KEY: 'b' }, 'b'],
    ['the common one where its own is empty', { RX_TOOL_LOOP_API_KEY: '', OPENAI_API_KEY: 'b' }, 'b'],
    ['none where both are empty', { RX_TOOL_LOOP_API_KEY: '', OPENAI_API_KEY: '' }, undefined],
  ])('takes %s', (_name, env, key) => {
    expect(apiKey(env)).toBe(key);
  });
});
