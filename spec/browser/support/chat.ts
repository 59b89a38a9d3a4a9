import { afterEach } from '@jest/globals';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { exists, root } from '../../guards/support/project.ts';
import { serveCommand } from './serve-command.ts';
import type { Served } from './serve-command.ts';

export const example = 'docs/examples/angular-chat';
const TOOLS = ['--tools', 'calculator,clock,docs/examples/demo-tools.mjs'];

export interface ChatServers {
  /** Of the page, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Of the runs, by the name of their model. */
  readonly runs: string;
  /** Kills the server of the runs and starts it again at the same port. */
  restart(): Promise<void>;
  /** Cuts every connection of the page; returns what lets it connect again. */
  cut(): Promise<() => Promise<void>>;
}

const ends: (() => Promise<void>)[] = [];

/** The built page, and behind it the built command with a model; the test's end ends both. */
export async function chatServers(model: 'embedded' | 'demo', words: readonly string[] = []): Promise<ChatServers> {
  if (!exists(`${example}/dist/index.html`)) throw new Error(`The page of ${example} is not built: run "npm ci" and "npm run build" there.`);
  const serve = (port: string): Promise<Served> => serveCommand(['--model', model, '--port', port, ...TOOLS, ...words]);
  let served = await serve('0');
  ends.push(() => served.stop());
  const { port } = new URL(served.url);
  let page = await pageServer('0', model, `${served.url}/runs`);
  ends.push(() => page.stop());
  const { url } = page;
  return {
    url: `${url}/${model}`,
    runs: `${served.url}/runs`,
    async restart() {
      await served.stop();
      served = await serve(port);
    },
    async cut() {
      await page.stop();
      return async () => {
        page = await pageServer(new URL(url).port, model, `${served.url}/runs`);
      };
    },
  };
}

async function pageServer(port: string, model: string, runs: string): Promise<Served> {
  const child = spawn(process.execPath, [join(example, 'page-server.mjs'), '--port', port, `--${model}`, runs], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve) => child.stdout.on('data', (chunk: Buffer) => resolve(/at (\S+)\/\n/.exec(chunk.toString())?.[1] ?? '')));
  return { url, stop: () => (child.kill('SIGKILL'), ended) };
}

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

export async function ask(page: Page, prompt: string): Promise<void> {
  await page.getByLabel('Message').fill(prompt);
  await page.keyboard.press('Enter');
}

/** The id of the run that goes on, as the page keeps it. */
export async function runIdOf(page: Page, model = 'demo'): Promise<string> {
  const kept = await page.evaluate<string>(`sessionStorage.getItem('chat.${model}') ?? '{}'`);
  const { running } = JSON.parse(kept) as { readonly running?: { readonly runId: string } };
  if (running === undefined) throw new Error('The page keeps no run.');
  return running.runId;
}

/** How a run ended, as its server tells it. */
export async function endOf(runs: string, runId: string): Promise<string> {
  const response = await fetch(`${runs}/${runId}/events`, { headers: { accept: 'text/event-stream' } });
  const [, reason] = /"outcome":\{"reason":"([a-z-]+)"/.exec(await response.text()) ?? [];
  return reason ?? 'no ending';
}

/** The numbers of an answer of the script `flood`, once there are so many. */
export async function flooded(page: Page, count: number): Promise<number[]> {
  for (;;) {
    const text = await page.locator('.message.assistant').last().innerText();
    const numbers = (text.match(/\d+/g) ?? []).map(Number);
    if (numbers.length >= count) return numbers;
    await page.waitForTimeout(100);
  }
}

export const FLOOD = Array.from({ length: 5_000 }, (_, at) => at + 1);

/** Without what a spec itself broke. */
export function unscripted(faults: readonly string[]): readonly string[] {
  return faults.filter((fault) => !/ERR_(INTERNET_DISCONNECTED|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET|NETWORK_CHANGED|CONNECTION_REFUSED)/.test(fault));
}

