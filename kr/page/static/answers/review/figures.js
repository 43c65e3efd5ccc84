// Numbers as Python writes and rounds them: of two that are equally near, the one whose last digit is even.

/**
 * A number with this many digits after the point.
 * @param {number} number
 * @param {number} digits
 */
export function fixed(number, digits) {
  const text = number.toFixed(digits);
  // exactly halfway, toFixed goes away from zero
  const halves = number * 2 ** (digits + 1);
  const isHalfway = Number.isInteger(halves) && halves % 2 !== 0;
  if (!isHalfway || Number(text[text.length - 1]) % 2 === 0) return text;
  return (number - Math.sign(number) * 0.25 * 10 ** -digits).toFixed(digits);
}

/** A rounded number. @param {number} number @param {number} [digits] */
export const rounded = (number, digits = 0) => Number(fixed(number, digits));

/** A share in per cent, such as "12%". @param {number} share */
export const percent = share => `${fixed(100 * share, 0)}%`;

/**
 * The first of the items for which a measure is greatest; undefined if there are none.
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => number} measure
 */
export function greatest(items, measure) {
  let best = items[0];
  for (const item of items.slice(1)) if (measure(item) > measure(best)) best = item;
  return items.length ? best : undefined;
}
