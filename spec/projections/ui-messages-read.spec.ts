import { describe, expect, it } from '@jest/globals';
import { nodesOf, readFile, readText, readUser, UiNode } from '../../lib/projections/ui-messages-read.ts';

const node = (value: unknown): UiNode => new UiNode(value, 'messages[0].parts[0]');
const file = (url: string, mediaType = 'text/plain'): UiNode => node({ type: 'file', mediaType, url, filename: 'a' });

describe('something that was posted', () => {
  it.each<[string, () => unknown, string]>([
    ['is no object', () => node('x'), 'fromUiMessages: messages[0].parts[0] is no object.'],
    ['is a list', () => node([]), 'fromUiMessages: messages[0].parts[0] is no object.'],
    ['lacks a text', () => node({}).text('url'), 'fromUiMessages: messages[0].parts[0].url is missing; give a text.'],
    ['has no text for a text', () => node({ url: 7 }).text('url'), 'fromUiMessages: messages[0].parts[0].url is no text.'],
    ['has no list for a list', () => node({ parts: {} }).list('parts'), 'fromUiMessages: messages[0].parts[0].parts is no list.'],
    ['holds something else in a list', () => nodesOf([{}, null], 'messages'), 'fromUiMessages: messages[1] is no object.'],
    ['lacks an object', () => node({}).node('approval'), 'fromUiMessages: messages[0].parts[0].approval is no object.'],
  ])('is refused with its place where it %s', (_name, read, message) => {
    expect(read).toThrow(message);
  });

  it('has nothing of its prototype', () => {
    expect(node({}).get('constructor')).toBeUndefined();
    expect(node(Object.create({ type: 'text' })).get('type')).toBeUndefined();
  });
});

describe('what a user says', () => {
  it('is text, images and files', () => {
    expect(readUser([node({ type: 'text', text: 'hi' }), file('data:image/png;base64,aGk=', 'image/png'), file('https://example.test/a')])).toEqual([{
      role: 'user',
      content: [{ type: 'text', text: 'hi' }, { type: 'image', mediaType: 'image/png', data: 'aGk=' }, { type: 'file', mediaType: 'text/plain', name: 'a', url: 'https://example.test/a' }],
    }]);
  });

  it('is no message where it is nothing', () => {
    expect(readUser([node({ type: 'text', text: '' }), node({ type: 'data-mood', data: 1 })])).toEqual([]);
  });

  it('is refused where it is something else', () => {
    expect(() => readUser([node({ type: 'reasoning', text: 'x' })])).toThrow(
      'fromUiMessages: messages[0].parts[0] has the type "reasoning", which cannot be read: a user says text and files. Leave it out, or make it a `data-` part, which is passed over.',
    );
  });
});

describe('a file', () => {
  it.each([
    ['in base64', 'data:text/plain;base64,aGk=', { data: 'aGk=' }],
    ['in base64 with a parameter', 'data:text/plain;charset=utf-8;base64,aGk=', { data: 'aGk=' }],
    ['as text', 'data:text/plain,h%C3%A9', { data: 'aMOp' }],
    ['elsewhere', 'https://example.test/a', { url: 'https://example.test/a' }],
  ])('may be %s', (_name, url, held) => {
    expect(readFile(file(url), false)).toEqual({ type: 'file', mediaType: 'text/plain', name: 'a', ...held });
  });

  it('whose URL cannot be read is refused', () => {
    expect(() => readFile(file('data:,%E0%A4%A'), false)).toThrow('messages[0].parts[0].url is a data URL that cannot be read; encode it in base64.');
  });

  it('that is an image of any kind has no media type', () => {
    expect(readFile(file('data:image/*;base64,aGk=', 'image/*'), true)).toEqual({ type: 'image', data: 'aGk=' });
  });
});

it('reads empty text with something to carry', () => {
  expect(readText(node({ text: '', providerMetadata: { openai: { id: 1 } } }))).toEqual([{ type: 'text', text: '', meta: { openai: { id: 1 } } }]);
});
