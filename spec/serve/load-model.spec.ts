import { describe, expect, it } from '@jest/globals';
import { loadModel } from '../../lib/serve/load-model.ts';

describe('loadModel', () => {
  it('makes the embedded model', () => {
    expect(loadModel('embedded', {}, 0)).toMatchObject({ provider: 'embedded' });
  });

  it.each([
    ['https://api.openai.com/v1#gpt-5-mini', 'gpt-5-mini'],
    ['http://localhost:8080/v1#org/model:7b', 'org/model:7b'],
    ['http://localhost:8080/v1#a#b', 'a#b'],
  ])('makes the model behind %s', (name, id) => {
    expect(loadModel(name, { OPENAI_API_KEY: 'sk-1' }, 0)).toMatchObject({ id });
  });

  it.each([
    ['gpt-5', 'There is no model "gpt-5". Write embedded, or a base URL and an id such as'],
    ['', 'There is no model "".'],
    ['api.openai.com/v1#gpt-5', 'There is no model'],
    ['ftp://host/v1#m', 'There is no model'],
    ['file:///etc/passwd#m', 'There is no model'],
    ['https://api.openai.com/v1', 'names no model after its base URL'],
    ['https://api.openai.com/v1#', 'names no model after its base URL'],
  ])('refuses %j', (name, reason) => {
    expect(() => loadModel(name, {}, 0)).toThrow(reason);
    expect(() => loadModel(name, {}, 0)).toThrow(expect.objectContaining({ code: 'config' }));
  });

  it('refuses a key inside the address, and does not repeat it', () => {
    const refused = (): unknown => loadModel('https://user:s3cret@host/v1#m', {}, 0);
    expect(refused).toThrow('Put the key into RX_TOOL_LOOP_API_KEY instead.');
    expect(refused).not.toThrow(/s3cret/);
  });
});
