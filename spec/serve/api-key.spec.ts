import { describe, expect, it } from '@jest/globals';
import { apiKey } from '../../lib/serve/api-key.ts';
import { modelChoice } from '../../lib/serve/model-choice.ts';
import type { WireModelChoice } from '../../lib/serve/model-choice.ts';

const key = (name: string, env: Record<string, string>): string | undefined => apiKey(modelChoice(name) as WireModelChoice, env);

const SERVER = 'http://localhost:8080/v1#m';
const ALL = { RX_TOOL_LOOP_API_KEY: 'own', OPENAI_API_KEY: 'sk-o', ANTHROPIC_API_KEY: 'sk-a' };

describe('apiKey', () => {
  it.each<[string, string, Record<string, string>, string | undefined]>([
    ['that of OpenAI', 'openai:gpt-5', ALL, 'sk-o'],
    ['that of Anthropic', 'anthropic:claude', ALL, 'sk-a'],
    ['the own one for a server', SERVER, ALL, 'own'],
    ['the own one for a server of the other wire', `anthropic+${SERVER}`, ALL, 'own'],
    ['the one of the wire for a server', SERVER, { OPENAI_API_KEY: 'sk-o', ANTHROPIC_API_KEY: 'sk-a' }, 'sk-o'],
    ['the one of the other wire for its server', `anthropic+${SERVER}`, { OPENAI_API_KEY: 'sk-o', ANTHROPIC_API_KEY: 'sk-a' }, 'sk-a'],
    ['the one of the wire where the own one is empty', SERVER, { RX_TOOL_LOOP_API_KEY: ' ', OPENAI_API_KEY: 'sk-o' }, 'sk-o'],
    ['none for a server', SERVER, {}, undefined],
    ['never that of another provider', `anthropic+${SERVER}`, { OPENAI_API_KEY: 'sk-o' }, undefined],
    ['it without the line break that a file ends in', 'openai:gpt-5', { OPENAI_API_KEY: 'sk-o\n' }, 'sk-o'],
  ])('takes %s', (_what, name, env, expected) => {
    expect(key(name, env)).toBe(expected);
  });

  it.each([
    ['openai:gpt-5', 'OPENAI_API_KEY', 'OpenAI'],
    ['anthropic:claude', 'ANTHROPIC_API_KEY', 'Anthropic'],
  ])('names the variable that %s needs', (name, variable, provider) => {
    const asked = (): unknown => key(name, { RX_TOOL_LOOP_API_KEY: 'own', [variable]: '' });
    expect(asked).toThrow(`The key is missing: set the environment variable ${variable} to your ${provider} API key.`);
    expect(asked).toThrow(expect.objectContaining({ code: 'config' }));
  });
});
