import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, lastValueFrom, Subject, toArray } from 'rxjs';
import { runCommand } from '../../lib/serve/run-command.ts';
import { remoteLoop } from '../../lib/view/remote.ts';
import { fakeHost, run } from './fake-host.ts';
import type { HostChanges } from './fake-host.ts';

/** The command until it is interrupted; meanwhile `use` has its address. */
async function served(words: readonly string[], use: (url: string) => Promise<void>, changes: HostChanges = {}) {
  const interrupt$ = new Subject<void>();
  const { host, written, output$ } = fakeHost({ ...changes, interrupt$ });
  const address = firstValueFrom(output$);
  const code = firstValueFrom(runCommand(['serve', ...words], host));
  const [, url = ''] = /^rx-tool-loop serves (\S+)\n$/.exec(await address) ?? [];
  try {
    await use(url);
  } finally {
    interrupt$.next();
  }
  return { code: await code, err: written.err };
}

describe('rx-tool-loop serve', () => {
  it('starts runs for whoever asks, and ends with 0', async () => {
    const { code, err } = await served([], async (url) => {
      const events = await lastValueFrom(remoteLoop({ url, body: { prompt: 'What is 2 + 3?' } }).pipe(toArray()));
      expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({ result: { name: 'calculator', output: '5' } });
      expect(events.at(-1)?.type).toBe('done');
    });
    expect({ code, err }).toEqual({ code: 0, err: 'rx-tool-loop: ending; once more ends at once\n' });
  });

  it('speaks the protocols of other screens, and gives a late watcher the state of a run', async () => {
    await served([], async (url) => {
      await lastValueFrom(remoteLoop({ url, body: { prompt: 'What is 2 + 3?', runId: 'r1' } }));
      const read = async (query: string): Promise<string> => (await fetch(`${url}/r1/events?${query}`)).text();
      expect(await read('format=ag-ui')).toContain('"type":"RUN_FINISHED"');
      expect(await read('format=ai-sdk-ui')).toContain('data: [DONE]');
      expect(await read('snapshot=1')).toMatch(/^event: snapshot\n[^]*"runId":"r1","status":"done"/);
    });
  });

  it('has its page at /, and lists its runs', async () => {
    await served([], async (url) => {
      await lastValueFrom(remoteLoop({ url, body: { prompt: 'What is 2 + 3?', runId: 'r1' } }));
      const page = await fetch(new URL('/', url));
      expect([page.headers.get('content-type'), await page.text()]).toEqual(['text/html; charset=utf-8', expect.stringContaining('<title>Page</title>')]);
      expect(await (await fetch(url)).json()).toMatchObject({ runs: [{ runId: 'r1', prompt: 'What is 2 + 3?', status: 'done' }] });
    });
  });

  it('tells a person where its page is', async () => {
    const interrupt$ = new Subject<void>();
    const { host, output$ } = fakeHost({ terminal: true, interrupt$ });
    const said = firstValueFrom(output$);
    const code = firstValueFrom(runCommand(['serve'], host));
    expect(await said).toMatch(/^rx-tool-loop serves (http:\S+)\/runs\n\1\/ draws them\n$/);
    interrupt$.next();
    expect(await code).toBe(0);
  });

  it('keeps runs in a folder', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'serve-'));
    const log = join(dir, 'runs');
    await served(['--log', log], async (url) => void (await lastValueFrom(remoteLoop({ url, body: { prompt: 'hi', runId: 'r1' } }))));
    await served(['--log', log], async (url) => expect(await lastValueFrom(remoteLoop({ url, runId: 'r1' }))).toMatchObject({ type: 'done' }));
    expect(readdirSync(log)).toEqual(['r1.jsonl']);
    rmSync(dir, { recursive: true });
  });

  it('asks for the token', async () => {
    await served(['--host', '0.0.0.0'], async (url) => {
      const address = url.replace('0.0.0.0', '127.0.0.1');
      expect((await fetch(`${address}/r1`)).status).toBe(401);
      expect((await fetch(`${address}/r1`, { headers: { authorization: 'Bearer t' } })).status).toBe(404);
    }, { env: { RX_TOOL_LOOP_TOKEN: 't' } });
  });

  it.each<[readonly string[], RegExp]>([
    [['--host', '0.0.0.0'], /other machines can reach 0\.0\.0\.0.*\n$/],
    [['--cors', 'evil'], /cors has "evil"/],
    [['--model', 'openai:x'], /The key is missing/],
    [['--tools', 'nothing.mjs'], /nothing\.mjs/],
  ])('ends with 2 for %j', async (words, line) => {
    expect(await run(['serve', ...words])).toMatchObject({ code: 2, out: '', err: expect.stringMatching(line) });
  });

  it('ends with 1 where the port is taken', async () => {
    await served([], async (url) => {
      const { port } = new URL(url);
      expect(await run(['serve', '--port', port])).toEqual({ code: 1, out: '', err: `rx-tool-loop: The port ${port} is taken: choose another --port, or 0 for any that is free.\n` });
    });
  });
});
