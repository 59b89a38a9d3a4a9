import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mediaFault } from '../../lib/loop/media-fault.ts';
import type { AssistantPart, Message, UserPart } from '../../lib/message.ts';
import type { Capability, ImageLimits, Model } from '../../lib/model.ts';

const model = (capabilities: readonly Capability[], imageLimits?: ImageLimits): Model =>
  ({ id: 'm', provider: 'test', capabilities, ...(imageLimits && { imageLimits }), stream: () => { throw new Error('asked'); } });
const user = (...content: UserPart[]): Message => ({ role: 'user', content });
const text: UserPart = { type: 'text', text: 'hi' };
const image = (data = 'AAAA'): UserPart => ({ type: 'image', mediaType: 'image/png', data });
const linked: UserPart = { type: 'image', url: 'https://example.com/cat.png' };
const file: UserPart = { type: 'file', mediaType: 'application/pdf', data: 'AAAA' };

describe('mediaFault', () => {
  it('finds nothing in words, whatever the model', () => {
    expect(mediaFault(model([], { count: 0, bytes: 0 }), [user(text), { role: 'assistant', content: [{ type: 'text', text: 'hi' }] }, { role: 'tool', results: [] }])).toBeUndefined();
  });

  it.each<[string, UserPart, Capability]>([['images', image(), 'images'], ['images', linked, 'images'], ['files', file, 'files']])(
    'refuses %s that the model cannot take, and names the message',
    (kind, part, capability) => {
      const others = (['tools', 'images', 'files', 'reasoning'] as const).filter((one) => one !== capability);
      expect(mediaFault(model(others), [user(text), user(text, part)])).toBe(
        `cannot take ${kind}, but messages[1] has one. Leave it out, or use a model with the capability "${capability}".`,
      );
      expect(mediaFault(model([capability]), [user(text), user(text, part)])).toBeUndefined();
    },
  );

  it('counts the images of the whole request', () => {
    const able = model(['images', 'files'], { count: 2 });
    expect(mediaFault(able, [user(image(), text), user(file, linked)])).toBeUndefined();
    expect(mediaFault(able, [user(image(), text), user(linked), user(text, image())])).toBe(
      'takes at most 2 images in a request, and messages[2] has number 3. Leave some out.',
    );
    expect(mediaFault(model(['images'], { count: 0 }), [user(image())])).toContain('at most 0 images');
  });

  it('measures an image as its decoded bytes', () => {
    const able = model(['images'], { bytes: 1_000 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 990, maxLength: 1_010 }), fc.constantFrom('', '\n', '\r\n'), fc.boolean(), fc.boolean(), (bytes, gap, isPadded, isUrl) => {
        const lines = Buffer.from(bytes).toString('base64').replace(/=/g, isPadded ? '=' : '').replace(/.{76}/g, `$&${gap}`);
        const part: UserPart = isUrl ? { type: 'image', url: `data:image/png;base64,${lines}` } : image(lines);
        const expected = bytes.length <= 1_000 ? undefined : `takes images of at most 1000 bytes, and one in messages[0] has ${bytes.length}. Make it smaller.`;
        expect(mediaFault(able, [user(part)])).toBe(expected);
      }),
    );
  });

  it('does not know the size of what is only linked, and does not refuse it', () => {
    expect(mediaFault(model(['images'], { bytes: 1 }), [user(linked)])).toBeUndefined();
    expect(mediaFault(model(['images'], { bytes: 1 }), [user({ type: 'image', url: 'data:image/svg+xml,<svg/>' })])).toBeUndefined();
  });

  it('takes limits that are absent as unknown', () => {
    expect(mediaFault(model(['images'], {}), Array(50).fill(user(image('A'.repeat(10_000)))))).toBeUndefined();
  });

  it('counts what tools gave, where the model sees images; else its adapter names them', () => {
    const given = (...content: UserPart[]): Message => ({ role: 'tool', results: [{ callId: 'c', name: 'f', content, isError: false }] });
    const both = [user(text), given(image(), file), given(image(), text)];
    expect(mediaFault(model(['images'], { count: 1 }), both)).toBe('takes at most 1 images in a request, and messages[2] has number 2. Leave some out.');
    expect(mediaFault(model(['images'], { count: 2 }), both)).toBeUndefined();
    expect(mediaFault(model(['images'], { bytes: 2 }), both)).toContain('one in messages[1] has 3');
    expect(mediaFault(model([], { count: 0, bytes: 0 }), both)).toBeUndefined();
  });

  it('leaves the files of assistant turns to the model that wrote them', () => {
    const own: AssistantPart = { type: 'file', mediaType: 'image/png', data: 'AAAA', block: 'b' };
    expect(mediaFault(model([], { count: 0 }), [{ role: 'assistant', content: [own] }])).toBeUndefined();
  });
});
