import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../guards/support/project.ts';
import { ask, example } from './support/chat.ts';
import { inBrowser } from './support/in-browser.ts';

const { open } = inBrowser();

const isThere = (url: string): Promise<boolean> => fetch(url).then(() => true, () => false);

describe('npm run chat', () => {
  it('builds the page, serves both conversations at one address, and ends all of it with Ctrl-C', async () => {
    const child = spawn(process.execPath, [join(example, 'start.mjs')], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    let said = '';
    try {
      const url = await new Promise<string>((resolve, reject) => {
        child.once('exit', () => reject(new Error(`It has ended. It said: ${said}`)));
        child.stdout.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          const [, address] = /The chat is at (\S+) \(Ctrl-C ends it\)/.exec(said) ?? [];
          if (address !== undefined) resolve(address);
        });
      });
      const { page, faults } = await open(url);
      await ask(page, 'What is 2 + 3?');
      await page.getByText('The tool calculator gives 5 for 2 + 3.').last().waitFor();
      await page.getByRole('link', { name: 'Scripted demo' }).click();
      await ask(page, 'calculate');
      await page.getByText(/12.5% of 349: 43.625/).last().waitFor();
      expect(faults).toEqual([]);

      expect(await isThere(url)).toBe(true);
      child.kill('SIGINT');
      expect(await ended).toBe(0);
      expect(await isThere(url)).toBe(false);
    } finally {
      child.kill('SIGTERM');
    }
  }, 240_000);
});
