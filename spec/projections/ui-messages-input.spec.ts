import { describe, expect, it } from '@jest/globals';
import type { Message } from '../../lib/index.ts';
import { fromUiMessages } from '../../lib/projections/ui-messages.ts';
import type { UiMessage } from '../../lib/projections/ui-messages.ts';

const user = (text: string): UiMessage => ({ id: 'u', role: 'user', parts: [{ type: 'text', text } as { type: string }] });
type Part = { readonly type: string } & Readonly<Record<string, unknown>>;
const assistant = (...parts: readonly Part[]): UiMessage => ({ id: 'a', role: 'assistant', parts });
const step = { type: 'step-start' };
const text = (words: string) => ({ type: 'text', text: words });
const own = (value: object) => ({ providerMetadata: { 'rx-tool-loop': value } });
const asked = (id: string, approval: object) => ({ type: 'tool-rm', toolCallId: `call ${id}`, state: 'approval-responded', input: {}, approval: { id, approved: true, ...approval } });
const turnOf = (...parts: readonly Part[]): readonly Message[] => fromUiMessages([assistant(...parts)]).messages;

describe('fromUiMessages', () => {
  it('reads a conversation', () => {
    const posted = [user('hi'), assistant(step, text('Adding.'), { type: 'dynamic-tool', toolName: 'add', toolCallId: 'c1', state: 'output-available', input: { a: 1 }, output: 3 }, step, text('3.')), user('thanks')];
    expect(fromUiMessages(posted)).toEqual({
      messages: [
        { role: 'user', content: [text('hi')] },
        { role: 'assistant', content: [text('Adding.'), { type: 'tool-call', call: { id: 'c1', name: 'add', arguments: { a: 1 } } }] },
        { role: 'tool', results: [{ callId: 'c1', name: 'add', content: [text('3')], isError: false, output: 3 }] },
        { role: 'assistant', content: [text('3.')] },
        { role: 'user', content: [text('thanks')] },
      ],
      answers: {},
    });
  });

  it('closes a call that was never answered, though the user goes on', () => {
    const { messages } = fromUiMessages([user('hi'), assistant(step, { type: 'tool-add', toolCallId: 'c1', state: 'input-available', input: {} }), user('never mind')]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(messages[2]).toMatchObject({ results: [{ callId: 'c1', isError: true }] });
  });

  it('brings reasoning back as it came, also of another server', () => {
    expect(turnOf({ type: 'reasoning', text: 'hm', ...own({ meta: { signature: 's' } }) }, { type: 'reasoning', text: '', ...own({ kind: 'opaque', data: 'sealed' }) })).toEqual([
      { role: 'assistant', content: [{ type: 'reasoning', text: 'hm', meta: { signature: 's' } }, { type: 'opaque', data: 'sealed' }] },
    ]);
    expect(turnOf({ type: 'reasoning', text: '', providerMetadata: { anthropic: { signature: 's' } } })).toMatchObject([{ content: [{ type: 'reasoning', meta: { anthropic: { signature: 's' } } }] }]);
  });

  it('forgets reasoning that was replaced, and nothing else', () => {
    expect(turnOf({ type: 'reasoning', text: 'old' }, text('x'), { type: 'reasoning', text: 'new', ...own({ replaces: true }) })).toEqual([
      { role: 'assistant', content: [text('x'), { type: 'reasoning', text: 'new' }] },
    ]);
  });

  it('reads refusals, sources and files', () => {
    const parts = [
      { type: 'text', text: 'No.', ...own({ kind: 'refusal' }) }, { type: 'source-url', sourceId: 's', url: 'https://example.test/a', title: 'A', ...own({ data: 1 }) },
      { type: 'source-document', sourceId: 's', mediaType: 'text/plain', title: '' }, { type: 'file', mediaType: 'text/plain', url: 'data:text/plain;base64,aGk=' },
      { type: 'reasoning-file', mediaType: 'image/png', url: 'https://example.test/b' },
    ];
    expect(turnOf(...parts)).toEqual([{
      role: 'assistant',
      content: [
        { type: 'refusal', text: 'No.' }, { type: 'source', url: 'https://example.test/a', title: 'A', data: 1 }, { type: 'source' },
        { type: 'file', mediaType: 'text/plain', data: 'aGk=' }, { type: 'file', mediaType: 'image/png', url: 'https://example.test/b' },
      ],
    }]);
  });

  it('leaves out a step that was withdrawn', () => {
    expect(turnOf(step, text('wrong'), { type: 'tool-add', toolCallId: 'c1', state: 'input-available', input: {} }, { type: 'data-retract', data: {} }, step, text('right'))).toEqual([
      { role: 'assistant', content: [text('right')] },
    ]);
  });

  it('takes what the user said meanwhile for what it is', () => {
    const heard = { role: 'user', content: [text('hurry')] };
    for (const part of [{ type: 'data-steering', data: { parts: [text('hurry')] } }, { type: 'steering-message', id: 's', parts: [text('hurry')] }]) {
      expect(turnOf(step, text('a'), part, step, text('b'))).toEqual([{ role: 'assistant', content: [text('a')] }, heard, { role: 'assistant', content: [text('b')] }]);
    }
    expect(turnOf(text('a'), { type: 'data-correction', data: { count: 1 } })).toEqual([{ role: 'assistant', content: [text('a')] }]);
  });

  it('passes over other data, and says nothing of empty messages', () => {
    expect(fromUiMessages([assistant(step, { type: 'data-plan', data: {} }), user('')]).messages).toEqual([]);
  });

  it('gives the system apart', () => {
    expect(fromUiMessages([{ role: 'system', parts: [text('Be brief.')] }, { role: 'system', parts: [text('Be kind.')] }]).system).toBe('Be brief.\n\nBe kind.');
    expect(fromUiMessages([])).toEqual({ messages: [], answers: {} });
  });

  it('names the message that goes on', () => {
    expect(fromUiMessages([user('hi'), assistant(text('x'))]).messageId).toBe('a');
    expect(fromUiMessages([assistant(text('x')), user('hi')]).messageId).toBeUndefined();
  });
});

describe('the answers of a chat', () => {
  it('are those of the last step of the last message, each for itself', () => {
    const { answers } = fromUiMessages([user('hi'), assistant(step, asked('old', {}), step, asked('q2', { approved: false }), asked('q1', {}))]);
    expect(answers).toEqual({ q1: { type: 'approve' }, q2: { type: 'decline' } });
  });

  it('are none where the user has gone on', () => {
    expect(fromUiMessages([assistant(step, asked('q1', {})), user('wait')]).answers).toEqual({});
  });

  it('have no other prototype, whatever their id', () => {
    const { answers } = fromUiMessages([assistant(asked('__proto__', {}))]);
    expect(Object.getPrototypeOf(answers)).toBe(Object.prototype);
    expect(Object.keys(answers)).toEqual(['__proto__']);
  });
});

describe('what cannot be read', () => {
  it.each<[string, unknown, string]>([
    ['no list', {}, 'fromUiMessages: messages is no list.'],
    ['no message', ['hi'], 'fromUiMessages: messages[0] is no object.'],
    ['an unknown role', [{ role: 'tool', parts: [] }], 'fromUiMessages: messages[0].role is "tool"; it must be user, assistant or system.'],
    ['a message of the old kind', [{ role: 'user', content: 'hi' }], 'fromUiMessages: messages[0].parts is no list.'],
    ['an unknown part', [user('hi'), assistant(text('x'), { type: 'custom', kind: 'a.b' })], 'fromUiMessages: messages[1].parts[1] has the type "custom", which cannot be read: an assistant has text, reasoning, tools, sources and files.'],
    ['a call without an id', [assistant({ type: 'tool-add', state: 'input-available' })], 'fromUiMessages: messages[0].parts[0].toolCallId is missing; give a text.'],
  ])('is refused with its place: %s', (_name, messages, message) => {
    expect(() => fromUiMessages(messages as UiMessage[])).toThrow(message);
  });
});
