/**
 * The implicitly shifted QR method of Golub and Kahan for a real bidiagonal matrix.
 */
import type { Matrix } from "./matrix.ts";
import { hypotenuse, rotateRows } from "./rows.ts";

/**
 * Diagonalizes the bidiagonal matrix (d, e); rotations from the left are applied to `uh`, from the right to `vh`. Values may be negative.
 * Returns 0, or the number of values that did not converge.
 */
export function implicitQr(d: Float64Array, e: Float64Array, uh: Matrix | null, vh: Matrix | null): number {
  const EPS = Number.EPSILON * 0.5;
  const TINY = 1e-290;
  let turns = 0;
  for (let high = d.length - 1; high > 0; ) {
    let low = high;
    while (low > 0 && Math.abs(e[low - 1]!) > EPS * (Math.abs(d[low - 1]!) + Math.abs(d[low]!)) + TINY) low--;
    if (low > 0) e[low - 1] = 0;
    if (low === high) {
      high--;
      turns = 0;
      continue;
    }
    if (turns++ === 100 + 6 * d.length) return high + 1;
    let zero = high;
    while (
      zero >= low &&
      Math.abs(d[zero]!) > EPS * (Math.abs(zero < high ? e[zero]! : 0) + Math.abs(zero > low ? e[zero - 1]! : 0)) + TINY
    )
      zero--;
    if (zero === high) {
      // The last column can be rotated away.
      d[high] = 0;
      let f = e[high - 1]!;
      e[high - 1] = 0;
      for (let j = high - 1; j >= low && f !== 0; j--) {
        const t = hypotenuse(d[j]!, f);
        const c = d[j]! / t;
        const s = f / t;
        d[j] = t;
        if (j > low) {
          f = -s * e[j - 1]!;
          e[j - 1]! *= c;
        }
        if (vh !== null) rotateRows(vh, j, high, c, s);
      }
    } else if (zero >= low) {
      // The row of a zero can be rotated away: the block splits there.
      d[zero] = 0;
      let f = e[zero]!;
      e[zero] = 0;
      for (let j = zero + 1; j <= high && f !== 0; j++) {
        const t = hypotenuse(d[j]!, f);
        const c = d[j]! / t;
        const s = f / t;
        d[j] = t;
        f = -s * e[j]!;
        e[j]! *= c;
        if (uh !== null) rotateRows(uh, j, zero, c, s);
      }
    } else qrStep(d, e, low, high, uh, vh);
  }
  return 0;
}

/** One QR step on the block low ... high, which has no zero on its diagonal or superdiagonal. */
function qrStep(
  d: Float64Array,
  e: Float64Array,
  low: number,
  high: number,
  uh: Matrix | null,
  vh: Matrix | null,
): void {
  // The shift is the eigenvalue of the last 2 x 2 of B^T B nearest to its corner, all divided by `unit`.
  const unit = Math.max(
    Math.abs(d[high]!),
    Math.abs(d[high - 1]!),
    Math.abs(e[high - 1]!),
    Math.abs(d[low]!),
    Math.abs(e[low]!),
  );
  const last = d[high]! / unit;
  const before = d[high - 1]! / unit;
  const offDiagonal = e[high - 1]! / unit;
  const first = d[low]! / unit;
  const b = ((before + last) * (before - last) + offDiagonal * offDiagonal) / 2;
  const c2 = last * offDiagonal * (last * offDiagonal);
  let shift = 0;
  if (b !== 0 || c2 !== 0) shift = c2 / (b + (b < 0 ? -1 : 1) * Math.sqrt(b * b + c2));
  let f = (first + last) * (first - last) + shift;
  let g = first * (e[low]! / unit);
  for (let j = low; j < high; j++) {
    let t = hypotenuse(f, g);
    let c = t === 0 ? 1 : f / t;
    let s = t === 0 ? 0 : g / t;
    if (j > low) e[j - 1] = t;
    f = c * d[j]! + s * e[j]!;
    e[j] = c * e[j]! - s * d[j]!;
    g = s * d[j + 1]!;
    d[j + 1]! *= c;
    if (vh !== null) rotateRows(vh, j, j + 1, c, s);
    t = hypotenuse(f, g);
    c = t === 0 ? 1 : f / t;
    s = t === 0 ? 0 : g / t;
    d[j] = t;
    f = c * e[j]! + s * d[j + 1]!;
    d[j + 1] = c * d[j + 1]! - s * e[j]!;
    g = s * e[j + 1]!;
    e[j + 1]! *= c;
    if (uh !== null) rotateRows(uh, j, j + 1, c, s);
  }
  e[high - 1] = f;
}
