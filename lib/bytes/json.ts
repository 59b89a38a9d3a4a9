/**
 * The value of a JSON text, or undefined where it is none. A frame that cannot be read is no reason to throw: its reader
 * says what follows from it.
 *
 * @internal
 */
export function json(text: string): unknown {
  // The last frame of many streams; throwing and catching is dear.
  if (text === '' || text === '[DONE]') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
