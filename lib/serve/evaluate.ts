import { ToolError } from '../index.ts';

/** An exact number: `over` is positive, the two share no factor. */
export interface Rational {
  readonly top: bigint;
  readonly over: bigint;
}

/** Characters of one expression. Keeps the parser's recursion and the cost of a call small. */
const MAX_LENGTH = 1_000;
/** `2^1000` has 302 digits: enough for interest over centuries, too little to keep a processor busy. */
const MAX_EXPONENT = 1_000n;
/** Digits of a numerator or denominator. Reducing a fraction of this size takes under 10 ms. */
const MAX_DIGITS = 4_000;

/**
 * The exact value of an arithmetic expression: `+ - * / ^ ( )`, decimals, and `%` (`10%` is `0.1`; `10% of 50` is 5).
 * `^` binds tighter than a sign before it and groups to the right; its exponent is a whole number up to 1,000.
 *
 * @throws ToolError `invalid-input`, naming the position (1-based), when it cannot be read or grows too large.
 * @internal
 */
export function evaluate(expression: string): Rational {
  if (expression.length > MAX_LENGTH) {
    throw refusal(`The expression has ${expression.length} characters; at most ${MAX_LENGTH} are read.`);
  }
  const reader = new Reader(expression);
  const value = sum(reader);
  if (!reader.atEnd) throw reader.expected('an operator or the end');
  return value;
}

function sum(reader: Reader): Rational {
  let left = product(reader);
  for (;;) {
    if (reader.take('+')) left = plus(left, product(reader), 1n);
    else if (reader.take('-') || reader.take('−')) left = plus(left, product(reader), -1n);
    else return left;
  }
}

function product(reader: Reader): Rational {
  let left = signed(reader);
  for (;;) {
    const at = reader.position;
    if (reader.take('*') || reader.take('×') || reader.take('of ')) {
      const right = signed(reader);
      left = fraction(left.top * right.top, left.over * right.over);
    } else if (reader.take('/') || reader.take('÷')) {
      const right = signed(reader);
      if (right.top === 0n) throw refusal(`Division by zero at position ${at}.`);
      left = fraction(left.top * right.over, left.over * right.top);
    } else return left;
  }
}

function signed(reader: Reader): Rational {
  if (reader.take('-') || reader.take('−')) {
    const { top, over } = signed(reader);
    return { top: -top, over };
  }
  return reader.take('+') ? signed(reader) : power(reader);
}

function power(reader: Reader): Rational {
  const base = percent(reader);
  const at = reader.position;
  if (!reader.take('^') && !reader.take('**')) return base;
  const { top, over } = signed(reader);
  const size = top < 0n ? -top : top;
  if (over !== 1n || size > MAX_EXPONENT) {
    throw refusal(`The exponent at position ${at} must be a whole number from -${MAX_EXPONENT} to ${MAX_EXPONENT}.`);
  }
  if (top < 0n && base.top === 0n) throw refusal(`Division by zero at position ${at}: 0 to a negative power.`);
  if (BigInt(digits(base)) * size > BigInt(2 * MAX_DIGITS)) throw tooLarge();
  const [upper, lower] = [base.top ** size, base.over ** size];
  return top < 0n ? fraction(lower, upper) : fraction(upper, lower);
}

function percent(reader: Reader): Rational {
  let value = atom(reader);
  while (reader.take('%')) value = fraction(value.top, value.over * 100n);
  return value;
}

function atom(reader: Reader): Rational {
  if (!reader.take('(')) return reader.number();
  const value = sum(reader);
  if (!reader.take(')')) throw reader.expected('")"');
  return value;
}

function plus(a: Rational, b: Rational, sign: 1n | -1n): Rational {
  return fraction(a.top * b.over + sign * b.top * a.over, a.over * b.over);
}

/** Reduced, with the sign on top. */
function fraction(top: bigint, over: bigint): Rational {
  let [a, b] = [top < 0n ? -top : top, over < 0n ? -over : over];
  while (b !== 0n) [a, b] = [b, a % b];
  const value = over < 0n ? { top: -top / a, over: -over / a } : { top: top / a, over: over / a };
  if (digits(value) > MAX_DIGITS) throw tooLarge();
  return value;
}

function digits({ top, over }: Rational): number {
  // Through hexadecimal: decimal text of a bigint takes quadratic time.
  return Math.ceil(Math.max(top.toString(16).length, over.toString(16).length) * Math.log10(16));
}

function tooLarge(): ToolError {
  return refusal(`A number in this expression grows beyond ${MAX_DIGITS} digits.`);
}

function refusal(message: string): ToolError {
  return new ToolError('invalid-input', message);
}

class Reader {
  private readonly text: string;
  private next = 0;

  constructor(text: string) {
    this.text = text;
    this.skipSpace();
  }

  /** 1-based, as people count. */
  get position(): number {
    return this.next + 1;
  }

  get atEnd(): boolean {
    return this.next >= this.text.length;
  }

  take(token: string): boolean {
    // `2 ** 3` is a power, never a product of a product.
    if (!this.text.startsWith(token, this.next) || (token === '*' && this.text[this.next + 1] === '*')) return false;
    this.next += token.length;
    this.skipSpace();
    return true;
  }

  number(): Rational {
    const [written] = /^(\d+(\.\d*)?|\.\d+)/.exec(this.text.slice(this.next)) ?? [];
    if (written === undefined) throw this.expected('a number or "("');
    this.next += written.length;
    this.skipSpace();
    const [whole = '', decimals = ''] = written.split('.');
    return fraction(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
  }

  expected(what: string): ToolError {
    const found = this.atEnd ? 'the end' : JSON.stringify(String.fromCodePoint(this.text.codePointAt(this.next) ?? 0));
    return refusal(`Expected ${what} at position ${this.position}, found ${found}. Read are + - * / ^ % ( ) and numbers such as 12.5.`);
  }

  private skipSpace(): void {
    while (/\s/.test(this.text[this.next] ?? '')) this.next += 1;
  }
}
