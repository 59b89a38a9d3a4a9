import fc from 'fast-check';

/** JSON texts with all that is hard to cut. */
export const HARD: readonly string[] = [
  '{}',
  '[]',
  ' { "a" : [ 1 , -0.5e+3 , true , false , null ] , "b" : { } , "c" : "" } ',
  '[[[]],[{}],{"a":[[{"b":{}}]]}]',
  '"\\u00e9\\ud83d\\ude00\\n\\\\\\"\\/\\b\\f\\r\\t"',
  '["\u{1f600}\u{1f600}","\\ud83d","\\ude00\\ud83d","\ud83d\\ude00","\\ud83dx","\\\\u0041","\\\\\\\\"]',
  '{"\\u0061\\n\u{1f600}":1,"\\ud83d":"b","":{"":""}}',
  '{"__proto__":{"a":1},"constructor":[],"hasOwnProperty":null,"a":{"__proto__":[{"__proto__":1}]}}',
  '{"2":1,"1":2,"b":3,"a":4,"-1":5}',
  '{"a":1,"a":"x","b":[],"a":{"a":[1],"a":[2,3]}}',
  '[0,-0,0.0,1e5,1E-5,0e0,-12.5e+10,12345678901234567890]',
  '"brackets ]}[{,:\\" inside"',
  '{"]}":"[{","a":["}",{"]":"\\"]"}]}',
  '12.5',
  '-0',
  ' null ',
];

/**
 * What a prefix of a JSON text says, by definition: cut what is not known yet, close what is open, and let `JSON.parse`
 * read it. Quadratic and naive on purpose.
 */
export function readingOf(prefix: string): unknown {
  const closers: string[] = [];
  let quote = -1;
  let rest = prefix;
  for (let at = 0; at < prefix.length; at++) {
    const mark = prefix.charAt(at);
    if (quote >= 0) {
      if (mark === '\\') at++;
      else if (mark === '"') quote = -1;
    } else if (mark === '"') quote = at;
    else if (mark === '[') closers.unshift(']');
    else if (mark === '{') closers.unshift('}');
    else if (mark === ']' || mark === '}') closers.shift();
  }
  if (quote >= 0) {
    const before = prefix.slice(0, quote).trimEnd();
    const isKey = closers[0] === '}' && !before.endsWith(':');
    rest = isKey ? before : `${before}${withoutHalves(prefix.slice(quote))}"`;
  } else {
    rest = rest.replace(/[-+.\w]+$/, (word) => (/^(true|false|null)$/.test(word) ? word : ''));
  }
  // A key whose value has not begun, then the comma before it or before a value that has not.
  rest = rest.replace(/"(?:[^"\\]|\\.)*"\s*:\s*$/, '').trimEnd();
  if (closers[0] === '}' && quote < 0) rest = rest.replace(/([{,]\s*)"(?:[^"\\]|\\.)*"$/, '$1').trimEnd();
  rest = rest.replace(/,$/, '') + closers.join('');
  return rest.trim() === '' ? undefined : (JSON.parse(rest) as unknown);
}

/** An open string without the escape or the surrogate pair that it may be in the middle of. */
function withoutHalves(open: string): string {
  const [whole = ''] = /^(?:\\u[0-9a-fA-F]{4}|\\[^u]|[^\\])*/.exec(open) ?? [];
  const units = whole.match(/\\u[0-9a-fA-F]{4}|\\[^u]|[^\\]/g) ?? [];
  const last = units.at(-1) ?? '';
  const isHigh = /^(\\u[dD][89abAB]..|[\ud800-\udbff])$/.test(last);
  return (isHigh ? units.slice(0, -1) : units).join('');
}

/** Whether some end makes a JSON text of this, by trying those that can. */
export function canGoOn(prefix: string): boolean {
  const closers: string[] = [];
  for (const [mark] of prefix.matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{}]/gs)) {
    if (mark === '[') closers.unshift(']');
    else if (mark === '{') closers.unshift('}');
    else if (mark === ']' || mark === '}') closers.shift();
  }
  const close = closers.join('');
  return ENDS.some((end) => isJson(`${prefix}${end}${close}`) || isJson(`${prefix}${end}:0${close}`));
}

const LITERAL_ENDS = ['true', 'false', 'null'].flatMap((word) => [...word].map((_, at) => word.slice(at)));
const ESCAPE_ENDS = ['"', 'n"', '0000"', '000"', '00"', '0"'];
const ENDS = ['', '0', '""', ':0', ',0', ',"":0', ...ESCAPE_ENDS, ...LITERAL_ENDS];

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const mark = fc.constantFrom('a', '"', '\\', '\n', '\u0000', '/', 'é', '\ud83d', '\ude00', '\u{1f600}', '{', ']', ':', ',', ' ');
const hardString = fc.string({ unit: mark, maxLength: 8 });
const key = fc.oneof(hardString, fc.constantFrom('__proto__', 'constructor', 'toString', '0', '10'));
const { json } = fc.letrec<{ json: unknown; entries: [string, unknown][] }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    hardString,
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.integer(),
    fc.constantFrom(true, false, null),
    fc.array(tie('json'), { maxLength: 4 }),
    tie('entries').map((entries) => Object.fromEntries(entries as [string, unknown][])),
  ),
  entries: fc.uniqueArray(fc.tuple(key, tie('json')), { maxLength: 4, selector: ([name]) => name }),
}));

const indent = fc.constantFrom('', ' ', '\t', '\r\n ');

/** JSON texts, with white space or without, and some with characters written as escapes. */
export const jsonText: fc.Arbitrary<string> = fc
  .tuple(json, indent, fc.boolean())
  .map(([value, space, escaped]) => {
    const text = JSON.stringify(value, null, space);
    return escaped ? text.replace(/[^\x00-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`) : text;
  });

/** All ways to cut a text into pieces, empty ones too. */
export function slices(text: string): fc.Arbitrary<string[]> {
  return fc.array(fc.nat(text.length), { maxLength: 12 }).map((cuts) => {
    const ends = [...cuts.sort((a, b) => a - b), text.length];
    return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
  });
}
