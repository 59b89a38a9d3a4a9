import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { stop } from 'esbuild';
import type * as VuePackage from 'vue';
import { openPage, openTalk, playChat } from '../support/page.ts';
import type { Page, Talk } from '../support/page.ts';
import { blockOf, pageModule } from '../support/page-module.ts';

let [page, talk, Vue, app] = [] as unknown as [Page, Talk, typeof VuePackage, VuePackage.App];
const act = async (step: () => void): Promise<void> => {
  step();
  await Vue.nextTick();
};

/** The component of the page, compiled as it stands. */
async function chat(): Promise<VuePackage.Component> {
  const { parse, compileScript } = require('vue/compiler-sfc') as typeof import('vue/compiler-sfc');
  const { descriptor, errors } = parse(blockOf('docs/vue.md', 'vue', 'shallowRef'), { filename: 'Chat.vue' });
  expect(errors).toEqual([]);
  const { content } = compileScript(descriptor, { id: 'chat', inlineTemplate: true });
  return (await pageModule<{ default: VuePackage.Component }>(content, 'ts', ['vue'], require)).default;
}

let draws = 0;
beforeEach(async () => {
  page = openPage();
  talk = openTalk();
  Vue = require('vue') as typeof VuePackage;
  draws = 0;
  app = Vue.createApp(await chat(), { store: talk.store });
  app.mixin({ updated: () => draws++ });
  app.mount(page.root);
});
afterEach(async () => {
  talk.store.dispose();
  expect(page.complaints).toEqual([]);
  await page.close();
});
afterAll(() => stop());

describe('the page on Vue', () => {
  it('has a chat that streams, shows its tools and asks', async () => {
    await playChat(page, talk, act);
    app.unmount();
    expect([talk.readers(), page.texts('main')]).toEqual([0, []]);
  });

  it('is drawn once for a frame, however many deltas come', async () => {
    await act(() => (talk.store.run('hi'), page.frame()));
    const before = draws;
    for (let frame = 1; frame <= 3; frame++) {
      await act(() => talk.say(...'a'.repeat(200)));
      expect(draws).toBe(before + frame - 1);
      await act(() => page.frame());
      expect(draws).toBe(before + frame);
    }
    await act(() => page.frame());
    expect(draws).toBe(before + 3);
    expect(page.texts('article.assistant')).toEqual(['a'.repeat(600)]);
    app.unmount();
  });

  it('leaves the store when it goes, and the run goes on', async () => {
    await act(() => (talk.store.run('hi'), page.frame()));
    expect(talk.readers()).toBe(1);
    app.unmount();
    const before = draws;
    await act(() => (talk.say('unseen'), page.frame()));
    expect([talk.readers(), draws]).toEqual([0, before]);
    expect(talk.store.getSnapshot().messages).toHaveLength(2);
  });
});
