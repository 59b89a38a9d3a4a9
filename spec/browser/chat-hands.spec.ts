import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { LoopEvent } from '../../lib/index.ts';
import { ask, chatServers, runIdOf, unscripted } from './support/chat.ts';
import { inBrowser } from './support/in-browser.ts';

const { open } = inBrowser();

const focused = (page: Page): Promise<string> => page.evaluate<string>(`document.activeElement.getAttribute('aria-label') ?? document.activeElement.id`);

/** Answers the next prompt in place of the server. */
async function say(page: Page, text: string): Promise<void> {
  const delta = { type: 'text', block: 'b', text } as const;
  const outcome = { reason: 'answer', completion: { text, toolCalls: [] }, messages: [], steps: [], usage: {} } as const;
  await page.route('**/runs/demo', (route) => {
    const { runId } = route.request().postDataJSON() as { readonly runId: string };
    const events: LoopEvent[] = [
      { type: 'run-start', runId },
      { type: 'step-start', runId, step: 0, attempt: 1, model: 'm' },
      { type: 'delta', runId, step: 0, delta },
      { type: 'step-end', runId, step: 0, attempt: 1, usage: {}, finish: 'stop', toolCalls: 0 },
      { type: 'done', runId, outcome },
    ];
    return route.fulfill({ contentType: 'text/event-stream', body: events.map((event, at) => `id: ${at + 1}\ndata: ${JSON.stringify(event)}\n\n`).join('') });
  });
}

describe('the chat without a mouse', () => {
  it.each(['Approve', 'Deny'])('keeps the focus near when the button that was pressed goes away: %s', async (name) => {
    const { url } = await chatServers('demo');
    const { page } = await open(url);
    await page.getByRole('button', { name: 'edit' }).press('Enter');
    const button = page.getByRole('button', { name });
    await button.waitFor();
    expect(await focused(page)).toBe('Conversation');
    await button.press('Enter');
    await button.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Conversation');
  });

  it('gives the focus back to the message when a run is stopped', async () => {
    const { url } = await chatServers('demo');
    const { page } = await open(url);
    await ask(page, 'long');
    await page.getByText('I take my time over this one.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).press('Enter');
    await page.getByRole('status').getByText('Stopped.').waitFor({ state: 'attached' });
    expect(await focused(page)).toBe('prompt');
  });
});

describe('a run of the chat that is left', () => {
  it('leaves no trace in a reload, stopped twice or before it was heard of', async () => {
    const { url } = await chatServers('demo');
    const { page } = await open(url);
    await ask(page, 'plan');
    await page.getByText('Plan, 0 of 3').waitFor();
    await page.getByRole('button', { name: 'Stop' }).dblclick();
    await page.locator('.hello').waitFor();
    await page.reload();
    await page.locator('.hello').waitFor();
    expect(await page.locator('.message, .banner').count()).toBe(0);

    await page.route('**/runs/demo', () => undefined);
    await ask(page, 'long');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.hello').waitFor();
    await expect(runIdOf(page)).rejects.toThrow('keeps no run');
  });

  it('is stopped, too, where it is found again and its server cannot be reached', async () => {
    const { url } = await chatServers('demo');
    const { page } = await open(url);
    await ask(page, 'long');
    await page.getByText('I take my time over this one.').waitFor();
    await page.route('**/runs/demo/**', (route) => route.abort());
    await page.reload();
    await page.getByText('Connection lost.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await page.locator('.message.user').innerText()).toBe('long');
  });
});

describe('what the chat is given', () => {
  it('tells of an answer that did not reach the run, and takes it again', async () => {
    const { url } = await chatServers('demo');
    const { page, faults } = await open(url);
    await ask(page, 'edit');
    const approve = page.getByRole('button', { name: 'Approve' });
    await approve.waitFor();
    await page.context().setOffline(true);
    await approve.click();
    await page.getByRole('alert').getByText('The run did not hear that.').waitFor();
    await page.context().setOffline(false);
    await approve.click();
    await page.getByText('Done: the limit is raised.').last().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(unscripted(faults)).toEqual([]);
  });

  it('has room on 320 pixels for words without an end', async () => {
    const { url } = await chatServers('demo');
    const { page } = await open(url, { viewport: { width: 320, height: 568 } });
    await say(page, `${'w'.repeat(500)}\n\n# ${'h'.repeat(300)}\n\n\`${'c'.repeat(300)}\``);
    const widths = (): Promise<number[]> => page.evaluate<number[]>(`['html', '.scroll', '.dock'].map((one) => document.querySelector(one).scrollWidth)`);
    expect(await widths()).toEqual([320, 320, 320]);
    await ask(page, 'x'.repeat(500));
    await page.locator('.message.assistant h1').waitFor();
    expect(await widths()).toEqual([320, 320, 320]);
  });

  it('runs nothing of what a model says, and shows lists of things to do', async () => {
    const { url } = await chatServers('demo');
    const { page, faults } = await open(url);
    await say(page, '<img src=x onerror="ran=1"><script>ran=2</script><a href="javascript:ran=3">a</a> ![i](http://elsewhere.example/i.png) <iframe src="http://elsewhere.example"></iframe><dialog open>b</dialog>\n\n- [x] done\n- [ ] open\n');
    await ask(page, 'hi');
    const answer = page.locator('.message.assistant');
    await answer.getByText('☑ done').waitFor();
    expect(await answer.innerText()).toContain('☐ open');
    expect(await answer.locator('img, script, iframe, dialog, [href]').count()).toBe(0);
    expect(await page.evaluate(`typeof ran`)).toBe('undefined');
    expect(faults.filter((fault) => fault.startsWith('other host'))).toEqual([]);
  });
});
