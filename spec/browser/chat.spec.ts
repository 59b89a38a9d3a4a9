import { describe, expect, it } from '@jest/globals';
import { ask, chatServers, endOf, runIdOf } from './support/chat.ts';
import { inBrowser } from './support/in-browser.ts';

const { open } = inBrowser();

describe('the chat in Angular', () => {
  it('shows a whole conversation with two tools, and sends it with the next prompt', async () => {
    const { url } = await chatServers('embedded');
    const { page, faults } = await open(url);
    await ask(page, 'What is 12.5% of 349, and what time is it in Tokyo?');
    await page.getByText(/The tool calculator gives 43.625.*The tool clock gives .*Asia\/Tokyo\./).last().waitFor();
    expect(await page.locator('.card.ok').count()).toBe(2);
    expect(await page.getByRole('group', { name: 'Tool calculator' }).innerText()).toMatch(/349 \* 12\.5 \/ 100[^]*43\.625/);
    expect(await page.locator('.usage').innerText()).toMatch(/read\s*\d+\s*written\s*\d+/);

    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await ask(page, 'What is 2 + 3?');
    const { messages } = (await sent).postDataJSON() as { readonly messages: readonly { readonly role: string }[] };
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    await page.getByText('The tool calculator gives 5 for 2 + 3.').last().waitFor();
    expect(await page.locator('.message.user').allInnerTexts()).toEqual(['What is 12.5% of 349, and what time is it in Tokyo?', 'What is 2 + 3?']);
    expect(faults).toEqual([]);
  });

  it.each([
    ['Approve', 'Done: the limit is raised.', 1],
    ['Deny', /Nothing was changed/, 0],
  ] as const)('lets a tool wait for the user: %s', async (button, said, diffs) => {
    const { url } = await chatServers('demo');
    const { page, faults } = await open(url);
    await ask(page, 'edit');
    await page.getByRole('button', { name: button }).click();
    await page.locator('.message.assistant').getByText(said).waitFor();
    expect(await page.getByRole('button', { name: button }).count()).toBe(0);
    const diff = page.locator('.diff');
    expect(await diff.count()).toBe(diffs);
    if (diffs === 1) expect(await diff.innerText()).toMatch(/settings\.json[^]*removed:\s*"limit": 10[^]*added:\s*"limit": 25/);
    expect(faults).toEqual([]);
  });

  it('stops a run in mid-stream, at its server too, and keeps what was said', async () => {
    const { url, runs } = await chatServers('demo');
    const { page, faults } = await open(url);
    await ask(page, 'long');
    await page.getByText('I take my time over this one.').waitFor();
    const runId = await runIdOf(page);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('log').getByText('Stopped. What was said until then is kept.').waitFor();
    expect(await endOf(runs, runId)).toBe('aborted');
    expect(await page.getByText('I take my time over this one.').count()).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });

  it('lets a prompt supersede the run before it, which its server ends', async () => {
    const { url, runs } = await chatServers('demo');
    const { page, faults } = await open(url);
    await ask(page, 'long');
    await page.getByText('I take my time over this one.').waitFor();
    const first = await runIdOf(page);
    await ask(page, 'calculate');
    await page.getByText(/12.5% of 349: 43.625/).last().waitFor();
    expect(await page.getByText('I take my time over this one.').count()).toBe(0);
    expect(await endOf(runs, first)).toBe('aborted');
    expect(faults).toEqual([]);
  });

  it('lets the user steer a run that goes on', async () => {
    const { url } = await chatServers('demo');
    const { page, faults } = await open(url);
    await ask(page, 'plan');
    await page.getByText('Plan, 0 of 3').waitFor();
    await page.getByLabel('Message').fill('In French, please.');
    await page.getByRole('button', { name: 'Steer' }).click();
    await page.getByText('You said meanwhile: “In French, please.”').last().waitFor();
    expect(faults).toEqual([]);
  });
});

describe('what goes wrong in a run, in the chat', () => {
  it.each([
    ['retry', '.banner.retry', /Trying again \(\d of \d+\)/, /the third one was not/i],
    ['retract', '.withdrawn', /Withdrawn\.[^]*red, green and yel/, /red, green and blue/],
    ['correct', '.banner.correction', /Correction 1 of \d+/, /Canberra/],
    ['error', '.banner.error', /The run failed[^]*no credit left/, undefined],
  ])('is shown: %s', async (prompt, selector, shown, answer) => {
    const { url } = await chatServers('demo');
    const { page, faults } = await open(url);
    await ask(page, prompt);
    await page.locator(selector).waitFor();
    expect(await page.locator(selector).innerText()).toMatch(shown);
    if (answer !== undefined) await page.locator('.message.assistant').getByText(answer).waitFor();
    expect(faults).toEqual([]);
  });

  it('is struck through where it was withdrawn', async () => {
    const { url } = await chatServers('demo');
    const { page } = await open(url);
    await ask(page, 'retract');
    await page.getByText(/red, green and blue/).last().waitFor();
    expect(await page.locator('.withdrawn s').innerText()).toContain('red, green and yel');
  });

  it('stays inside the run that a tool started, and folds away', async () => {
    const { url } = await chatServers('demo');
    const { page, faults } = await open(url);
    await ask(page, 'research');
    await page.getByText(/My researcher says/).last().waitFor();
    const inside = page.locator('.nested');
    expect(await inside.locator('.card').innerText()).toMatch(/search_notes/);
    await inside.locator('summary').first().click();
    expect(await inside.locator('.card').isVisible()).toBe(false);
    expect(faults).toEqual([]);
  });
});
