import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { chromiumPath } from './chromium.ts';

export interface Opened {
  readonly page: Page;
  /** What went wrong so far: errors of the console and of scripts, requests that failed or were refused, requests to other hosts. */
  readonly faults: readonly string[];
}

export interface InBrowser {
  /** Opens an address in a profile of its own; the test's end closes it. */
  open(url: string, options?: BrowserContextOptions): Promise<Opened>;
}

/** One Chromium for the specs of a file: call it once, at the top. */
export function inBrowser(): InBrowser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    const executablePath = chromiumPath();
    if (executablePath === undefined) throw new Error('There is no Chromium: run the browser specs with "npm run test:browser".');
    const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
    browser = await chromium.launch({ executablePath, args });
  });
  afterEach(() => Promise.all((browser?.contexts() ?? []).map((context) => context.close())));
  afterAll(() => browser?.close());
  return {
    async open(url, options = {}) {
      if (browser === undefined) throw new Error('inBrowser(): open a page inside a test.');
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const faults = faultsOf(page, new URL(url).host);
      await page.goto(url);
      return { page, faults };
    },
  };
}

function faultsOf(page: Page, host: string): string[] {
  const faults: string[] = [];
  page.on('console', (said) => {
    if (said.type() === 'error') faults.push(`console: ${said.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, host: asked } = new URL(request.url());
    if (protocol.startsWith('http') && asked !== host) faults.push(`other host: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // What a page lets go of, such as a run that it leaves; Chromium says so of bodies, too, that were read to their end.
    if (why !== 'net::ERR_ABORTED') faults.push(`failed: ${request.method()} ${request.url()} ${why}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`refused: ${response.status()} ${response.url()}`);
  });
  return faults;
}
