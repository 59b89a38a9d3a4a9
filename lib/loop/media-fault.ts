import type { ImagePart, Message } from '../message.ts';
import type { Model } from '../model.ts';

/**
 * What a model cannot take of the images and files in a request, as the rest of a sentence that begins with its name;
 * undefined if nothing. An image that is only a `url` has no size that is known.
 *
 * What a tool gave counts against the limits, if the model sees images at all; if not, its adapter names them in words.
 *
 * @internal
 */
export function mediaFault({ capabilities, imageLimits = {} }: Model, messages: readonly Message[]): string | undefined {
  const { count = Infinity, bytes = Infinity } = imageLimits;
  const sees = capabilities.includes('images');
  let images = 0;
  for (const [at, message] of messages.entries()) {
    if (message.role === 'assistant') continue;
    for (const part of message.role === 'user' ? message.content : message.results.flatMap(({ content }) => content)) {
      if (part.type !== 'image' && part.type !== 'file') continue;
      const kind = `${part.type}s` as const;
      if (message.role === 'user' && !capabilities.includes(kind)) {
        return `cannot take ${kind}, but messages[${at}] has one. Leave it out, or use a model with the capability "${kind}".`;
      }
      if (part.type === 'file' || !sees) continue;
      images++;
      if (images > count) return `takes at most ${count} images in a request, and messages[${at}] has number ${images}. Leave some out.`;
      const size = bytes === Infinity ? 0 : bytesOf(part);
      if (size > bytes) return `takes images of at most ${bytes} bytes, and one in messages[${at}] has ${size}. Make it smaller.`;
    }
  }
  return undefined;
}

/** Decoded; of a `data:` URL too. */
function bytesOf({ data = '', url = '' }: ImagePart): number {
  const base64 = data === '' ? (/^data:[^,]*;base64,(.*)$/is.exec(url)?.[1] ?? '') : data;
  return Math.floor((base64.replace(/[\s=]+/g, '').length * 3) / 4);
}
