import { describe, expect, it } from '@jest/globals';
import { BudgetError, ModelError, RunError, UnsupportedError } from '../../lib/index.ts';
import type { ModelErrorOptions } from '../../lib/index.ts';
import { errorLine } from '../../lib/serve/error-line.ts';
import { modelChoice } from '../../lib/serve/model-choice.ts';

const SERVER = 'http://localhost:8080/v1#m';
const run = { runId: 'r', steps: [], usage: {}, messages: [], completion: { text: '', toolCalls: [] } };
const line = (cause: unknown, model = SERVER, env = {}): string => errorLine(new RunError(cause, run), modelChoice(model), env);
const http = (status: number, more: ModelErrorOptions = {}): ModelError =>
  new ModelError('model-http', `http://h/v1 answered ${status}. Advice for a programmer.`, { status, ...more });

describe('errorLine', () => {
  it.each<[string, unknown, string, string]>([
    ['a missing key', http(401), SERVER, 'model-http: http://h/v1 answered 401. Set RX_TOOL_LOOP_API_KEY to a key that is valid there.'],
    ['a wrong key of OpenAI', http(401), 'openai:gpt-5', 'Set OPENAI_API_KEY to a key that is valid there.'],
    ['a forbidden key of Anthropic', http(403), 'anthropic:claude', 'Set ANTHROPIC_API_KEY to a key that is valid there.'],
    ['a wrong id', http(404), 'openai:gpt-9', 'Check the model id gpt-9 of --model.'],
    ['a wrong place', http(404), SERVER, 'Check the base URL http://localhost:8080/v1 and the model id m of --model.'],
    ['a spent quota', http(429), SERVER, 'Wait, or check the quota of the key.'],
    ['a spent account', http(402), SERVER, 'Wait, or check the quota of the key.'],
    ['a broken server', http(503), SERVER, 'The server is at fault: try again later.'],
    ['a refused connection', new ModelError('model-transport', 'http://h could not be reached (ECONNREFUSED). It may be tried again.'), SERVER, 'model-transport: http://h could not be reached (ECONNREFUSED). Check that http://localhost:8080/v1 is the base URL of a running server.'],
    ['no network', new ModelError('model-transport', 'not reached'), 'anthropic:claude', 'model-transport: not reached. Check the network.'],
    ['a silent server', new ModelError('model-timeout', 'silent'), SERVER, 'The model was silent for too long: try again later.'],
    ['a model without tools', new UnsupportedError('no tools'), SERVER, 'unsupported: no tools. Choose another --model, or fewer --tools.'],
    ['a spent budget', new BudgetError('max-tokens', 5, 6), SERVER, 'budget: The run has used 6 tokens, over budget.maxTotalTokens 5; the tools it asked for did not run.'],
    ['a refused request', http(400), SERVER, 'model-http: http://h/v1 answered 400. Advice for a programmer.'],
    ['a foreign error', new TypeError('x is not a function'), SERVER, 'other: x is not a function.'],
    ['no error at all', 'boom', SERVER, 'other: boom.'],
    ['the embedded model', new Error('boom'), 'embedded', 'other: boom.'],
    ['the scripted model', new Error('boom'), 'demo', 'other: boom.'],
  ])('says what to do about %s', (_name, cause, model, text) => {
    const said = line(cause, model);
    expect(said).toMatch(/^[a-z-]+: /);
    expect(said.slice(-text.length)).toBe(text);
  });

  it('repeats what the server said, where it said it in JSON', () => {
    const detail = '{"error":{"message":"The model `m` does not exist"}}';
    expect(line(http(404, { detail }), 'openai:m')).toBe(
      'model-http: http://h/v1 answered 404. The server says: The model `m` does not exist. Check the model id m of --model.',
    );
    expect(line(http(400, { detail }))).toBe('model-http: http://h/v1 answered 400. The server says: The model `m` does not exist.');
  });

  it('repeats no page of HTML', () => {
    const said = line(http(502, { detail: '<html>\n<h1>502 Bad Gateway</h1>\n</html>' }));
    expect(said).toBe('model-http: http://h/v1 answered 502. The server is at fault: try again later.');
  });

  it('is one line without a trace or an escape sequence', () => {
    expect(line(new Error('a\n    at b\r\n\u001b[31mc'))).toBe('other: a at b c.');
    expect(line(http(400, { detail: '{"error":{"message":"a\\nb\\u001b[31mc"}}' }))).toContain('The server says: a bc.');
  });

  it.each([
    [SERVER, 'OPENAI_API_KEY'],
    [SERVER, 'RX_TOOL_LOOP_API_KEY'],
    ['anthropic:claude', 'ANTHROPIC_API_KEY'],
  ])('masks a key that the server of %s repeats', (model, variable) => {
    const detail = '{"error":{"message":"Incorrect API key provided: sk-secret"}}';
    const said = line(http(401, { detail }), model, { [variable]: ' sk-secret ' });
    expect(said).toContain('Incorrect API key provided: ***.');
  });

  it('cuts what is too long to read, after masking, and still says what to do', () => {
    const detail = JSON.stringify({ message: `${'x'.repeat(540)}sk-secret${'y'.repeat(100)}` });
    const long = line(http(401, { detail }), SERVER, { OPENAI_API_KEY: 'sk-secret' });
    expect(long).toHaveLength(600 + ' Set RX_TOOL_LOOP_API_KEY to a key that is valid there.'.length);
    expect(long).not.toContain('sk');
  });
});
