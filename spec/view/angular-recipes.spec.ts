import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEnvironmentInjector, Injector, provideZonelessChangeDetection, runInInjectionContext, ɵINJECTOR_SCOPE as INJECTOR_SCOPE } from '@angular/core';
import type { EnvironmentInjector } from '@angular/core';
import { stop } from 'esbuild';
import { scripted } from '../../lib/deltas/scripted.ts';
import { provideRemoteLoop, withUpdates } from '../../lib/view/angular.ts';
import type { ToolLoopRef } from '../../lib/view/angular.ts';
import { BASE, closeDoors, doorOf, fetchOf, heldTurn } from '../serve/door.ts';
import { wordsOf } from '../support/store-words.ts';
import { blockOf, pageModule } from '../support/page-module.ts';

interface KeptChat {
  readonly loop: ToolLoopRef;
  ask(prompt: string): boolean;
}

/** What a page keeps while it is loaded anew. */
function storage(): Pick<Storage, 'getItem' | 'setItem'> {
  const items = new Map<string, string>();
  return { getItem: (name) => items.get(name) ?? null, setItem: (name, item) => void items.set(name, item) };
}

const injectors: EnvironmentInjector[] = [];
/** A page from its start to its end. */
const load = <T>(Service: new () => T, providers: Parameters<typeof createEnvironmentInjector>[0]): { readonly service: T; readonly leave: () => void } => {
  const root = [{ provide: INJECTOR_SCOPE, useValue: 'root' }, provideZonelessChangeDetection()];
  const injector = createEnvironmentInjector([...root, ...providers], Injector.NULL as EnvironmentInjector);
  injectors.push(injector);
  return { service: runInInjectionContext(injector, () => new Service()), leave: () => injector.destroy() };
};
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve));
};

beforeEach(() => {
  Object.assign(globalThis, { sessionStorage: storage(), document: {} });
});
afterEach(async () => {
  injectors.splice(0).forEach((one) => one.destroyed || one.destroy());
  Reflect.deleteProperty(globalThis, 'sessionStorage');
  Reflect.deleteProperty(globalThis, 'document');
  await closeDoors();
});
afterAll(() => stop());

function kept(): Promise<{ readonly KeptChat: new () => KeptChat }> {
  const shared = ['@angular/core', '@angular/core/rxjs-interop', 'rxjs'];
  return pageModule(blockOf('docs/angular.md', 'ts', 'class KeptChat'), 'ts', shared, require);
}

describe('the chat that a page finds again', () => {
  it('shows the run that was going, its prompt and what came before, and goes on from there', async () => {
    const held = heldTurn();
    const model = scripted([{ text: 'One.' }, () => held.turn(), { text: 'Three.' }]);
    const door = doorOf([], { start: () => ({ model }) });
    const providers = [provideRemoteLoop({ url: BASE, fetch: fetchOf(door) }, withUpdates('none'))];
    const { KeptChat: Chat } = await kept();

    const before = load(Chat, providers);
    before.service.ask('a');
    await until(() => before.service.loop.status() === 'done');
    before.service.ask('b');
    await until(() => before.service.loop.text() === 'a');
    expect(wordsOf(before.service.loop.state())).toEqual(['running', 'user: a', 'assistant: One.', 'user: b', 'assistant: a']);
    before.leave();

    held.say('b');
    const after = load(Chat, providers);
    expect(wordsOf(after.service.loop.state()).slice(1)).toEqual(['user: a', 'assistant: One.', 'user: b']);
    await until(() => after.service.loop.text() === 'ab');
    expect(wordsOf(after.service.loop.state())).toEqual(['running', 'user: a', 'assistant: One.', 'user: b', 'assistant: ab']);
    held.finish();
    await until(() => after.service.loop.status() === 'done');

    after.service.ask('c');
    await until(() => after.service.loop.text() === 'Three.');
    expect(after.service.loop.history().map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
    await until(() => !String(sessionStorage.getItem('chat')).includes('runId'));
    after.leave();

    const last = load(Chat, providers);
    expect(wordsOf(last.service.loop.state())).toEqual(['idle', 'user: a', 'assistant: One.', 'user: b', 'assistant: ab', 'user: c', 'assistant: Three.']);
  });

  it('forgets a run that its server does not know any more, and keeps its prompt', async () => {
    const door = doorOf([]);
    const providers = [provideRemoteLoop({ url: BASE, fetch: fetchOf(door) }, withUpdates('none'))];
    const { KeptChat: Chat } = await kept();
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'a' }] }];
    sessionStorage.setItem('chat', JSON.stringify({ runId: 'r404', messages }));
    const { service } = load(Chat, providers);
    await until(() => service.loop.error()?.code === 'run-gone');
    await until(() => sessionStorage.getItem('chat') === JSON.stringify({ messages }));
  });
});
