import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
// Parts of Angular are published for a linker; without one its compiler takes that part.
import '@angular/compiler';
import { IMAGE_CONFIG } from '@angular/common';
import { destroyPlatform, provideZonelessChangeDetection, runInInjectionContext } from '@angular/core';
import type { ApplicationRef, Resource, Type, WritableSignal } from '@angular/core';
import { createApplication } from '@angular/platform-browser';
import { stop } from 'esbuild';
import { animationFrameScheduler, lastValueFrom, reduce } from 'rxjs';
import { embedded } from '../../lib/deltas/embedded.ts';
import { toolLoop, toText } from '../../lib/index.ts';
import { provideToolLoop, withUpdates } from '../../lib/view/angular.ts';
import type { ToolLoopRef } from '../../lib/view/angular.ts';
import { openPage, openTalk, playChat } from '../support/page.ts';
import type { Page, Talk } from '../support/page.ts';
import { blockOf, pageModule } from '../support/page-module.ts';

interface View {
  readonly loop: ToolLoopRef;
}

let [page, talk, app, view] = [] as unknown as [Page, Talk, ApplicationRef, View];
let ChatView: Type<View>;

const act = async (step: () => void): Promise<void> => {
  step();
  // No zone notices anything: what draws is the change of a signal, or an event that the template listens to.
  await app.whenStable();
};
const drawn = (step: () => void): Promise<void> => act(() => (step(), page.frame()));
const bootstrap = async (): Promise<void> => {
  app = await createApplication({
    providers: [
      provideZonelessChangeDetection(),
      provideToolLoop(talk.options, withUpdates({ frame: animationFrameScheduler })),
      // In development mode Angular looks for large pictures, some time after the page is gone.
      { provide: IMAGE_CONFIG, useValue: { disableImageSizeWarning: true, disableImageLazyLoadWarning: true } },
    ],
  });
  await act(() => void (view = app.bootstrap(ChatView, page.root).instance));
};

beforeAll(async () => {
  ({ ChatView } = await pageModule<{ ChatView: Type<View> }>(blockOf('docs/angular.md', 'ts', 'class ChatView'), 'ts', ['@angular/core', 'rxjs'], require));
});
beforeEach(async () => {
  // Angular says that it is in development mode.
  jest.spyOn(console, 'log').mockImplementation(() => undefined);
  page = openPage();
  talk = openTalk();
  await bootstrap();
});
afterEach(async () => {
  destroyPlatform();
  expect(page.complaints).toEqual([]);
  await page.close();
  jest.restoreAllMocks();
});
afterAll(() => stop());

describe('the page on Angular, without zones and with OnPush', () => {
  it('has a chat that streams, shows its tools and asks', async () => {
    await playChat(page, { ...talk, store: { getSnapshot: () => view.loop.state() } }, act);
  });

  it('changes once for a frame, however many deltas come', async () => {
    await drawn(() => view.loop.run('hi'));
    await drawn(() => talk.say('a'));
    const [text] = page.root.querySelectorAll('article.assistant p');
    const changes: unknown[] = [];
    new page.Observer((all) => changes.push(...all)).observe(page.root, { subtree: true, characterData: true, childList: true });
    talk.say(...'b'.repeat(200));
    await app.whenStable();
    expect(changes).toHaveLength(0);
    await drawn(() => undefined);
    expect(changes).toHaveLength(1);
    expect(text?.textContent).toBe(`a${'b'.repeat(200)}`);
    expect(page.root.querySelector('article.assistant p')).toBe(text);
  });

  it('shows why a run failed', async () => {
    await drawn(() => view.loop.run('hi'));
    await drawn(() => talk.fail());
    expect(page.texts('[role=alert]')).toEqual([view.loop.error()?.message]);
    expect(view.loop.status()).toBe('error');
  });

  it('leaves the run when it goes', async () => {
    await drawn(() => view.loop.run('hi'));
    expect(talk.isHeard()).toBe(true);
    app.destroy();
    expect(talk.isHeard()).toBe(false);
  });
});

describe('the answer as a resource', () => {
  interface Answer {
    readonly prompt: WritableSignal<string | undefined>;
    readonly text: Resource<string | undefined>;
  }

  it('is that of the last prompt, and none without a prompt', async () => {
    const shared = ['@angular/core', '@angular/core/rxjs-interop', 'rxjs'];
    const { Answer } = await pageModule<{ readonly Answer: new () => Answer }>(blockOf('docs/angular.md', 'ts', 'class Answer'), 'ts', shared, require);
    const { prompt, text } = runInInjectionContext(app.injector, () => new Answer());
    expect([text.status(), text.value()]).toEqual(['idle', undefined]);
    for (const asked of ['What can you do?', 'Say hello.']) {
      await act(() => prompt.set(asked));
      expect(text.status()).toBe('resolved');
      expect(text.value()).toBe(await lastValueFrom(toolLoop({ model: embedded(), prompt: asked }).pipe(toText(), reduce((all, one) => all + one))));
    }
    await act(() => prompt.set(undefined));
    expect([text.status(), text.value()]).toEqual(['idle', undefined]);
  });
});
