import type { Rational } from './evaluate.ts';

/** Digits of a rounded value, counted from the first that is not zero. */
const ROUNDED_DIGITS = 20;
/** Longer exact texts help nobody: they are rounded, and say so. */
const MAX_EXACT = 200;

/**
 * A number as text: `43.625` where a decimal is exact, else the fraction and a rounded decimal that says that it is one,
 * `1/3, about 0.33333333333333333333 (rounded to 20 digits)`.
 *
 * @internal
 */
export function decimal(value: Rational): string {
  const places = exactPlaces(value.over);
  if (places !== undefined && places <= MAX_EXACT) return fixed(value, places);
  const about = `about ${fixed(value, roundedPlaces(value))} (rounded to ${ROUNDED_DIGITS} digits)`;
  const exact = `${value.top}/${value.over}`;
  return exact.length > MAX_EXACT ? about : `${exact}, ${about}`;
}

/** Decimal places that write `1 / over` whole, if any do: `over` has then no other factors than 2 and 5. */
function exactPlaces(over: bigint): number | undefined {
  let [rest, twos, fives] = [over, 0, 0];
  for (; rest % 2n === 0n; rest /= 2n) twos += 1;
  for (; rest % 5n === 0n; rest /= 5n) fives += 1;
  return rest === 1n ? Math.max(twos, fives) : undefined;
}

function roundedPlaces({ top, over }: Rational): number {
  const size = top < 0n ? -top : top;
  let magnitude = String(size).length - String(over).length;
  // The first digits decide whether the quotient has one digit more than the difference of the lengths.
  if (magnitude >= 0 ? size >= over * 10n ** BigInt(magnitude) : size * 10n ** BigInt(-magnitude) >= over) magnitude += 1;
  return Math.max(0, ROUNDED_DIGITS - magnitude);
}

/** Half away from zero, as on paper. */
function fixed({ top, over }: Rational, places: number): string {
  const scaled = (top < 0n ? -top : top) * 10n ** BigInt(places);
  const rounded = (2n * scaled + over) / (2n * over);
  const text = String(rounded).padStart(places + 1, '0');
  const cut = text.length - places;
  return `${top < 0n ? '-' : ''}${text.slice(0, cut)}${places > 0 ? `.${text.slice(cut)}` : ''}`;
}
