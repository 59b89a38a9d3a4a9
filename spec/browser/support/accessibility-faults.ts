import type { AxeResults } from 'axe-core';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** What axe-core finds wrong with the page as it stands, one line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // By the debugger's own door: a page with a strict Content-Security-Policy takes no script from elsewhere.
  await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`));
}
