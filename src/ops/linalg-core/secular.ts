/**
 * The secular equation of divide and conquer, 1 + rho * sum of z_j^2 / (p_j - x) = 0: its roots are the eigenvalues of diag(p) + rho z z^T.
 *
 * Root i lies between poles i and i + 1, the last one after the last pole. It is computed as its distance from the nearer pole, by rational
 * interpolation between the two (Li, Solving Secular Equations Stably and Efficiently, the middle way) inside a bracket. From the roots
 * the z for which they are exact is computed (Gu and Eisenstat), so that the vectors are orthogonal however close the roots are.
 */

/** Poles in ascending order: the numbers themselves, or their squares, whose differences are accurate relative to their own size. */
export interface Poles {
  readonly at: Float64Array;
  readonly areSquared: boolean;
}

/** Writes p_j - p_i to gaps[j]. */
function writeGaps({ at, areSquared }: Poles, i: number, gaps: Float64Array): void {
  const origin = at[i]!;
  for (let j = 0; j < at.length; j++) {
    const gap = at[j]! - origin;
    gaps[j] = areSquared ? gap * (at[j]! + origin) : gap;
  }
}

/** All roots. Root i is `shift[i]` after pole `origin[i]`. */
export interface SecularRoots {
  readonly origin: Int32Array;
  readonly shift: Float64Array;
  /** p_j - x_i at i * count + j. */
  readonly differences: Float64Array;
  /** The z for which the roots are exact, with the signs of the given one. */
  readonly z: Float64Array;
}

/** Solves the equation for rho > 0 and poles that are apart, with no z_j of 0. */
export function solveSecular(poles: Poles, z: Float64Array, rho: number): SecularRoots {
  const count = poles.at.length;
  const origin = new Int32Array(count);
  const shift = new Float64Array(count);
  const differences = new Float64Array(count * count);
  const squares = new Float64Array(count);
  let norm = 0;
  for (let j = 0; j < count; j++) {
    squares[j] = z[j]! * z[j]!;
    norm += squares[j]!;
  }
  const gaps = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const isLast = i === count - 1;
    let from = i;
    writeGaps(poles, i, gaps);
    const width = isLast ? rho * norm : gaps[i + 1]!;
    let low = 0;
    let high = width;
    if (!isLast && valueAt(gaps, squares, rho, width / 2) < 0) {
      from = i + 1;
      writeGaps(poles, i + 1, gaps);
      low = -width / 2;
      high = 0;
    } else if (!isLast) high = width / 2;
    const root = count === 1 ? width : findRoot(gaps, squares, rho, i, low, high);
    origin[i] = from;
    shift[i] = root;
    for (let j = 0; j < count; j++) differences[i * count + j] = gaps[j]! - root;
  }
  return { origin, shift, differences, z: exactFor(poles, differences, z, rho) };
}

/** The left side of the equation divided by rho, at a distance from the origin of the gaps. */
function valueAt(gaps: Float64Array, squares: Float64Array, rho: number, x: number): number {
  let sum = 1 / rho;
  for (let j = 0; j < gaps.length; j++) sum += squares[j]! / (gaps[j]! - x);
  return sum;
}

/** Returns the root between low and high, which are on one side of the origin; poles 0 ... i are before it. */
function findRoot(
  gaps: Float64Array,
  squares: Float64Array,
  rho: number,
  i: number,
  low: number,
  high: number,
): number {
  const count = gaps.length;
  const isLast = i === count - 1;
  // The last root has both poles before it.
  const split = isLast ? i - 1 : i;
  let x = startFor(gaps, squares, rho, split, low, high);
  let before = Infinity;
  for (let turn = 0; turn < 80; turn++) {
    let psi = 0;
    let psiSlope = 0;
    let phi = 0;
    let phiSlope = 0;
    for (let j = 0; j <= split; j++) {
      const inverse = 1 / (gaps[j]! - x);
      const term = squares[j]! * inverse;
      psi += term;
      psiSlope += term * inverse;
    }
    for (let j = split + 1; j < count; j++) {
      const inverse = 1 / (gaps[j]! - x);
      const term = squares[j]! * inverse;
      phi += term;
      phiSlope += term * inverse;
    }
    const value = 1 / rho + psi + phi;
    const slope = psiSlope + phiSlope;
    const rounding = 8 * (1 / rho + Math.abs(psi) + Math.abs(phi)) + Math.abs(x) * slope;
    if (Math.abs(value) <= Number.EPSILON * rounding) return x;
    if (value < 0) low = x;
    else high = x;
    const left = gaps[split]! - x;
    const right = gaps[split + 1]! - x;
    const c = value - left * psiSlope - right * phiSlope;
    const a = (left + right) * value - left * right * slope;
    const b = left * right * value;
    const root = Math.sqrt(Math.abs(a * a - 4 * b * c));
    let step: number;
    if (isLast) step = a >= 0 ? (a + root) / (2 * c) : (2 * b) / (a - root);
    else step = a <= 0 ? (a - root) / (2 * c) : (2 * b) / (a + root);
    let next = x + step;
    // Slow progress or a step out of the bracket: halve the bracket, by magnitude if it spans several.
    const isSlow = turn > 6 && Math.abs(value) > before / 2;
    if (!(next > low && next < high) || isSlow) next = between(low, high);
    before = Math.abs(value);
    if (next === x || !(next > low && next < high)) return x;
    x = next;
  }
  return x;
}

/** Returns a number between two others, which do not have opposite signs. */
function between(low: number, high: number): number {
  const [small, large] = [Math.min(Math.abs(low), Math.abs(high)), Math.max(Math.abs(low), Math.abs(high))];
  if (small > 0 && large > 4 * small) return Math.sign(low + high) * Math.sqrt(small) * Math.sqrt(large);
  return low + (high - low) / 2;
}

/** Returns a first approximation: the root for the two poles next to it, with the other terms as at the far end of the bracket. */
function startFor(
  gaps: Float64Array,
  squares: Float64Array,
  rho: number,
  split: number,
  low: number,
  high: number,
): number {
  const middle = low === 0 ? high : low;
  let c = 1 / rho;
  for (let j = 0; j < gaps.length; j++) if (j !== split && j !== split + 1) c += squares[j]! / (gaps[j]! - middle);
  // c + s / (p - x) + t / (q - x) = 0.
  const [p, q, s, t] = [gaps[split]!, gaps[split + 1]!, squares[split]!, squares[split + 1]!];
  const a = c * (p + q) + s + t;
  const b = c * p * q + s * q + t * p;
  const root = Math.sqrt(Math.max(0, a * a - 4 * b * c));
  const large = a >= 0 ? a + root : a - root;
  for (const x of [large / (2 * c), (2 * b) / large]) if (x > low && x < high) return x;
  return low + (high - low) / 2;
}

/** z_j^2 = the product over i of (x_i - p_j), divided by that of (p_i - p_j) for i other than j, and by rho. */
function exactFor(poles: Poles, differences: Float64Array, z: Float64Array, rho: number): Float64Array {
  const count = poles.at.length;
  const result = new Float64Array(count);
  for (let j = 0; j < count; j++) result[j] = differences[j * count + j]!;
  const gaps = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    writeGaps(poles, i, gaps);
    gaps[i] = differences[i * count + i]!;
    for (let j = 0; j < count; j++) result[j]! *= differences[i * count + j]! / gaps[j]!;
  }
  for (let j = 0; j < count; j++) {
    const size = Math.sqrt(Math.max(0, -result[j]! / rho));
    result[j] = z[j]! < 0 ? -size : size;
  }
  return result;
}
