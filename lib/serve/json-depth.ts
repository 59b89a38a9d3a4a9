/**
 * How deep arrays and objects of a JSON text are nested. It is counted in the text: walking a value that is too deep would
 * overflow the stack.
 *
 * @param text - JSON that `JSON.parse` takes
 * @internal
 */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    // Brackets and braces of one side differ in this bit alone.
    else if ((code | BRACE) === OPENING) deepest = Math.max(deepest, (depth += 1));
    else if ((code | BRACE) === CLOSING) depth -= 1;
  }
  return deepest;
}

function endOfString(text: string, begin: number): number {
  let at = begin + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

const [QUOTE, BACKSLASH, OPENING, CLOSING, BRACE] = [0x22, 0x5c, 0x7b, 0x7d, 0x20];
