/**
 * Orthogonal polynomials of a number, by their recurrences (DLMF 18.9): of Chebyshev, Hermite, Laguerre and Legendre.
 * Degrees are cut to integers; a negative degree gives 0, one above a million NaN. Numbers alone; `special-functions.ts` makes ops of them.
 */

/** The polynomial of a degree at x. */
export type Polynomial = (x: number, degree: number) => number;

/** Pairs [a, b] that stand for a + b x in the member of degree 1, and for a + b k in the recurrence. */
interface Recurrence {
  readonly first: readonly [number, number];
  /** Of the member of degree k: without x, and times x. */
  readonly plain?: readonly [number, number];
  readonly times: readonly [number, number];
  /** Of the member of degree k - 1. */
  readonly less: readonly [number, number];
  /** True if all is divided by k + 1. */
  readonly isDivided?: boolean;
  /** The value by the angle whose cosine is x, for high degrees of |x| < 1. */
  readonly byAngle?: (n: number, angle: number) => number;
}

/** Of higher degrees the recurrence would take seconds for one number: they give NaN. */
const highest = 2 ** 20;

const polynomial = ({ first, plain = [0, 0], times, less, isDivided = false, byAngle }: Recurrence): Polynomial => {
  const [p0, p1] = plain;
  const [t0, t1] = times;
  const [l0, l1] = less;
  return (x, degree) => {
    const n = Math.trunc(degree);
    if (!(n > 0)) return n === 0 ? 1 : n < 0 ? 0 : NaN;
    if (n > 32 && byAngle !== undefined && Math.abs(x) < 1) return byAngle(n, Math.acos(x));
    if (n > highest) return NaN;
    let before = 1;
    let value = first[0] + first[1] * x;
    for (let k = 1; k < n && !Number.isNaN(value); k++) {
      const sum = (p0 + p1 * k + (t0 + t1 * k) * x) * value - (l0 + l1 * k) * before;
      before = value;
      value = isDivided ? sum / (k + 1) : sum;
    }
    return value;
  };
};

const chebyshev = (a: number, b: number, byAngle: (n: number, angle: number) => number): Polynomial =>
  polynomial({ first: [a, b], times: [2, 0], less: [1, 0], byAngle });

/** Of the first kind: cos(n angle). */
export const chebyshevT: Polynomial = /* @__PURE__ */ chebyshev(0, 1, (n, angle) => Math.cos(n * angle));
/** Of the second kind: sin((n + 1) angle) / sin(angle). */
export const chebyshevU: Polynomial = /* @__PURE__ */ chebyshev(
  0,
  2,
  (n, angle) => Math.sin((n + 1) * angle) / Math.sin(angle),
);
/** Of the third kind: cos((n + 1/2) angle) / cos(angle / 2). */
export const chebyshevV: Polynomial = /* @__PURE__ */ chebyshev(
  -1,
  2,
  (n, angle) => Math.cos((n + 0.5) * angle) / Math.cos(angle / 2),
);
/** Of the fourth kind: sin((n + 1/2) angle) / sin(angle / 2). */
export const chebyshevW: Polynomial = /* @__PURE__ */ chebyshev(
  1,
  2,
  (n, angle) => Math.sin((n + 0.5) * angle) / Math.sin(angle / 2),
);
/** The same polynomial of 2 x - 1, which takes 0 to 1 where the other takes -1 to 1. */
export const shifted =
  (of: Polynomial): Polynomial =>
  (x, degree) =>
    of(2 * x - 1, degree);
/** Hermite's polynomials of the physicists. */
export const hermiteH: Polynomial = /* @__PURE__ */ polynomial({ first: [0, 2], times: [2, 0], less: [0, 2] });
/** Hermite's polynomials of the probabilists. */
export const hermiteHe: Polynomial = /* @__PURE__ */ polynomial({ first: [0, 1], times: [1, 0], less: [0, 1] });
/** Laguerre's polynomials. */
export const laguerreL: Polynomial = /* @__PURE__ */ polynomial({
  first: [1, -1],
  plain: [1, 2],
  times: [-1, 0],
  less: [0, 1],
  isDivided: true,
});
/** Legendre's polynomials. */
export const legendreP: Polynomial = /* @__PURE__ */ polynomial({
  first: [0, 1],
  times: [1, 2],
  less: [0, 1],
  isDivided: true,
});
