import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { stop } from 'esbuild';
import type { LoopStore } from '../../lib/view/store.ts';
import { openPage, openTalk, playChat } from '../support/page.ts';
import type { Page, Talk } from '../support/page.ts';
import { blockOf, pageModule } from '../support/page-module.ts';

interface SveltePage {
  open(target: HTMLElement, store: LoopStore): object;
  close(component: object): Promise<void>;
  flush(): void;
}

let [page, talk, svelte, component] = [] as unknown as [Page, Talk, SveltePage, object];
const act = async (step: () => void): Promise<void> => {
  step();
  svelte.flush();
};

/** The component of the page, compiled as it stands, with the Svelte that draws it. */
async function sveltePage(): Promise<SveltePage> {
  const { compile } = require('svelte/compiler') as { readonly compile: (text: string, options: object) => { js: { code: string }; warnings: readonly unknown[] } };
  const { js, warnings } = compile(blockOf('docs/svelte.md', 'svelte', '$store'), { generate: 'client', dev: true, filename: 'Chat.svelte' });
  expect(warnings).toEqual([]);
  const program = `
    import { mount, unmount, flushSync } from 'svelte';
    import Chat from 'page:chat';
    export const open = (target, store) => mount(Chat, { target, props: { store } });
    export const close = unmount;
    export const flush = flushSync;
  `;
  return pageModule<SveltePage>(program, 'js', [], require, new Map([['page:chat', js.code]]));
}

beforeAll(async () => {
  svelte = await sveltePage();
});
beforeEach(() => {
  page = openPage();
  talk = openTalk();
  component = svelte.open(page.root, talk.store);
});
afterEach(async () => {
  talk.store.dispose();
  expect(page.complaints).toEqual([]);
  await page.close();
});
afterAll(() => stop());

describe('the page on Svelte', () => {
  it('has a chat that streams, shows its tools and asks', async () => {
    await playChat(page, talk, act);
    await svelte.close(component);
    expect([talk.readers(), page.texts('main')]).toEqual([0, []]);
  });

  it('changes once for a frame, however many deltas come', async () => {
    await act(() => (talk.store.run('hi'), page.frame()));
    await act(() => (talk.say('a'), page.frame()));
    const [text] = page.root.querySelectorAll('article.assistant p');
    const changes: unknown[] = [];
    new page.Observer((all) => changes.push(...all)).observe(page.root, { subtree: true, characterData: true, childList: true });
    await act(() => talk.say(...'b'.repeat(200)));
    await Promise.resolve();
    expect(changes).toHaveLength(0);
    await act(() => page.frame());
    await Promise.resolve();
    expect(changes).toHaveLength(1);
    expect(text?.textContent).toBe(`a${'b'.repeat(200)}`);
    expect(page.root.querySelector('article.assistant p')).toBe(text);
    await svelte.close(component);
  });

  it('leaves the store when it goes, and the run goes on', async () => {
    await act(() => (talk.store.run('hi'), page.frame()));
    expect(talk.readers()).toBeGreaterThan(0);
    await svelte.close(component);
    expect(talk.readers()).toBe(0);
    await act(() => (talk.say('unseen'), page.frame()));
    expect(talk.store.getSnapshot().messages).toHaveLength(2);
  });
});
