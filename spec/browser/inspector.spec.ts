import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { readTape, toMarbleSvg } from '../../marbles/index.ts';
import { accessibilityFaults } from './support/accessibility-faults.ts';
import { inBrowser } from './support/in-browser.ts';
import { longTape } from './support/long-tape.ts';
import { serveCommand } from './support/serve-command.ts';
import type { Served } from './support/serve-command.ts';
import { read } from '../guards/support/project.ts';

const { open } = inBrowser();
const PROMPT = 'What is 12.5% of 349, and what time is it in Tokyo?';

let served: Served;
beforeAll(async () => {
  served = await serveCommand();
});
afterAll(() => served.stop());

/** A number that the diagram has drawn by. */
async function counted(page: Page, name: 'drawn' | 'shown' | 'lanes'): Promise<number> {
  return Number(await page.locator('#canvas').getAttribute(`data-${name}`));
}

async function until(page: Page, words: RegExp): Promise<void> {
  const state = page.locator('#state');
  await page.locator('#state', { hasText: words }).waitFor().catch(async () => {
    throw new Error(`The page never said ${String(words)}. It says "${await state.innerText()}", and has drawn ${await counted(page, 'shown')} events.`);
  });
}

async function load(page: Page, text: string): Promise<void> {
  await page.setInputFiles('#file', { name: 'run.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(text) });
}

const events = (text: string): number => text.trim().split('\n').length - 1;
const nested = read('docs/diagrams/nested.jsonl');
const two = read('docs/diagrams/two-tools.jsonl');

describe('the inspector', () => {
  it('opens without a fault, and says what can be done', async () => {
    const { page, faults } = await open(served.url);
    expect(await page.title()).toMatch(/^Inspector/);
    expect(await page.locator('#empty').innerText()).toContain('Choose a run');
    expect(faults).toEqual([]);
  });

  it('draws a run that it starts while the run goes on, and lists it', async () => {
    const { page, faults } = await open(served.url);
    await page.fill('#prompt', PROMPT);
    await page.click('#start button');
    await until(page, /live/);
    const early = await counted(page, 'shown');
    await until(page, /ended: answer/);
    const all = await counted(page, 'shown');
    expect(early).toBeLessThan(all);
    expect(await counted(page, 'lanes')).toBe(3);
    await page.locator('#runs button[aria-current]', { hasText: `done, ${all} events` }).waitFor();
    expect(faults).toEqual([]);
  });

  it('draws a run that another has started, by the list and by its address', async () => {
    const { runId } = (await (await fetch(`${served.url}/runs`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ prompt: '2 + 3' }) })).json()) as { runId: string };
    const { page, faults } = await open(served.url);
    await page.click(`[data-run="${runId}"]`);
    await until(page, /ended: answer/);
    expect(page.url()).toBe(`${served.url}/#${runId}`);
    const { page: other } = await open(`${served.url}/#${runId}`);
    await until(other, /ended: answer/);
    expect(await counted(other, 'shown')).toBe(await counted(page, 'shown'));
    expect(faults).toEqual([]);
  });

  it('takes an address that is none for one without a run', async () => {
    const { page, faults } = await open(`${served.url}/#%`);
    await page.fill('#prompt', '2 + 3');
    await page.click('#start button');
    await until(page, /ended: answer/);
    expect(faults).toEqual([]);
  });

  it('clears the diagram at once for a run that is asked for, and opens the one before it again', async () => {
    const { page } = await open(served.url);
    await page.fill('#prompt', '2 + 3');
    await page.click('#start button');
    await until(page, /ended: answer/);
    const listed = `[data-run="${new URL(page.url()).hash.slice(1)}"]`;
    await page.locator(listed).waitFor();
    const all = await counted(page, 'shown');
    await page.route('**/runs', (route) => (route.request().method() === 'POST' ? route.fulfill({ status: 400, body: '{"detail":"Not today."}' }) : route.fulfill({ status: 503 })));
    await page.click('#start button');
    await until(page, /^Not today\.$/);
    expect(await counted(page, 'shown')).toBe(0);
    await page.click(listed);
    await until(page, /ended: answer/);
    expect(await counted(page, 'shown')).toBe(all);
  });

  it('holds what is shown while the run goes on, shows one event more, and catches up', async () => {
    const { page, faults } = await open(served.url);
    await page.fill('#prompt', PROMPT);
    await page.click('#start button');
    await until(page, /live/);
    await page.click('#hold');
    await until(page, /paused/);
    const held = await counted(page, 'shown');
    // Not by the list of runs: it has another one with as many events.
    await until(page, new RegExp(`^${held} of 51 events, paused`));
    expect(await counted(page, 'shown')).toBe(held);
    await page.click('#step');
    await until(page, new RegExp(`^${held + 1} of 51 events, paused`));
    expect(await counted(page, 'shown')).toBe(held + 1);
    await page.click('#hold');
    await until(page, /ended: answer/);
    expect(await counted(page, 'shown')).toBe(51);
    await page.click('#rewind');
    await until(page, /0 of 51 events, paused/);
    expect(faults).toEqual([]);
  });

  it('shows the event under the pointer in words and as JSON, and keeps the one that is pressed', async () => {
    const { page, faults } = await open(served.url);
    await load(page, two);
    await until(page, /ended: answer/);
    await page.focus('#stage');
    await page.keyboard.press('Home');
    const { x = 0, y = 0 } = (await page.locator('#stage').boundingBox()) ?? {};
    await page.keyboard.press('0');
    // The first event stands where the lanes begin.
    await page.mouse.move(x + 180, y + 36);
    await page.locator('#hint', { hasText: 'run-start at 0 ms' }).waitFor();
    expect(JSON.parse(await page.locator('#json').innerText())).toEqual({ type: 'run-start', runId: 'run1' });
    expect(await page.locator('#about').innerText()).toBe(`run-start. Event 1 of ${events(two)}, at 0 ms, lane model.`);
    expect(faults).toEqual([]);
  });

  it('walks along lanes by keys, and zooms, moves and fits', async () => {
    const { page, faults } = await open(served.url);
    await load(page, nested);
    await until(page, /ended: answer/);
    await page.focus('#stage');
    const about = (): Promise<string> => page.locator('#about').innerText();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    expect(await about()).toMatch(/^0 step-start\. Event 2 /);
    await page.keyboard.press('ArrowDown');
    expect(await about()).toMatch(/lane research\.$/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('End');
    expect(await about()).toMatch(/^done answer\./);
    for (let times = 0; times < 6; times++) await page.keyboard.press('+');
    const near = await counted(page, 'drawn');
    await page.keyboard.press('0');
    await page.waitForFunction((before) => Number(document.querySelector('canvas')?.dataset['drawn']) > before, near);
    await page.keyboard.press(' ');
    await until(page, /paused/);
    await page.click('#rewind');
    await page.focus('#stage');
    await page.keyboard.press('.');
    await until(page, /^1 of /);
    expect(await about()).toMatch(/^run-start\. Event 1 /);
    expect(faults).toEqual([]);
  });

  it('loads a tape that is chosen or dropped, and says in one line what is wrong with one', async () => {
    const { page, faults } = await open(served.url);
    await load(page, two);
    await until(page, new RegExp(`^${events(two)} events, ended: answer$`));
    await page.evaluate((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], 'run.jsonl'));
      document.querySelector('#stage')?.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, nested);
    await until(page, new RegExp(`^${events(nested)} events, ended: answer$`));
    await load(page, 'no tape');
    await until(page, /^This is no tape: line 1 is no JSON\.$/);
    await load(page, two.replace('"step":0,"attempt"', '"attempt"'));
    await until(page, /^This is no tape: line 3 has an event "step-start" without step\.$/);
    expect(faults).toEqual([]);
  });

  it('exports what toMarbleSvg draws, and saves the tape that it shows', async () => {
    const { page, faults } = await open(served.url);
    await load(page, nested);
    await until(page, /ended: answer/);
    const saved = async (button: string): Promise<string> => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
      return readFileSync(await download.path(), 'utf8');
    };
    expect(await saved('#svg')).toBe(toMarbleSvg(readTape(nested)));
    expect(await saved('#save')).toBe(nested);
    expect(faults).toEqual([]);
  });

  it('draws no more of 50,000 events than there is room for', async () => {
    const { page, faults } = await open(served.url);
    const tape = longTape(50_000);
    await load(page, tape);
    await until(page, /50000 events/);
    expect(events(tape)).toBe(50_000);
    const room = 4_000;
    const drawn = [await counted(page, 'drawn')];
    const { x = 0, y = 0 } = (await page.locator('#stage').boundingBox()) ?? {};
    await page.mouse.move(x + 400, y + 100);
    for (let times = 0; times < 12; times++) {
      await page.mouse.wheel(0, -400);
      await page.mouse.wheel(120, 0);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      drawn.push(await counted(page, 'drawn'));
    }
    expect(Math.min(...drawn)).toBeGreaterThan(5);
    expect(Math.max(...drawn)).toBeLessThan(room);
    expect(faults).toEqual([]);
  });

  it('asks for the token of a guarded server, and keeps it nowhere', async () => {
    const guarded = await serveCommand([], { RX_TOOL_LOOP_TOKEN: 'a-long-secret' });
    try {
      const { page, faults } = await open(guarded.url);
      await page.locator('#runs-note', { hasText: 'This server wants a token.' }).waitFor();
      await page.fill('#token', 'a-long-secret');
      await page.click('#token-form button');
      await page.locator('#runs-note', { hasText: 'There is no run yet.' }).waitFor();
      await page.fill('#prompt', '2 + 3');
      await page.click('#start button');
      await until(page, /ended: answer/);
      const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
      expect(kept).not.toContain('a-long-secret');
      expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
    } finally {
      await guarded.stop();
    }
  });

  it.each(['light', 'dark'] as const)('has nothing that axe-core finds wrong in a %s theme, also on a phone', async (colorScheme) => {
    const { page, faults } = await open(served.url, { colorScheme });
    expect(await accessibilityFaults(page)).toEqual([]);
    await load(page, nested);
    await until(page, /ended: answer/);
    await page.click('#last');
    await page.click('#access summary');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(faults).toEqual([]);
  });
});
