/**
 * The implicit QL method for a real tridiagonal matrix: a rotation for each element next to the diagonal chases the shift, until the element
 * is negligible.
 */
import type { Matrix } from "./matrix.ts";
import { hypotenuse, rotateRows } from "./rows.ts";

/**
 * Turns the tridiagonal matrix (d, e) into eigenvalues in `d`; the rotations are applied to `rows`, too. Returns 0, or the number of
 * eigenvalues that did not converge.
 */
export function implicitQl(d: Float64Array, e: Float64Array, rows: Matrix | null): number {
  const n = d.length;
  let max = 0;
  for (let i = 0; i < n; i++) max = Math.max(max, Math.abs(d[i]!) + Math.abs(e[i]!));
  const tiny = max * 1e-300;
  for (let low = 0; low < n; low++)
    for (let turns = 0; ; turns++) {
      let high = low;
      while (
        high < n - 1 &&
        Math.abs(e[high]!) > Number.EPSILON * 0.5 * (Math.abs(d[high]!) + Math.abs(d[high + 1]!)) + tiny
      )
        high++;
      if (high === low) break;
      if (turns === 100 + 6 * n) return n - low;
      const slope = (d[low + 1]! - d[low]!) / (2 * e[low]!);
      const root = hypotenuse(slope, 1);
      let g = d[high]! - d[low]! + e[low]! / (slope < 0 ? slope - root : slope + root);
      let s = 1;
      let c = 1;
      let p = 0;
      let i = high - 1;
      for (; i >= low; i--) {
        const f = s * e[i]!;
        const b = c * e[i]!;
        const r = hypotenuse(f, g);
        e[i + 1] = r;
        if (r === 0) {
          d[i + 1]! -= p;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1]! - p;
        const t = (d[i]! - g) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        if (rows !== null) rotateRows(rows, i, i + 1, c, -s);
      }
      e[high] = 0;
      if (i >= low) continue;
      d[low]! -= p;
      e[low] = g;
    }
  return 0;
}
