/**
 * Where a text stops being JSON: the offset of the first token that cannot stand there, or its length where it ends too
 * early. For text that `JSON.parse` has refused: what that says of the place differs between engines and releases.
 *
 * @internal
 */
export function jsonFault(text: string): number {
  const closers: string[] = [];
  let want: 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing' = 'value';
  const after = (): typeof want => (closers.length === 0 ? 'nothing' : 'comma or end');
  TOKEN.lastIndex = 0;
  for (;;) {
    const begin = TOKEN.lastIndex;
    const [found = '', space = '', token = ''] = TOKEN.exec(text) ?? [];
    const at = begin + space.length;
    if (found === '' || token === '') return found === '' ? begin : at;
    const isEnd = token === closers.at(-1);
    if (want === 'nothing') return at;
    if (isEnd && want.endsWith('or end')) {
      closers.pop();
      want = after();
    } else if (want === 'colon' || want === 'comma or end') {
      if (token !== (want === 'colon' ? ':' : ',')) return at;
      want = want === 'colon' || closers.at(-1) === ']' ? 'value' : 'key';
    } else if (want.startsWith('key')) {
      if (!token.startsWith('"')) return at;
      want = 'colon';
    } else if (token === '{' || token === '[') {
      closers.push(token === '{' ? '}' : ']');
      want = token === '{' ? 'key or end' : 'value or end';
    } else if (/^[}\]:,]/.test(token)) {
      return at;
    } else {
      want = after();
    }
  }
}

const STRING = String.raw`"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`;
const SCALAR = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null`;
const TOKEN = new RegExp(String.raw`([ \t\r\n]*)([{}\[\]:,]|${STRING}|${SCALAR}|)`, 'y');
