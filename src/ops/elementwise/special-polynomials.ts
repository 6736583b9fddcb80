/**
 * Orthogonal polynomials of a number by their recurrences (DLMF 18.9): Chebyshev, Hermite, Laguerre and Legendre.
 * Degrees are truncated to integers; a negative degree returns 0, one above a million NaN. `special-functions.ts` turns them into ops.
 */

/** The polynomial of a degree at x. */
export type Polynomial = (x: number, degree: number) => number;

/** Coefficients as pairs [a, b], which mean a + b x in the polynomial of degree 1, and a + b k in the recurrence. */
interface Recurrence {
  readonly first: readonly [number, number];
  /** Of the polynomial of degree k: without x, and times x. */
  readonly plain?: readonly [number, number];
  readonly times: readonly [number, number];
  /** Of the polynomial of degree k - 1. */
  readonly less: readonly [number, number];
  /** True if the sum is divided by k + 1. */
  readonly isDivided?: boolean;
  /** The value from the angle whose cosine is x, for high degrees and |x| < 1. */
  readonly byAngle?: (n: number, angle: number) => number;
}

/** Higher degrees would take seconds for one number; they return NaN. */
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
/** The polynomial of 2 x - 1, which maps [0, 1] to [-1, 1]. */
export const shifted =
  (polynomial: Polynomial): Polynomial =>
  (x, degree) =>
    polynomial(2 * x - 1, degree);
/** The physicist's Hermite polynomials. */
export const hermiteH: Polynomial = /* @__PURE__ */ polynomial({ first: [0, 2], times: [2, 0], less: [0, 2] });
/** The probabilist's Hermite polynomials. */
export const hermiteHe: Polynomial = /* @__PURE__ */ polynomial({ first: [0, 1], times: [1, 0], less: [0, 1] });
/** The Laguerre polynomials. */
export const laguerreL: Polynomial = /* @__PURE__ */ polynomial({
  first: [1, -1],
  plain: [1, 2],
  times: [-1, 0],
  less: [0, 1],
  isDivided: true,
});
/** The Legendre polynomials. */
export const legendreP: Polynomial = /* @__PURE__ */ polynomial({
  first: [0, 1],
  times: [1, 2],
  less: [0, 1],
  isDivided: true,
});
