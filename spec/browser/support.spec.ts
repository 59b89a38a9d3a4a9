import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accessibilityFaults } from './support/accessibility-faults.ts';
import { inBrowser } from './support/in-browser.ts';

const { open } = inBrowser();

/** A page on a port of its own as long as the body runs. */
async function withPage(html: string, body: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    const found = request.url === '/';
    response.writeHead(found || request.url === '/favicon.ico' ? 200 : 404, { 'content-type': 'text/html', 'content-security-policy': "default-src 'self' 'unsafe-inline'" }).end(found ? html : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await body(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const GOOD = '<!doctype html><html lang="en"><title>Good</title><main><h1>Good</h1></main></html>';
const BAD = '<!doctype html><html><title>Bad</title><main><h1>Bad</h1><img src="/none.png"></main><script>console.error("oh"); null.x</script></html>';

describe('a page that the browser specs open', () => {
  it('has no faults where all is well', () =>
    withPage(GOOD, async (url) => {
      const { page, faults } = await open(url);
      expect(await page.title()).toBe('Good');
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(faults).toEqual([]);
    }));

  it('tells of its errors, its failed requests and of what axe-core finds', () =>
    withPage(BAD, async (url) => {
      const { page, faults } = await open(url);
      expect(faults).toContain('console: oh');
      expect(faults).toContainEqual(expect.stringMatching(/^script: .*null/));
      expect(faults).toContain(`refused: 404 ${url}none.png`);
      expect(await accessibilityFaults(page)).toContainEqual(expect.stringMatching(/^image-alt: .*\(img\)$/));
    }));
});
