const encoder = /* @__PURE__ */ new TextEncoder();

/** A text as UTF-8. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/**
 * Pieces of UTF-8 as one. A request whose messages are kept as bytes costs a copy of them; joining their texts instead
 * would encode the whole conversation anew for each step.
 *
 * @internal
 */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
