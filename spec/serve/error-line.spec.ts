import { describe, expect, it } from '@jest/globals';
import { BudgetError, ModelError, RunError, UnsupportedError } from '../../lib/index.ts';
import { errorLine } from '../../lib/serve/error-line.ts';

const MODEL = 'http://localhost:8080/v1#m';
const run = { runId: 'r', steps: [], usage: {}, messages: [], completion: { text: '', toolCalls: [] } };
const line = (cause: unknown, env = {}): string => errorLine(new RunError(cause, run), MODEL, env);

describe('errorLine', () => {
  it.each<[string, unknown, string]>([
    ['a missing key', new ModelError('model-http', 'answered 401', { status: 401 }), 'model-http: answered 401. Set RX_TOOL_LOOP_API_KEY to a key that is valid there.'],
    ['a forbidden key', new ModelError('model-http', 'answered 403', { status: 403 }), 'Set RX_TOOL_LOOP_API_KEY'],
    ['a wrong id', new ModelError('model-http', 'answered 404', { status: 404 }), `Check the base URL and the model id of --model ${MODEL}.`],
    ['a spent quota', new ModelError('model-http', 'answered 429', { status: 429 }), 'Wait, or check the quota of the key.'],
    ['a broken server', new ModelError('model-http', 'answered 503', { status: 503 }), 'try again later'],
    ['a refused connection', new ModelError('model-transport', 'refused'), 'Check that a server answers at http://localhost:8080/v1.'],
    ['a silent server', new ModelError('model-timeout', 'silent'), 'The model was silent for too long: try again later.'],
    ['a model without tools', new UnsupportedError('no tools'), 'unsupported: no tools. Choose another --model, or fewer --tools.'],
    ['a spent budget', new BudgetError('max-tokens', 5, 6), 'budget: The run has used 6 tokens'],
    ['a foreign error', new TypeError('x is not a function'), 'other: x is not a function'],
    ['no error at all', 'boom', 'other: boom'],
  ])('says what to do about %s', (_name, cause, text) => {
    expect(line(cause)).toContain(text);
  });

  it('is one line without a trace or an escape sequence', () => {
    expect(line(new Error('a\n    at b\r\n\u001b[31mc'))).toBe('other: a at b c');
  });

  it('masks a key that the server repeats', () => {
    const cause = new ModelError('model-http', 'Incorrect API key provided: sk-secret.', { status: 401 });
    expect(line(cause, { OPENAI_API_KEY: 'sk-secret' })).toContain('Incorrect API key provided: ***.');
  });

  it('cuts what is too long to read, after masking', () => {
    const long = line(new Error(`${'x'.repeat(590)}sk-secret${'y'.repeat(100)}`), { OPENAI_API_KEY: 'sk-secret' });
    expect(long).toHaveLength(600);
    expect(long).not.toContain('sk');
  });
});
