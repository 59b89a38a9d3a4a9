import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { asks, beginsToSay, chatServer } from './chat-server.ts';
import type { ChatServer } from './chat-server.ts';

const root = join(__dirname, '../..');
const cli = join(root, 'dist/lib/serve/cli.js');

/** The built command as a process. Only these can tell what a signal, a pipe or an exit code really does. */
interface Command {
  readonly child: ChildProcessWithoutNullStreams;
  readonly written: { out: string; err: string };
  /** Settles when a stream has said these words. */
  says(stream: 'out' | 'err', words: string): Promise<void>;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
}

function command(file: string, words: readonly string[]): Command {
  const child = spawn(process.execPath, [file, ...words], { cwd: __dirname, env: { PATH: process.env['PATH'] } });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  );
  const says = (stream: 'out' | 'err', words: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (written[stream].includes(words)) resolve();
      };
      child[stream === 'out' ? 'stdout' : 'stderr'].on('data', look);
      void ended.then(() => reject(new Error(`Ended without "${words}": ${JSON.stringify(written)}`)));
      look();
    });
  return { child, written, says, ended };
}

async function finished(file: string, words: readonly string[]) {
  const { ended, written, child } = command(file, words);
  child.stdin.end();
  return { ...(await ended), ...written };
}

const TWO_TOOLS = 'What is 12.5% of 349, and what time is it in Tokyo?';

let server: ChatServer | undefined;
afterEach(() => server?.close());

beforeAll(() => {
  if (!existsSync(cli)) execFileSync(process.execPath, ['.build/build.mjs'], { cwd: root });
}, 120_000);

describe('rx-tool-loop', () => {
  it('answers a prompt that needs two tools, offline', async () => {
    const { code, out, err } = await finished(cli, ['run', TWO_TOOLS]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^→ calculator \{.*\}\n← calculator 43\.625 \(\d+ ms\)$/m);
    expect(out).toMatch(/^← clock \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \w+day, Asia\/Tokyo \(UTC\+09:00\) \(\d+ ms\)$/m);
    expect(out).toMatch(/\n\d steps, .*\n$/);
    expect(out).not.toContain('\u001b');
  });

  it('is what npm start runs, with another prompt and options after --', async () => {
    const start = join(root, 'docs/examples/start.mjs');
    const first = await finished(start, []);
    expect(first).toMatchObject({ code: 0, out: expect.stringContaining('43.625') });
    expect(first.out).toContain('Asia/Tokyo');
    const second = await finished(start, ['What is 6 * 7?', '--json']);
    expect(second).toMatchObject({ code: 0, out: expect.stringMatching(/^\{"tape":1,/) });
    expect(second.out).toContain('"42"');
  });

  it('pipes a tape of which every line is JSON', async () => {
    const { code, out, err } = await finished(cli, ['run', TWO_TOOLS, '--json']);
    const lines = out.trimEnd().split('\n').map((line) => JSON.parse(line) as { at: number; event?: { type: string } });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(lines[0]).toMatchObject({ tape: 1, model: 'embedded', tools: ['calculator', 'clock'] });
    const types = lines.slice(1).map(({ event }) => event?.type);
    expect([types[0], types.at(-1)]).toEqual(['run-start', 'done']);
    expect(types.filter((type) => type === 'tool-result')).toHaveLength(2);
    expect(lines.slice(1).every(({ at }, index, all) => at >= (all[index - 1]?.at ?? 0))).toBe(true);
  });

  it('draws the run', async () => {
    const { code, out } = await finished(cli, ['run', TWO_TOOLS, '--marbles']);
    expect(code).toBe(0);
    expect(out).toMatch(/^1 = 0 result calculator 43\.625$/m);
    expect(out.trimEnd()).toMatch(/\|\)?$/);
  });

  it('ends with 2 and one line for a wrong option', async () => {
    const { code, out, err } = await finished(cli, ['run', 'hi', '--colour']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^rx-tool-loop: Unknown option '--colour'\.[^\n]*\n$/);
  });

  it('ends with 1 and one line when the run fails', async () => {
    server = await chatServer({ status: 401, body: { error: { message: 'no key' } } });
    const { code, err } = await finished(cli, ['run', 'hi', '--model', server.model]);
    expect(code).toBe(1);
    expect(err).toMatch(/^rx-tool-loop: model-http: [^\n]*RX_TOOL_LOOP_API_KEY[^\n]*\n$/);
  });

  it('tells its version', async () => {
    expect(await finished(cli, ['--version'])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it('says in one line why a module cannot be loaded', async () => {
    const { code, err } = await finished(cli, ['run', 'hi', '--tools', './cli.spec.ts']);
    expect(code).toBe(2);
    expect(err).toMatch(/^rx-tool-loop: The module \.\/cli\.spec\.ts cannot be loaded: [^\n]*\n$/);
  });
});

describe('Ctrl-C', () => {
  it('ends a server with 0, and its runs softly', async () => {
    server = await chatServer(beginsToSay('Well'));
    const { child, says, ended, written } = command(cli, ['serve', '--model', server.model]);
    await says('out', '/runs\n');
    const url = written.out.trim().split(' ').at(-1) ?? '';
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', accept: 'text/event-stream' }, body: '{"prompt":"hi"}' });
    child.kill('SIGINT');
    expect(await response.text()).toMatch(/"type":"done".*"reason":"aborted"/);
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  async function running(tool: string): Promise<Command> {
    server = await chatServer(asks([tool, {}]));
    return command(cli, ['run', 'hi', '--model', server.model, '--tools', './cli-tools.mjs']);
  }

  it('aborts the running tool and ends with 130', async () => {
    const { child, says, ended, written } = await running('slow');
    await says('err', 'slow started');
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, signal: null });
    expect(written.out).toBe('→ slow {}\n');
    expect(written.err).toBe('slow started\nslow aborted\nrx-tool-loop: cancelled\n');
  });

  it('aborts the open request', async () => {
    server = await chatServer(beginsToSay('Hel'));
    const { child, says, ended, written } = command(cli, ['run', 'hi', '--model', server.model]);
    await says('out', 'Hel');
    child.kill('SIGINT');
    await server.left;
    expect(await ended).toEqual({ code: 130, signal: null });
    expect(written.out).toBe('Hel\n');
  });

  it('a second time ends a command that a tool holds', async () => {
    const { child, says, ended } = await running('stubborn');
    await says('err', 'stubborn started');
    child.kill('SIGINT');
    await says('err', 'cancelled');
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, signal: null });
  });
});

describe('a reader that leaves', () => {
  it('ends the run quietly', async () => {
    server = await chatServer(asks(['chatty', {}]));
    const { child, says, ended, written } = command(cli, ['run', 'hi', '--model', server.model, '--tools', './cli-tools.mjs']);
    await says('out', '→ chatty');
    child.stdout.destroy();
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(written.err).toBe('');
  });
});
