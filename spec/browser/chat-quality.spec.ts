import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accessibilityFaults } from './support/accessibility-faults.ts';
import { ask, chatServers, FLOOD, flooded } from './support/chat.ts';
import { inBrowser } from './support/in-browser.ts';
import { leftOver } from './support/left-over.ts';

const { open } = inBrowser();

/** Counts, from before the page's own scripts on, what it has not taken back: timers, frames, requests. */
const ledger = `(() => {
  const open = { timers: new Set(), frames: new Set(), requests: new Set() };
  const { setTimeout: later, clearTimeout: notLater, setInterval: often, clearInterval: notOften, requestAnimationFrame: frame, cancelAnimationFrame: noFrame, fetch: ask } = window;
  window.setTimeout = (work, ms, ...words) => { const id = later(() => { open.timers.delete(id); work(...words); }, ms); open.timers.add(id); return id; };
  window.clearTimeout = (id) => { open.timers.delete(id); notLater(id); };
  window.setInterval = (...words) => { const id = often(...words); open.timers.add(id); return id; };
  window.clearInterval = (id) => { open.timers.delete(id); notOften(id); };
  window.requestAnimationFrame = (work) => { const id = frame((at) => { open.frames.delete(id); work(at); }); open.frames.add(id); return id; };
  window.cancelAnimationFrame = (id) => { open.frames.delete(id); noFrame(id); };
  window.fetch = (input, init) => { const one = {}; open.requests.add(one); init?.signal?.addEventListener('abort', () => open.requests.delete(one)); return ask(input, init); };
  window.ledger = () => ({ timers: open.timers.size, frames: open.frames.size, requests: open.requests.size });
  const seen = { frames: 0, renders: 0 };
  const tick = () => { seen.frames += 1; frame(tick); };
  frame(tick);
  window.count = () => new MutationObserver(() => { seen.renders += 1; }).observe(document.querySelector('.log'), { childList: true, subtree: true, characterData: true });
  window.seen = () => ({ ...seen });
})()`;

async function opened(url: string): Promise<Page> {
  const { page } = await open('about:blank');
  await page.addInitScript(ledger);
  await page.goto(url);
  return page;
}

describe('the chat, at 1,000 pieces a second', () => {
  it('renders at most once a frame', async () => {
    const { url } = await chatServers('demo');
    const page = await opened(url);
    await page.evaluate('count()');
    const before = await page.evaluate<{ frames: number; renders: number }>('seen()');
    await ask(page, 'flood');
    expect(await flooded(page, 5_000)).toEqual(FLOOD);
    const after = await page.evaluate<{ frames: number; renders: number }>('seen()');
    const [frames, renders] = [after.frames - before.frames, after.renders - before.renders];
    expect(renders).toBeGreaterThan(10);
    // The frames are counted from outside, so that the first and the last may be missed.
    expect(renders).toBeLessThanOrEqual(frames + 2);
  });

  it('leaves no timer, frame, request, listener or subscription behind when the page is left', async () => {
    const { url } = await chatServers('demo');
    const leave = `dispatchEvent(new PageTransitionEvent('pagehide', { persisted: false }))`;
    const page = await opened(url);
    // What the framework and a locator of a spec have without any run.
    await page.getByLabel('Message').fill('flood');
    await page.evaluate(leave);
    const without = await leftOver(page);

    await page.goto(url);
    await ask(page, 'flood');
    await flooded(page, 300);
    expect(await page.evaluate('ledger()')).toMatchObject({ requests: 1 });
    expect((await leftOver(page)).subscriptions).toBeGreaterThan(without.subscriptions + 20);
    await page.evaluate(leave);
    expect(await page.locator('app-root').count()).toBe(0);
    expect(await page.evaluate('ledger()')).toEqual({ timers: 0, frames: 0, requests: 0 });
    expect(await leftOver(page)).toEqual(without);
  });
});

describe.each(['light', 'dark'] as const)('the chat in %s', (colorScheme) => {
  it('has nothing that axe-core finds, in any state', async () => {
    const { url } = await chatServers('demo');
    const { page, faults } = await open(url, { colorScheme, viewport: { width: 390, height: 760 } });
    const found: string[] = [];
    const look = async (state: string, seen?: string): Promise<void> => {
      if (seen !== undefined) await page.locator(seen).first().waitFor();
      found.push(...(await accessibilityFaults(page)).map((fault) => `${state}: ${fault}`));
    };
    await look('empty', '.hello');
    for (const [prompt, seen] of [
      ['markdown', '.markdown table'], ['retract', '.withdrawn'], ['correct', '.banner.correction'], ['mistake', '.card.error'], ['retry', '.banner.retry'],
      ['search', '.card.running'], ['plan', '.plan'], ['research', '.nested .card'], ['edit', '.banner.request'], ['error', '.banner.error'], ['long', '.going'],
    ] as const) {
      await ask(page, prompt);
      await look(prompt, seen);
    }
    expect(found).toEqual([]);
    expect(faults).toEqual([]);
  }, 180_000);
});
