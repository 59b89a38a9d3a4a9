/**
 * Text that may go to a terminal. A model's words and a tool's output are not trusted: an escape sequence in them could
 * recolour, move or overwrite what the reader sees, or reach the clipboard. Line breaks and tabs stay.
 *
 * @internal
 */
export function printable(text: string): string {
  return text.replace(SEQUENCE, '').replace(UNSAFE, '');
}

// Whole sequences go first, so that their letters do not stay behind. Not `stripVTControlCharacters` of Node: it takes
// everything between a sequence and the next bell for one title, words too.
const SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

// Control characters (what is left of a sequence that came in two pieces, too) and marks that reverse the reading order.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
