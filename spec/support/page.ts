import { expect, jest } from '@jest/globals';
import { animationFrameScheduler, Subject } from 'rxjs';
import { defineTool, ModelError, toolCall, toolLoop } from '../../lib/index.ts';
import type { Delta, ToolLoopOptions } from '../../lib/index.ts';
import { scripted } from '../../lib/deltas/scripted.ts';
import { createLoopStore } from '../../lib/view/store.ts';
import type { LoopStore } from '../../lib/view/store.ts';
import * as z from 'zod';

type Window = typeof globalThis & { readonly close: () => void };
type Dom = new (html: string) => { readonly window: Window };

const NAMES = ['window', 'document', 'navigator', 'Node', 'Text', 'Comment', 'Document', 'Element', 'HTMLElement', 'HTMLIFrameElement', 'HTMLMediaElement', 'SVGElement', 'Event', 'CustomEvent', 'MutationObserver'] as const;

/** A page with animation frames that come when the spec says so. What a framework needs of a browser is global meanwhile. */
export interface Page {
  readonly root: HTMLElement;
  /** Lets one animation frame pass. */
  frame(): void;
  /** The text of everything that a selector finds, one line each. */
  texts(selector: string): string[];
  click(label: string): void;
  /** Writes into the one input, as a user does. */
  write(text: string): void;
  readonly Observer: typeof MutationObserver;
  /** Complaints to the console so far. */
  readonly complaints: unknown[][];
  close(): Promise<void>;
}

export function openPage(): Page {
  const { JSDOM } = require('jsdom') as { readonly JSDOM: Dom };
  const { window } = new JSDOM('<!doctype html><body><div id="root"></div></body>');
  const { document } = window;
  const frames = new Map<number, (time: number) => void>();
  let asked = 0;
  const globals: Record<string, unknown> = {
    ...Object.fromEntries(NAMES.map((name) => [name, name === 'window' ? window : (window as never)[name]])),
    requestAnimationFrame: (work: (time: number) => void) => (frames.set(++asked, work), asked),
    cancelAnimationFrame: (id: number) => void frames.delete(id),
  };
  const before = Object.keys(globals).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  const complaints: unknown[][] = [];
  const spies = (['error', 'warn'] as const).map((name) => jest.spyOn(console, name).mockImplementation((...said) => void complaints.push(said)));
  const elements = (selector: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(selector)];
  return {
    root: document.getElementById('root') as HTMLElement,
    frame: () => {
      const due = [...frames.values()];
      frames.clear();
      due.forEach((work) => work(0));
    },
    texts: (selector) => elements(selector).map(({ textContent }) => (textContent ?? '').replace(/\s+/g, ' ').trim()),
    click: (label) => {
      const button = elements('button').find(({ textContent }) => textContent?.trim() === label);
      if (button === undefined) throw new Error(`There is no button ${label}.`);
      button.click();
    },
    write: (text) => {
      const [input] = elements('input');
      // Frameworks watch the property of the element; the prototype's own setter is what a keyboard uses.
      Object.getOwnPropertyDescriptor((window as never)['HTMLInputElement']['prototype'], 'value')?.set?.call(input, text);
      input?.dispatchEvent(new window.Event('input', { bubbles: true }));
    },
    Observer: window.MutationObserver,
    complaints,
    close: async () => {
      // The page has timers of its own, such as the one that tells of a selection.
      await new Promise((resolve) => setTimeout(resolve));
      spies.forEach((spy) => spy.mockRestore());
      window.close();
      for (const [name, descriptor] of before) {
        delete (globalThis as Record<string, unknown>)[name];
        if (descriptor !== undefined) Object.defineProperty(globalThis, name, descriptor);
      }
    },
  };
}

/** A chat whose model says what the spec lets it say, and which asks before its tool runs. */
export interface Talk {
  /** What its runs are made of. */
  readonly options: Pick<ToolLoopOptions, 'model' | 'tools'>;
  readonly store: LoopStore;
  /** The model says so many pieces of text. */
  say(...pieces: string[]): void;
  /** The model calls the tool and waits for its result. */
  call(): void;
  finish(): void;
  fail(): void;
  /** Whether anybody hears the model. */
  isHeard(): boolean;
  /** How many read the store. */
  readers(): number;
}

export function openTalk(): Talk {
  let turn$ = new Subject<Delta>();
  let block = 0;
  const model = scripted(Array.from({ length: 9 }, () => () => (turn$ = new Subject<Delta>())));
  const add = defineTool({ name: 'add', description: 'Adds.', input: z.object({ a: z.number() }), needsApproval: true, run: ({ a }) => a + 1 });
  const options = { model, tools: [add] };
  const inner = createLoopStore({ run: (run) => toolLoop({ ...options, ...run }), updates: { frame: animationFrameScheduler } });
  let readers = 0;
  const store: LoopStore = {
    ...inner,
    subscribe: (listener) => {
      readers += 1;
      const leave = inner.subscribe(listener);
      return () => {
        readers -= 1;
        leave();
      };
    },
  };
  const end = (reason: 'stop' | 'tool-use'): void => {
    block += 1;
    turn$.next({ type: 'finish', reason });
    turn$.complete();
  };
  return {
    options,
    store,
    say: (...pieces) => pieces.forEach((text) => turn$.next({ type: 'text', block: `b${block}`, text })),
    call: () => {
      turn$.next({ type: 'tool-call-start', index: 0, id: 'c1', name: 'add' });
      turn$.next({ type: 'tool-call-arguments', index: 0, chunk: '{"a":1}' });
      turn$.next({ type: 'tool-call-end', index: 0, call: toolCall('c1', 'add', '{"a":1}') });
      end('tool-use');
    },
    finish: () => end('stop'),
    fail: () => turn$.error(new ModelError('model-http', 'The model is gone.')),
    isHeard: () => turn$.observed,
    readers: () => readers,
  };
}

/** What a user and a model do with the component of a page of the documents; `act` lets its framework draw. */
export async function playChat(page: Page, talk: Omit<Talk, 'store'> & { readonly store: Pick<LoopStore, 'getSnapshot'> }, act: (step: () => void) => Promise<void>): Promise<void> {
  const drawn = (step: () => void): Promise<void> => act(() => (step(), page.frame()));
  expect(page.texts('article')).toEqual([]);
  await act(() => page.write('What is 1 and 1?'));
  await drawn(() => page.click('Send'));
  expect(page.texts('article.user')).toEqual(['What is 1 and 1?']);
  expect((page.root.querySelector('input') as HTMLInputElement).value).toBe('');

  await act(() => talk.say('Let ', 'me '));
  expect(page.texts('article.assistant p')).toEqual([]);
  await drawn(() => talk.say('see.'));
  expect(page.texts('article.assistant p')).toEqual(['Let me see.']);

  await drawn(() => talk.call());
  expect(page.texts('code')).toEqual(['add {"a":1}: waiting']);
  expect(page.texts('main > p')).toEqual([expect.stringContaining('May add run?')]);
  await drawn(() => page.click('Yes'));
  expect(page.texts('code')).toEqual(['add {"a":1}: ok']);
  expect(page.texts('main > p')).toEqual([]);

  await drawn(() => talk.say('Two.'));
  await drawn(() => talk.finish());
  expect(page.texts('article p').filter((text) => text !== 'What is 1 and 1?')).toEqual(['Let me see.', 'Two.']);
  expect(page.texts('article.user')).toHaveLength(1);
  expect(talk.store.getSnapshot()).toMatchObject({ status: 'done', reason: 'answer' });
}
