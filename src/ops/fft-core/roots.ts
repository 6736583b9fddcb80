/**
 * Roots of unity, e^(-2 pi i k / n), each computed independently and correct to about one unit in the last place: integer arithmetic
 * reduces the angle to the first eighth of the circle before any rounding.
 * `Powers` holds every root of a large n as a product of entries of two short tables.
 */

/** Writes root k of n, 0 <= k < n, as two numbers at out[at]. */
export function writeRoot(out: Float64Array, at: number, k: number, n: number): void {
  // In quarters of a step, so that eighths of the circle are integers.
  let part = 4 * k;
  const below = part > 2 * n;
  if (below) part = 4 * n - part;
  const left = part > n;
  if (left) part = 2 * n - part;
  const steep = 2 * part > n;
  const angle = ((Math.PI / 2) * (steep ? n - part : part)) / n;
  const x = steep ? Math.sin(angle) : Math.cos(angle);
  const y = steep ? Math.cos(angle) : Math.sin(angle);
  out[at] = left ? -x : x;
  out[at + 1] = below ? y : -y;
}

/** Returns `count` roots of n, those of k = 0, step, 2 * step, ..., with real and imaginary parts interleaved. */
export function rootTable(n: number, count = n, step = 1): Float64Array {
  const table = new Float64Array(2 * count);
  for (let k = 0; k < count; k++) writeRoot(table, 2 * k, k * step, n);
  return table;
}

/** Root e of n is coarse[e >> 10] * fine[e & 1023]. */
export interface Powers {
  readonly coarse: Float64Array;
  readonly fine: Float64Array;
}

/** Returns the two tables for all roots of n. */
export function powersOf(n: number): Powers {
  return { coarse: rootTable(n, Math.ceil(n / 1024), 1024), fine: rootTable(n, Math.min(n, 1024)) };
}
