/**
 * Hurwitz' zeta function, and by it the derivatives of digamma: a few terms, then the Euler-Maclaurin formula (DLMF 25.11.5).
 * Numbers alone; `special-numbers.ts` makes ops of them.
 */

/** B(2k) / (2k)! of the Euler-Maclaurin formula. */
const weights: readonly number[] = [
  1 / 12,
  -1 / 720,
  1 / 30240,
  -1 / 1209600,
  1 / 47900160,
  -691 / 1307674368000,
  1 / 74724249600,
  -3617 / 10670622842880000,
  43867 / 5109094217170944000,
];

/** The sum of (q + k)^-s over k = 0, 1, ..., for q > 0. */
function sumFrom(s: number, q: number): number {
  let sum = 0;
  let a = q;
  // The formula holds from where terms change slowly on.
  for (; a < 10 + s; a++) {
    const term = a ** -s;
    sum += term;
    if (term <= sum * 1e-17) return sum;
  }
  const last = a ** -s;
  sum += (last * a) / (s - 1) + 0.5 * last;
  let factor = (last * s) / a;
  for (let k = 0; k < weights.length; k++) {
    const term = factor * (weights[k] as number);
    sum += term;
    if (Math.abs(term) < sum * 1e-17) break;
    factor *= ((s + 2 * k + 1) * (s + 2 * k + 2)) / (a * a);
  }
  return sum;
}

/**
 * Zeta of s > 1 and q. Of a negative q it is defined for integers s alone: the sum over all integers less the sum beyond q, so that no
 * loop is as long as q is far.
 */
export function hurwitz(s: number, q: number): number {
  if (!(s >= 1) || Number.isNaN(q)) return NaN;
  if (s === 1) return Infinity;
  if (q > 0) return q === Infinity ? 0 : sumFrom(s, q);
  const above = q - Math.floor(q);
  if (above === 0) return Infinity;
  if (s !== Math.floor(s)) return NaN;
  const sign = s % 2 === 0 ? 1 : -1;
  return sumFrom(s, above) + sign * (sumFrom(s, Math.ceil(q) - q) - sumFrom(s, 1 - q));
}

/** The derivative of order n >= 1 of digamma at x. */
export function polygammaOf(n: number, x: number): number {
  let factorial = n % 2 === 0 ? -1 : 1;
  // From 171! on it is infinite.
  for (let k = 2; k <= Math.min(n, 171); k++) factorial *= k;
  return factorial * hurwitz(n + 1, x);
}
