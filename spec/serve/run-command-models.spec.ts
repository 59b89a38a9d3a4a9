import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asks, chatServer, says, saysAnthropic } from './chat-server.ts';
import type { ChatServer, Reply } from './chat-server.ts';
import { run } from './fake-host.ts';
import type { Written } from './fake-host.ts';

let server: ChatServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function ask(reply: Reply, env: Record<string, string> = {}, mark = ''): Promise<Written> {
  server = await chatServer(reply);
  return run(['run', 'hi', '--model', mark + server.model], { env });
}

const ONE_LINE = /^rx-tool-loop: [^\n]+\n$/;

describe('a model', () => {
  it('of an Anthropic-compatible server is asked with the key of its wire', async () => {
    const found = await ask(saysAnthropic('Hello.'), { OPENAI_API_KEY: 'sk-o', ANTHROPIC_API_KEY: 'sk-a' }, 'anthropic+');
    expect(found).toEqual({ code: 0, out: expect.stringContaining('Hello.\n1 step, tokens: 7 in, 3 out'), err: '' });
    expect(server?.requests[0]?.headers).toMatchObject({ 'x-api-key': 'sk-a' });
    expect(server?.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(server?.requests[0]?.body).toMatchObject({ model: 'test-model', messages: [{ role: 'user' }] });
  });

  it('of a server gets its own key before that of the wire', async () => {
    await ask(says(['hi']), { OPENAI_API_KEY: 'sk-o', RX_TOOL_LOOP_API_KEY: 'sk-own' });
    expect(server?.requests[0]?.headers.authorization).toBe('Bearer sk-own');
  });

  it('of a local server is asked without a key', async () => {
    expect(await ask(says(['hi']))).toMatchObject({ code: 0 });
    expect(server?.requests[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('one line says', () => {
  it.each([
    ['openai:gpt-5', 'OPENAI_API_KEY'],
    ['anthropic:claude', 'ANTHROPIC_API_KEY'],
  ])('which key %s needs, before anything is asked', async (model, variable) => {
    const { code, out, err } = await run(['run', 'hi', '--model', model], { env: { RX_TOOL_LOOP_API_KEY: 'x' } });
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(ONE_LINE);
    expect(err).toContain(`set the environment variable ${variable}`);
  });

  it.each(['', 'anthropic+'])('that a model is unknown (%s)', async (mark) => {
    const body = { error: { type: 'not_found_error', message: 'model: test-model' } };
    const { code, err } = await ask({ status: 404, body }, {}, mark);
    expect(code).toBe(1);
    expect(err).toMatch(ONE_LINE);
    expect(err).toMatch(/answered 404 \(not_found_error\)\. The server says: model: test-model\. Check the base URL http:\S+ and the model id test-model of --model\.\n$/);
  });

  it('that a gateway answered with a page, and not the page', async () => {
    const page = '<!doctype html>\n<html><head><title>502 Bad Gateway</title></head>\n<body>nginx</body></html>\n';
    // More than a run waits for: it is not asked again.
    const { code, err } = await ask({ status: 502, body: page, headers: { 'retry-after': '600' } });
    expect(code).toBe(1);
    expect(err).toMatch(ONE_LINE);
    expect(err).toMatch(/^rx-tool-loop: model-http: http:\S+ answered 502\. The server is at fault: try again later\.\n$/);
    expect(server?.requests).toHaveLength(1);
  });

  it('that nobody listens', async () => {
    const unused = createServer();
    await new Promise<void>((resolve) => unused.listen(0, '127.0.0.1', resolve));
    const { port } = unused.address() as AddressInfo;
    await new Promise((resolve) => unused.close(resolve));
    const { code, err } = await run(['run', 'hi', '--model', `http://127.0.0.1:${port}/v1#m`]);
    expect(code).toBe(1);
    expect(err).toMatch(ONE_LINE);
    expect(err).toContain(`could not be reached (ECONNREFUSED). Check that http://127.0.0.1:${port}/v1 is the base URL of a running server.`);
  });

  it('that the root is no folder', async () => {
    const { code, out, err } = await run(['run', 'hi', '--root', './no-such-folder']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(ONE_LINE);
    expect(err).toMatch(/There is no folder ".*no-such-folder"\. Give --root the path of one\./);
  });
});

describe('--root', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'root-'));
    writeFileSync(join(folder, 'notes.txt'), 'The answer is 42.\n');
    symlinkSync('/etc', join(folder, 'out'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('adds the file tools to the others', async () => {
    server = await chatServer(asks(['search_files', { text: 'answer' }], ['list_files', {}]), says(['42.']));
    const { code, out } = await run(['run', 'hi', '--model', server.model, '--root', folder, '--tools', 'clock']);
    expect(code).toBe(0);
    expect(out).toContain('← search_files notes.txt:1: The answer is 42. (');
    expect(out).toContain('← list_files notes.txt out (link) (');
    const tools = server.requests[0]?.body['tools'] as { function: { name: string } }[];
    expect(tools.map((tool) => tool.function.name)).toEqual(['clock', 'list_files', 'read_file', 'search_files']);
  });

  it('lets nothing out, and the run goes on', async () => {
    server = await chatServer(asks(['read_file', { path: 'out/passwd' }], ['read_file', { path: '../x' }]), says(['No.']));
    const { code, out } = await run(['run', 'hi', '--model', server.model, '--root', '.'], { cwd: folder });
    expect(code).toBe(0);
    expect(out).toContain('← read_file failed (permission-denied): "out/passwd" leads out of the root by a link. (');
    expect(out).toContain('← read_file failed (permission-denied): The path "../x" leads upwards');
    expect(out).not.toContain('root:');
  });

  it('serves the embedded model too', async () => {
    const { code, out } = await run(['run', 'call read_file {"path":"notes.txt"}', '--root', folder]);
    expect(code).toBe(0);
    expect(out).toContain('← read_file The answer is 42. (');
  });
});
