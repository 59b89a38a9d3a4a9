/**
 * Any text as it may stand in an SVG, as content or in a quoted attribute: escaped, without what XML forbids, and without
 * marks that reverse the reading order. What is longer is cut and ends in `…`.
 *
 * @internal
 */
export function svgText(text: string, most = 200): string {
  const characters = [...text.slice(0, most * 2 + 2).replace(FORBIDDEN, '').replace(/\s+/g, ' ')];
  const short = characters.length <= most ? characters : [...characters.slice(0, most - 1), '…'];
  return short.join('').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Surrogate}/gu;
