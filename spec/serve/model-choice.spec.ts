import { describe, expect, it } from '@jest/globals';
import { modelChoice } from '../../lib/serve/model-choice.ts';

describe('modelChoice', () => {
  it.each<[string, object]>([
    ['embedded', { wire: 'embedded' }],
    ['openai:gpt-5-mini', { wire: 'openai-chat', id: 'gpt-5-mini', needsKey: true }],
    ['openai:ft:gpt-5:org#1', { wire: 'openai-chat', id: 'ft:gpt-5:org#1', needsKey: true }],
    ['anthropic:claude-sonnet-4-5', { wire: 'anthropic', id: 'claude-sonnet-4-5', needsKey: true }],
    ['https://api.openai.com/v1#gpt-5-mini', { wire: 'openai-chat', baseUrl: 'https://api.openai.com/v1', id: 'gpt-5-mini', needsKey: false }],
    ['http://localhost:8080/v1#org/model:7b', { wire: 'openai-chat', baseUrl: 'http://localhost:8080/v1', id: 'org/model:7b' }],
    ['http://localhost:8080/v1?api-version=1#a#b', { wire: 'openai-chat', baseUrl: 'http://localhost:8080/v1?api-version=1', id: 'a#b' }],
    ['anthropic+http://localhost:8080#m', { wire: 'anthropic', baseUrl: 'http://localhost:8080', id: 'm', needsKey: false }],
  ])('reads %s', (name, choice) => {
    expect(modelChoice(name)).toMatchObject(choice);
  });

  it('gives no base URL where the provider has its own', () => {
    expect(modelChoice('openai:gpt-5')).not.toHaveProperty('baseUrl');
    expect(modelChoice('anthropic:claude')).not.toHaveProperty('baseUrl');
  });

  it.each([
    ['gpt-5', 'There is no model "gpt-5". Write embedded, openai:<id>, anthropic:<id>, or a base URL and an id'],
    ['', 'There is no model "".'],
    ['Embedded', 'There is no model "Embedded".'],
    ['gemini:pro', 'There is no model "gemini:pro".'],
    ['openai+https://host/v1#m', 'There is no model "openai+https://host/v1#m".'],
    ['openai', 'There is no model "openai".'],
    ['openai:', 'names no model after its provider'],
    ['anthropic: ', 'names no model after its provider'],
    ['api.openai.com/v1#gpt-5', 'There is no model'],
    ['ftp://host/v1#m', 'There is no model'],
    ['file:///etc/passwd#m', 'There is no model'],
    ['anthropic+ftp://host#m', 'There is no model'],
    ['https://api.openai.com/v1', 'names no model after its base URL'],
    ['https://api.openai.com/v1#', 'names no model after its base URL'],
    ['anthropic+https://host', 'names no model after its base URL'],
  ])('refuses %j', (name, reason) => {
    expect(() => modelChoice(name)).toThrow(reason);
    expect(() => modelChoice(name)).toThrow(expect.objectContaining({ code: 'config' }));
  });

  it.each(['https://user:s3cret@host/v1#m', 'anthropic+https://user:s3cret@host#m'])('refuses a key inside the address, and does not repeat it', (name) => {
    const refused = (): unknown => modelChoice(name);
    expect(refused).toThrow('Put the key into RX_TOOL_LOOP_API_KEY instead.');
    expect(refused).not.toThrow(/s3cret/);
  });
});
