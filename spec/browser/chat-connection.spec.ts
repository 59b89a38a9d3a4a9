import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, chatServers, endOf, FLOOD, flooded, runIdOf, unscripted } from './support/chat.ts';
import { inBrowser } from './support/in-browser.ts';

const { open } = inBrowser();

describe('the chat, when its connection or its server comes and goes', () => {
  it('finds its run again after a reload', async () => {
    const { url, runs } = await chatServers('demo');
    const { page, faults } = await open(url);
    await ask(page, 'flood');
    await flooded(page, 300);
    const runId = await runIdOf(page);
    await page.reload();
    await page.getByText('This run went on while the page was away.').waitFor();
    expect(await runIdOf(page)).toBe(runId);
    expect(await flooded(page, 5_000)).toEqual(FLOOD);
    expect(await page.locator('.message.user').allInnerTexts()).toEqual(['flood']);
    expect(await endOf(runs, runId)).toBe('answer');
    expect(faults).toEqual([]);
  });

  it('keeps a finished conversation over a reload', async () => {
    const { url } = await chatServers('demo');
    const { page, faults } = await open(url);
    await ask(page, 'calculate');
    await page.getByText(/12.5% of 349: 43.625/).last().waitFor();
    await page.reload();
    await page.getByText(/12.5% of 349: 43.625/).last().waitFor();
    expect(await page.locator('.card.ok').count()).toBe(2);
    expect(faults).toEqual([]);
  });

  it('goes on after a spell without a network, without a gap or a repeat', async () => {
    const { url, cut } = await chatServers('demo');
    const { page, faults } = await open(url);
    await ask(page, 'flood');
    await flooded(page, 300);
    const mend = await cut();
    await page.getByText('Connection lost.', { exact: true }).waitFor();
    await mend();
    await page.getByText('Connection lost.', { exact: true }).waitFor({ state: 'detached' });
    expect(await flooded(page, 5_000)).toEqual(FLOOD);
    expect(unscripted(faults)).toEqual([]);
  });

  it('goes on after its server was killed and started again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chat-log-'));
    try {
      const { url, restart } = await chatServers('demo', ['--log', folder]);
      const { page, faults } = await open(url);
      await ask(page, 'flood');
      await flooded(page, 300);
      await restart();
      await page.locator('.withdrawn').getByText(/restarted/).waitFor();
      expect(await flooded(page, 5_000)).toEqual(FLOOD);
      expect(unscripted(faults)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  });
});
