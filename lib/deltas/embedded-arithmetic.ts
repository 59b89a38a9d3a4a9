/**
 * The first arithmetic expression that a text holds, in numbers and `+ - * / ^ ( )`, or `undefined`.
 *
 * Words become operators (`plus`, `divided by`, `percent of`, `squared`, ...), and a verb joins the numbers after it
 * (`add 2 and 3`). One pass without recursion: the cost grows with the length of the text, whatever it holds.
 *
 * @internal
 */
export function arithmetic(text: string): string | undefined {
  const tokens = PHRASES.reduce((rest, [phrase, symbol]) => rest.replace(phrase, symbol), text).match(TOKEN) ?? [];
  return infix(tokens) ?? prefix(tokens);
}

const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\*\*/g, ' ^ '],
  [/(?<=\d),(?=\d{3}(?!\d))/g, ''],
  [/\b(?:raised )?to the power of\b/gi, ' ^ '],
  [/\bsquared\b/gi, ' ^ 2 '],
  [/\bcubed\b/gi, ' ^ 3 '],
  [/\bper ?cent\b/gi, ' % '],
  [/\bplus\b/gi, ' + '],
  [/\bminus\b|\u2212/gi, ' - '],
  [/\b(?:times|x|multiplied by)\b|[×·]/gi, ' * '],
  [/\b(?:over|divided by)\b|÷/gi, ' / '],
];

/** In turn: dates, times and versions; words, also those with digits; numbers; operators; whatever else ends an expression. */
const TOKEN =
  /\d{4}-\d{2}-\d{2}|\d+(?:[.:]\d+){2,}|\d+:\d+|\d*\p{L}(?:[\p{L}\p{M}\p{N}]|\.\d)*|\d+(?:\.\d+)?|[-+*/^()%]|[^\s$€£]/gu;

const NUMBER = /^\d+(?:\.\d+)?$/;
const OPERATORS: ReadonlySet<string> = new Set(['+', '-', '*', '/', '^']);
/** What stands left of a share binds it before its base could: `2 / 50% of 8` is not `2 / 50% * 8`. */
const BINDS_LEFT: ReadonlySet<string | undefined> = new Set(['/', '^']);

function infix(tokens: readonly string[]): string | undefined {
  for (let start = 0; start < tokens.length; ) {
    const { expression, end } = run(tokens, start);
    if (expression !== undefined) return expression;
    start = Math.max(end, start + 1);
  }
  return undefined;
}

/** Reads as far from `start` as operands and operators alternate; `end` is the first token that it did not take. */
function run(tokens: readonly string[], start: number): { readonly expression?: string; readonly end: number } {
  const out: string[] = [];
  const open: number[] = [];
  let [operators, complete, said, at] = [0, 0, 0, start];
  let [wantsOperand, isSigned] = [true, false];
  for (; at < tokens.length; at++) {
    const token = tokens[at] as string;
    if (wantsOperand) {
      if (NUMBER.test(token)) {
        out.push(token);
        wantsOperand = false;
      } else if (token === '(') {
        open.push(out.length);
        out.push(token);
      } else if (token === '-' && !isSigned) {
        out.push('-');
        isSigned = true;
        continue;
      } else break;
    } else if (token === '%') {
      const [of, base] = [tokens[at + 1], tokens[at + 2]];
      const share = out.pop() as string;
      // `10 % 3` would be a remainder, which not every reader knows.
      if (!NUMBER.test(share) || isOperand(of)) return { end: at + 1 };
      const before = isSign(out, out.length - 1) ? out.at(-2) : out.at(-1);
      const after = tokens[at + 3];
      if (of?.toLowerCase() !== 'of') out.push(`(${share} / 100)`);
      else if (base !== undefined && NUMBER.test(base) && before !== '*' && !isTight(after)) {
        // Multiplying first keeps more of the digits where the reader calculates in floating point.
        if (BINDS_LEFT.has(before)) out.push(`(${base} * ${share} / 100)`);
        else out.push(base, '*', share, '/', '100');
        [operators, at] = [operators + 1, at + 2];
      } else if (BINDS_LEFT.has(before)) return { end: at + 1 };
      else {
        out.push(`(${share} / 100)`, '*');
        [operators, at, wantsOperand] = [operators + 1, at + 1, true];
      }
    } else if (OPERATORS.has(token)) {
      out.push(token);
      operators++;
      wantsOperand = true;
    } else if (token === ')' && open.length > 0) {
      open.pop();
      out.push(token);
    } else break;
    isSigned = false;
    if (!wantsOperand) [complete, said] = [out.length, operators];
  }
  const end = at;
  // Unclosed parentheses before everything else change nothing; any other would change the meaning.
  const kept = out.slice(open.length, complete);
  const isWhole = open.every((index, n) => index === n && index < complete);
  return isWhole && said > 0 ? { expression: written(kept), end } : { end };
}

function isOperand(token: string | undefined): boolean {
  return token !== undefined && (token === '(' || NUMBER.test(token));
}

function isTight(token: string | undefined): boolean {
  return token === '^' || token === '%';
}

function isSign(parts: readonly string[], at: number): boolean {
  const before = parts[at - 1];
  return parts[at] === '-' && (before === undefined || before === '(' || OPERATORS.has(before));
}

function written(parts: readonly string[]): string {
  let text = '';
  let sticks = true;
  for (const [n, part] of parts.entries()) {
    text += sticks || part === ')' ? part : ` ${part}`;
    sticks = part === '(' || isSign(parts, n);
  }
  return text;
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ['add', '+'],
  ['sum', '+'],
  ['multiply', '*'],
  ['product', '*'],
  ['divide', '/'],
  ['quotient', '/'],
  ['subtract', '-'],
  ['difference', '-'],
]);

/** `the sum of 1, 2 and 3`, `subtract 3 from 10`. */
function prefix(tokens: readonly string[]): string | undefined {
  const verb = tokens.findIndex((token) => VERBS.has(token.toLowerCase()));
  const operator = VERBS.get(tokens[verb]?.toLowerCase() ?? '');
  if (operator === undefined) return undefined;
  const rest = tokens.slice(verb + 1);
  const numbers = rest.flatMap((token, n) => {
    if (!NUMBER.test(token)) return [];
    return rest[n - 1] === '-' ? [`-${token}`] : [token];
  });
  const isList = operator === '+' || operator === '*';
  if (numbers.length < 2 || (!isList && numbers.length > 2)) return undefined;
  if (operator === '-' && rest.some((token) => token.toLowerCase() === 'from')) numbers.reverse();
  return numbers.map((number, n) => (n > 0 && number.startsWith('-') ? `(${number})` : number)).join(` ${operator} `);
}
