import type { Page } from 'playwright-core';

export interface LeftOver {
  /** Event listeners of all of the page's documents, those of a spec's own locators included. */
  readonly listeners: number;
  /** Subscriptions of RxJS that are open, whoever holds them. */
  readonly subscriptions: number;
}

/** A subscription is known by a field that no minifier renames. */
const openOnes = `function () {
  return this.filter((one) => Object.hasOwn(one, '_finalizers') && !one.closed).length;
}`;

/** What Chromium holds of a page after it has collected what nobody reaches any more. */
export async function leftOver(page: Page): Promise<LeftOver> {
  const chromium = await page.context().newCDPSession(page);
  await chromium.send('HeapProfiler.collectGarbage');
  const { jsEventListeners } = await chromium.send('Memory.getDOMCounters');
  const { result } = await chromium.send('Runtime.evaluate', { expression: 'Object.prototype' });
  const { objects } = await chromium.send('Runtime.queryObjects', { prototypeObjectId: result.objectId ?? '' });
  const { result: counted } = await chromium.send('Runtime.callFunctionOn', { objectId: objects.objectId ?? '', functionDeclaration: openOnes, returnByValue: true });
  await chromium.detach();
  return { listeners: jsEventListeners, subscriptions: Number(counted.value) };
}
