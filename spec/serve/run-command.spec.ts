import { afterEach, describe, expect, it } from '@jest/globals';
import { firstValueFrom, NEVER, Subject, take, tap } from 'rxjs';
import * as z from 'zod';
import { defineTool } from '../../lib/index.ts';
import { runCommand } from '../../lib/serve/run-command.ts';
import { asks, beginsToSay, chatServer, says } from './chat-server.ts';
import type { ChatServer, Reply } from './chat-server.ts';
import { fakeHost, run } from './fake-host.ts';
import type { HostChanges, Written } from './fake-host.ts';

let server: ChatServer | undefined;
afterEach(() => server?.close());

async function ask(replies: readonly Reply[], words: readonly string[] = [], changes: HostChanges = {}): Promise<Written> {
  server = await chatServer(...replies);
  return run(['run', 'hi', '--model', server.model, ...words], changes);
}

describe('runCommand', () => {
  it('shows help and version, and ends well', async () => {
    expect(await run(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('Usage: rx-tool-loop run "<prompt>"'), err: '' });
    expect(await run(['--version'])).toEqual({ code: 0, out: '1.2.3\n', err: '' });
  });

  it.each<[string, readonly string[], string]>([
    ['no command', [], 'A command is missing.'],
    ['an unknown option', ['run', 'hi', '--foo'], "Unknown option '--foo'"],
    ['an unknown model', ['run', 'hi', '--model', 'gpt-5'], 'There is no model "gpt-5".'],
    ['an unknown tool', ['run', 'hi', '--tools', 'hammer'], 'There is no tool "hammer".'],
    ['a module that breaks', ['run', 'hi', '--tools', './run-command.spec.ts'], 'cannot be loaded: Error: no module'],
  ])('ends with 2 and one line for %s', async (_name, words, reason) => {
    const { code, out, err } = await run(words);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(reason);
    expect(err).toMatch(/^rx-tool-loop: [^\n]+\n$/);
  });

  it('refuses two tools of one name', async () => {
    const clock = defineTool({ name: 'clock', description: 'Another.', input: z.object({}), run: () => 1 });
    const words = ['run', 'hi', '--tools', 'clock,./run-command.spec.ts'];
    const { code, err } = await run(words, { importModule: () => Promise.resolve({ clock }) });
    expect(code).toBe(2);
    expect(err).toContain('"clock"');
  });

  it('ends with 0 when there is an answer', async () => {
    expect(await ask([says(['Hel', 'lo.'])])).toEqual({
      code: 0,
      out: 'Hello.\n1 step, tokens: 7 in, 3 out, 0 ms\n',
      err: '',
    });
  });

  it('runs built-in tools', async () => {
    const { code, out } = await ask([asks(['calculator', { expression: '12.5% of 349' }]), says(['It is 43.625.'])], ['--tools', 'calculator']);
    expect(code).toBe(0);
    expect(out).toContain('→ calculator {"expression":"12.5% of 349"}\n← calculator 43.625 (');
    expect(out).toContain('\nIt is 43.625.\n2 steps');
  });

  it('sends the prompt, the system prompt and the key', async () => {
    await ask([says(['ok'])], ['--system', 'Be brief.'], { env: { OPENAI_API_KEY: 'sk-1' } });
    expect(server?.requests[0]?.headers.authorization).toBe('Bearer sk-1');
    expect(server?.requests[0]?.body).toMatchObject({ model: 'test-model', messages: [{ content: 'Be brief.' }, { role: 'user', content: 'hi' }] });
    expect(server?.requests[0]?.body).not.toHaveProperty('tools');
  });

  it('ends with 1 and says what to do when the run fails', async () => {
    const body = { error: { message: 'Incorrect API key provided: sk-1' } };
    const { code, out, err } = await ask([{ status: 401, body }], [], { env: { OPENAI_API_KEY: 'sk-1' } });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^rx-tool-loop: model-http: [^\n]*401[^\n]* Set RX_TOOL_LOOP_API_KEY to a key that is valid there\.\n$/);
    expect(err).not.toContain('sk-1');
  });

  it('ends with 3 when the run ends without an answer', async () => {
    const cut = await ask([says(['Hel'], 'length')]);
    expect(cut).toMatchObject({ code: 3, out: expect.stringContaining('Hel\n1 step') });
    expect(cut.err).toBe('rx-tool-loop: No answer: the run ended with "length". The model reached its length limit: ask for less.\n');
    await server?.close();
    const spent = await ask([asks(['clock', {}])], ['--tools', 'clock', '--max-steps', '2']);
    expect(spent).toMatchObject({ code: 3, err: expect.stringContaining('"max-steps". Raise --max-steps') });
    expect(server?.requests).toHaveLength(2);
  });

  it('writes a tape and nothing else', async () => {
    const { code, out } = await ask([says(['hi'])], ['--json'], { terminal: true });
    const lines = out.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(0);
    expect(lines[0]).toEqual({ tape: 1, startedAt: '1970-01-01T00:00:00.000Z', model: server?.model, tools: [] });
    expect(lines.slice(1).every((line) => 'at' in line && 'event' in line)).toBe(true);
    expect(lines.at(-1)).toMatchObject({ event: { type: 'done' } });
  });

  it('ends a tape with the error', async () => {
    const { code, out, err } = await ask([{ status: 400, body: {} }], ['--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ at: 0, error: { code: 'model-http', status: 400, retryable: false } });
    expect(err).toContain('model-http');
  });

  it('draws the run', async () => {
    const { code, out } = await ask([says(['hi'])], ['--marbles']);
    expect([code, out]).toEqual([0, 't = 0 text\nz = 0 end stop\nL = done answer\n(tzL|)\n']);
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['colours a terminal', {}, true],
    ['colours it where NO_COLOR is empty', { NO_COLOR: '' }, true],
    ['honours NO_COLOR', { NO_COLOR: '1' }, false],
    ['leaves a dumb terminal alone', { TERM: 'dumb' }, false],
  ])('%s', async (_name, env, colours) => {
    const { out } = await ask([says(['hi'])], [], { terminal: true, env });
    expect(out.includes('\u001b[2m1 step')).toBe(colours);
  });

  it('does nothing before it is subscribed, and leaves the run when it is left', async () => {
    server = await chatServer(beginsToSay('Hel'));
    const { host, written, output$ } = fakeHost();
    const code$ = runCommand(['run', 'hi', '--model', server.model], host);
    expect(server.requests).toHaveLength(0);
    const codes: number[] = [];
    const running = code$.subscribe((code) => codes.push(code));
    await firstValueFrom(output$);
    running.unsubscribe();
    await server.left;
    expect(written.out).toBe('Hel');
    expect(codes).toEqual([]);
  });
});

describe('an interrupt', () => {
  /** Runs until the output contains a text, then interrupts. */
  async function interruptAt(text: string, replies: readonly Reply[], words: readonly string[] = []): Promise<Written> {
    server = await chatServer(...replies);
    const interrupt$ = new Subject<void>();
    const { host, written, output$ } = fakeHost({ interrupt$ });
    output$.pipe(take(100), tap((out) => out.endsWith(text) && interrupt$.next())).subscribe();
    const code = await firstValueFrom(runCommand(['run', 'hi', '--model', server.model, ...words], host));
    return { code, ...written };
  }

  it('aborts the request, ends the line and says so', async () => {
    const found = await interruptAt('Hel', [beginsToSay('Hel')]);
    expect(found).toEqual({ code: 130, out: 'Hel\n', err: 'rx-tool-loop: cancelled\n' });
    await server?.left;
  });

  it('aborts the running tool', async () => {
    let start = (_signal: AbortSignal): void => undefined;
    const started = new Promise<AbortSignal>((resolve) => (start = resolve));
    const slow = defineTool({
      name: 'slow',
      description: 'Never ends.',
      input: z.object({}),
      run: (_args, context) => {
        start(context.signal);
        return NEVER;
      },
    });
    const importModule = (): Promise<Record<string, unknown>> => Promise.resolve({ slow });
    const interrupt$ = new Subject<void>();
    const running = ask([asks(['slow', {}])], ['--tools', './run-command.spec.ts'], { importModule, interrupt$ });
    const signal = await started;
    expect(signal.aborted).toBe(false);
    interrupt$.next();
    expect(signal.aborted).toBe(true);
    expect(await running).toMatchObject({ code: 130, err: 'rx-tool-loop: cancelled\n' });
  });

  it('is heard while modules are loaded', async () => {
    const interrupt$ = new Subject<void>();
    const found = run(['run', 'hi', '--tools', './run-command.spec.ts'], {
      interrupt$,
      importModule: () => {
        queueMicrotask(() => interrupt$.next());
        return new Promise(() => undefined);
      },
    });
    expect(await found).toEqual({ code: 130, out: '', err: 'rx-tool-loop: cancelled\n' });
  });

  it('is not needed when the reader leaves: the run ends quietly', async () => {
    const closed$ = new Subject<void>();
    server = await chatServer(beginsToSay('Hel'));
    const { host, written, output$ } = fakeHost({ closed$ });
    output$.pipe(take(1)).subscribe(() => closed$.next());
    expect(await firstValueFrom(runCommand(['run', 'hi', '--model', server.model], host))).toBe(0);
    expect(written.err).toBe('');
    await server.left;
  });

  it('draws and tapes what there was', async () => {
    expect(await interruptAt('t = 0 text\n', [beginsToSay('Hel')], ['--marbles'])).toMatchObject({ code: 130, out: 't = 0 text\n(t!)\n' });
    await server?.close();
    const { out } = await interruptAt('"Hel"}}}\n', [beginsToSay('Hel')], ['--json']);
    expect(out.endsWith('}\n')).toBe(true);
    expect(out).not.toContain('"error"');
  });
});
