import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { stop } from 'esbuild';
import type * as ReactPackage from 'react';
import type { FC } from 'react';
import type * as DomPackage from 'react-dom/client';
import type { LoopStore } from '../../lib/view/store.ts';
import { openPage, openTalk, playChat } from '../support/page.ts';
import type { Page, Talk } from '../support/page.ts';
import { blockOf, pageModule } from '../support/page-module.ts';

type Chat = FC<{ readonly store: LoopStore }>;

let [React, Dom, page, talk] = [] as unknown as [typeof ReactPackage, typeof DomPackage, Page, Talk];
let reactRoot: DomPackage.Root;
let Chat: Chat;
let useLoopStore: () => LoopStore;

const act = (step: () => void): Promise<void> => React.act(async () => step());

beforeAll(async () => {
  // React looks for the page when it is loaded.
  await openPage().close();
  const external = ['react', 'react/jsx-runtime'];
  ({ Chat } = await pageModule<{ Chat: Chat }>(blockOf('docs/react.md', 'tsx', 'function Chat'), 'tsx', external, require));
  ({ useLoopStore } = await pageModule<{ useLoopStore: () => LoopStore }>(blockOf('docs/react.md', 'tsx', 'function useLoopStore'), 'tsx', external, require));
});
afterAll(() => stop());

beforeEach(() => {
  page = openPage();
  talk = openTalk();
  React = require('react') as typeof ReactPackage;
  Dom = require('react-dom/client') as typeof DomPackage;
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  reactRoot = Dom.createRoot(page.root);
});
afterEach(async () => {
  await act(() => reactRoot.unmount());
  talk.store.dispose();
  expect(page.complaints).toEqual([]);
  await page.close();
});

describe('the page on React', () => {
  it.each([['as it is', false], ['in strict mode', true]])('has a chat that streams, shows its tools and asks, %s', async (_how, isStrict) => {
    const chat = React.createElement(Chat, { store: talk.store });
    await act(() => reactRoot.render(isStrict ? React.createElement(React.StrictMode, null, chat) : chat));
    await playChat(page, talk, act);
    await act(() => reactRoot.unmount());
    expect(talk.readers()).toBe(0);
  });

  it('has a store for a component, which runs in strict mode and ends with the component', async () => {
    const stores: LoopStore[] = [];
    const Own: FC = () => {
      const store = useLoopStore();
      if (!stores.includes(store)) stores.push(store);
      return React.createElement(Chat, { store });
    };
    await act(() => reactRoot.render(React.createElement(React.StrictMode, null, React.createElement(Own))));
    await act(() => page.write('hello'));
    await act(() => (page.click('Send'), page.frame()));
    expect(page.texts('article')).toEqual(['hello', expect.stringMatching(/\w/)]);
    await act(() => reactRoot.unmount());
    expect(stores.length).toBeGreaterThan(0);
    expect(stores.map((store) => store.cancel())).not.toContain(true);
  });
});

describe('a component of React', () => {
  /** Draws the chat and counts how often. */
  async function counted(): Promise<() => number> {
    let count = 0;
    const chat = React.createElement(Chat, { store: talk.store });
    await act(() => reactRoot.render(React.createElement(React.Profiler, { id: 'chat', onRender: () => void count++ }, chat)));
    return () => count;
  }

  it('is drawn once for a frame, however many deltas come, and never for nothing', async () => {
    const count = await counted();
    await act(() => (talk.store.run('hi'), page.frame()));
    const before = count();
    for (let frame = 1; frame <= 3; frame++) {
      await act(() => talk.say(...'a'.repeat(200)));
      expect(count()).toBe(before + frame - 1);
      await act(() => page.frame());
      expect(count()).toBe(before + frame);
    }
    await act(() => page.frame());
    expect(count()).toBe(before + 3);
    expect(page.texts('article.assistant')).toEqual(['a'.repeat(600)]);
  });

  it('leaves the store when it goes, and the run goes on', async () => {
    const count = await counted();
    await act(() => (talk.store.run('hi'), page.frame()));
    await act(() => reactRoot.unmount());
    const before = count();
    await act(() => (talk.say('unseen'), page.frame()));
    expect([talk.readers(), count()]).toEqual([0, before]);
    expect(talk.store.getSnapshot().messages).toHaveLength(2);
  });

  it('finds the messages that have not changed the same, so that `memo` draws none of them again', async () => {
    const drawn: string[] = [];
    const Message = React.memo<{ readonly message: ReturnType<LoopStore['getSnapshot']>['messages'][number] }>(({ message }) => (drawn.push(message.role), null));
    const List: FC = () => {
      const { messages } = React.useSyncExternalStore(talk.store.subscribe, talk.store.getSnapshot);
      return messages.map((message) => React.createElement(Message, { key: message.id, message }));
    };
    await act(() => reactRoot.render(React.createElement(List)));
    await act(() => (talk.store.run('hi'), talk.say('a'), page.frame()));
    await act(() => (talk.say('b'), page.frame()));
    await act(() => (talk.say('c'), page.frame()));
    expect(drawn).toEqual(['user', 'assistant', 'assistant', 'assistant']);
  });

  const reads: readonly [string, number, () => unknown][] = [
    ['agrees with the others in a transition that a change interrupts', 1, () => React.useSyncExternalStore(talk.store.subscribe, talk.store.getSnapshot)],
    ['would not agree without `useSyncExternalStore`', 2, () => talk.store.getSnapshot()],
  ];
  it.each(reads)('%s', async (_title, states, read) => {
    const seen: unknown[] = [];
    let isChanged = false;
    const Probe: FC<{ readonly at: number }> = ({ at }) => {
      seen[at] = read();
      // What a frame between two slices of a long transition does.
      if (at === 1 && !isChanged) {
        isChanged = true;
        talk.store.run('hi');
        page.frame();
      }
      return null;
    };
    let show: () => void = () => undefined;
    const committed: number[] = [];
    const App: FC = () => {
      const [isShown, setShown] = React.useState(false);
      const [, startTransition] = React.useTransition();
      show = () => startTransition(() => setShown(true));
      React.useLayoutEffect(() => void (isShown && committed.push(new Set(seen).size)));
      return isShown ? [0, 1, 2].map((at) => React.createElement(Probe, { key: at, at })) : null;
    };
    await act(() => reactRoot.render(React.createElement(App)));
    await act(() => show());
    expect(isChanged).toBe(true);
    expect(new Set(committed)).toEqual(new Set([states]));
  });

  it('begins with the state of the server where one has rendered it', async () => {
    const { renderToString } = require('react-dom/server') as { readonly renderToString: (node: ReactPackage.ReactNode) => string };
    const chat = React.createElement(Chat, { store: talk.store });
    await act(() => reactRoot.unmount());
    page.root.innerHTML = renderToString(chat);
    // The run of a visitor who was faster than the page.
    talk.store.run('hi');
    page.frame();
    await act(() => void (reactRoot = Dom.hydrateRoot(page.root, chat)));
    expect(page.texts('article.user')).toEqual(['hi']);
  });
});
