import { describe, expect, it } from '@jest/globals';
import type { Model } from '../../lib/index.ts';
import { loadModel } from '../../lib/serve/load-model.ts';
import { modelChoice } from '../../lib/serve/model-choice.ts';

const load = (name: string, env: Record<string, string> = {}): Model => loadModel(modelChoice(name), env, 0);

describe('loadModel', () => {
  it.each<[string, Record<string, string>, object]>([
    ['embedded', {}, { provider: 'embedded' }],
    ['openai:gpt-5', { OPENAI_API_KEY: 'sk-1' }, { provider: 'openai', id: 'gpt-5' }],
    ['anthropic:claude', { ANTHROPIC_API_KEY: 'sk-1' }, { provider: 'anthropic', id: 'claude' }],
    ['http://localhost:8080/v1#m', {}, { provider: 'openai', id: 'm' }],
    ['anthropic+http://localhost:8080#m', {}, { provider: 'anthropic', id: 'm' }],
  ])('makes the model of %s', (name, env, model) => {
    expect(load(name, env)).toMatchObject(model);
  });

  it.each([
    ['openai:gpt-5', 'OPENAI_API_KEY'],
    ['anthropic:claude', 'ANTHROPIC_API_KEY'],
  ])('asks %s for its key', (name, variable) => {
    expect(() => load(name)).toThrow(`set the environment variable ${variable}`);
  });

  it('refuses a key that no header can hold, and does not repeat it', () => {
    const refused = (): unknown => load('openai:gpt-5', { OPENAI_API_KEY: 'sk-\u{1f511}' });
    expect(refused).toThrow(expect.objectContaining({ code: 'config' }));
    expect(refused).not.toThrow(/\u{1f511}/u);
  });
});
