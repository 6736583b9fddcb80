/**
 * The passes of Stockham's transform. A pass of radix r takes s interleaved sequences of length n in x to r times as many
 * of length m = n / r in y, in order, so that no bit reversal is needed:
 *
 *   y[q + s * (r * p + j)] = w^(p * j) * sum over t of x[q + s * (p + m * t)] * e^(-2 pi i j t / r),   w = e^(-2 pi i / n),
 *
 * for q < s, p < m, j < r. After the passes of all radices y is the transform. The twiddle factors are roots[step * e], e < n.
 */
import { rootTable } from "./roots.ts";

type Run = (x: Float64Array, y: Float64Array, n: number, s: number, roots: Float64Array, step: number) => void;

/** One pass of a plan. */
export interface Pass {
  readonly radix: number;
  readonly run: Run;
}

const pass2: Run = (x, y, n, s, roots, step) => {
  const row = 2 * s;
  const far = (n / 2) * row;
  for (let p = 0; 2 * p < n; p++) {
    const wr = roots[2 * p * step]!;
    const wi = roots[2 * p * step + 1]!;
    let to = 2 * p * row;
    for (let i = p * row, end = i + row; i < end; i += 2, to += 2) {
      const re = x[i]! - x[i + far]!;
      const im = x[i + 1]! - x[i + far + 1]!;
      y[to] = x[i]! + x[i + far]!;
      y[to + 1] = x[i + 1]! + x[i + far + 1]!;
      y[to + row] = re * wr - im * wi;
      y[to + row + 1] = re * wi + im * wr;
    }
  }
};

const pass3: Run = (x, y, n, s, roots, step) => {
  const row = 2 * s;
  const far = (n / 3) * row;
  const sine = Math.sqrt(3) / 2;
  for (let p = 0; 3 * p < n; p++) {
    const e = 2 * p * step;
    const w1r = roots[e]!;
    const w1i = roots[e + 1]!;
    const w2r = roots[2 * e]!;
    const w2i = roots[2 * e + 1]!;
    let to = 3 * p * row;
    for (let i = p * row, end = i + row; i < end; i += 2, to += 2) {
      const sumRe = x[i + far]! + x[i + 2 * far]!;
      const sumIm = x[i + far + 1]! + x[i + 2 * far + 1]!;
      const turnRe = sine * (x[i + far + 1]! - x[i + 2 * far + 1]!);
      const turnIm = sine * (x[i + 2 * far]! - x[i + far]!);
      const midRe = x[i]! - 0.5 * sumRe;
      const midIm = x[i + 1]! - 0.5 * sumIm;
      y[to] = x[i]! + sumRe;
      y[to + 1] = x[i + 1]! + sumIm;
      y[to + row] = (midRe + turnRe) * w1r - (midIm + turnIm) * w1i;
      y[to + row + 1] = (midRe + turnRe) * w1i + (midIm + turnIm) * w1r;
      y[to + 2 * row] = (midRe - turnRe) * w2r - (midIm - turnIm) * w2i;
      y[to + 2 * row + 1] = (midRe - turnRe) * w2i + (midIm - turnIm) * w2r;
    }
  }
};

const pass4: Run = (x, y, n, s, roots, step) => {
  const row = 2 * s;
  const far = (n / 4) * row;
  for (let p = 0; 4 * p < n; p++) {
    const e = 2 * p * step;
    const w1r = roots[e]!;
    const w1i = roots[e + 1]!;
    const w2r = roots[2 * e]!;
    const w2i = roots[2 * e + 1]!;
    const w3r = roots[3 * e]!;
    const w3i = roots[3 * e + 1]!;
    let to = 4 * p * row;
    for (let i = p * row, end = i + row; i < end; i += 2, to += 2) {
      const evenRe = x[i]! + x[i + 2 * far]!;
      const evenIm = x[i + 1]! + x[i + 2 * far + 1]!;
      const oddRe = x[i + far]! + x[i + 3 * far]!;
      const oddIm = x[i + far + 1]! + x[i + 3 * far + 1]!;
      const acrossRe = x[i]! - x[i + 2 * far]!;
      const acrossIm = x[i + 1]! - x[i + 2 * far + 1]!;
      const turnRe = x[i + far + 1]! - x[i + 3 * far + 1]!;
      const turnIm = x[i + 3 * far]! - x[i + far]!;
      y[to] = evenRe + oddRe;
      y[to + 1] = evenIm + oddIm;
      y[to + row] = (acrossRe + turnRe) * w1r - (acrossIm + turnIm) * w1i;
      y[to + row + 1] = (acrossRe + turnRe) * w1i + (acrossIm + turnIm) * w1r;
      y[to + 2 * row] = (evenRe - oddRe) * w2r - (evenIm - oddIm) * w2i;
      y[to + 2 * row + 1] = (evenRe - oddRe) * w2i + (evenIm - oddIm) * w2r;
      y[to + 3 * row] = (acrossRe - turnRe) * w3r - (acrossIm - turnIm) * w3i;
      y[to + 3 * row + 1] = (acrossRe - turnRe) * w3i + (acrossIm - turnIm) * w3r;
    }
  }
};

const pass5: Run = (x, y, n, s, roots, step) => {
  const row = 2 * s;
  const far = (n / 5) * row;
  // Cosines and sines of one and two fifths of the circle.
  const c1 = (Math.sqrt(5) - 1) / 4;
  const c2 = -(Math.sqrt(5) + 1) / 4;
  const s1 = Math.sqrt(10 + 2 * Math.sqrt(5)) / 4;
  const s2 = Math.sqrt(10 - 2 * Math.sqrt(5)) / 4;
  for (let p = 0; 5 * p < n; p++) {
    const e = 2 * p * step;
    let to = 5 * p * row;
    for (let i = p * row, end = i + row; i < end; i += 2, to += 2) {
      const aRe = x[i]!;
      const aIm = x[i + 1]!;
      const outRe = x[i + far]! + x[i + 4 * far]!;
      const outIm = x[i + far + 1]! + x[i + 4 * far + 1]!;
      const inRe = x[i + 2 * far]! + x[i + 3 * far]!;
      const inIm = x[i + 2 * far + 1]! + x[i + 3 * far + 1]!;
      const farRe = x[i + far]! - x[i + 4 * far]!;
      const farIm = x[i + far + 1]! - x[i + 4 * far + 1]!;
      const nearRe = x[i + 2 * far]! - x[i + 3 * far]!;
      const nearIm = x[i + 2 * far + 1]! - x[i + 3 * far + 1]!;
      y[to] = aRe + outRe + inRe;
      y[to + 1] = aIm + outIm + inIm;
      const mid1Re = aRe + c1 * outRe + c2 * inRe;
      const mid1Im = aIm + c1 * outIm + c2 * inIm;
      const mid2Re = aRe + c2 * outRe + c1 * inRe;
      const mid2Im = aIm + c2 * outIm + c1 * inIm;
      const turn1Re = s1 * farIm + s2 * nearIm;
      const turn1Im = -(s1 * farRe + s2 * nearRe);
      const turn2Re = s2 * farIm - s1 * nearIm;
      const turn2Im = s1 * nearRe - s2 * farRe;
      writeTurned(y, to + row, mid1Re + turn1Re, mid1Im + turn1Im, roots, e);
      writeTurned(y, to + 2 * row, mid2Re + turn2Re, mid2Im + turn2Im, roots, 2 * e);
      writeTurned(y, to + 3 * row, mid2Re - turn2Re, mid2Im - turn2Im, roots, 3 * e);
      writeTurned(y, to + 4 * row, mid1Re - turn1Re, mid1Im - turn1Im, roots, 4 * e);
    }
  }
};

/** y[to] = (re, im) * roots[e]. */
function writeTurned(y: Float64Array, to: number, re: number, im: number, roots: Float64Array, e: number): void {
  const wr = roots[e]!;
  const wi = roots[e + 1]!;
  y[to] = re * wr - im * wi;
  y[to + 1] = re * wi + im * wr;
}

/** A pass of any odd radix, by sums and differences of opposite terms. */
const passOdd = (r: number): Run => {
  const turns = rootTable(r);
  const half = (r - 1) / 2;
  const sums = new Float64Array(2 * half);
  const differences = new Float64Array(2 * half);
  return (x, y, n, s, roots, step) => {
    const row = 2 * s;
    const far = (n / r) * row;
    for (let p = 0; r * p < n; p++)
      for (let q = 0; q < row; q += 2) {
        const i = p * row + q;
        const to = r * p * row + q;
        let re = x[i]!;
        let im = x[i + 1]!;
        for (let t = 1; t <= half; t++) {
          const near = i + t * far;
          const opposite = i + (r - t) * far;
          sums[2 * t - 2] = x[near]! + x[opposite]!;
          sums[2 * t - 1] = x[near + 1]! + x[opposite + 1]!;
          differences[2 * t - 2] = x[near]! - x[opposite]!;
          differences[2 * t - 1] = x[near + 1]! - x[opposite + 1]!;
          re += sums[2 * t - 2]!;
          im += sums[2 * t - 1]!;
        }
        y[to] = re;
        y[to + 1] = im;
        for (let j = 1; j <= half; j++) {
          let midRe = x[i]!;
          let midIm = x[i + 1]!;
          let turnRe = 0;
          let turnIm = 0;
          for (let t = 1, at = j; t <= half; t++, at = at + j < r ? at + j : at + j - r) {
            midRe += turns[2 * at]! * sums[2 * t - 2]!;
            midIm += turns[2 * at]! * sums[2 * t - 1]!;
            turnRe -= turns[2 * at + 1]! * differences[2 * t - 1]!;
            turnIm += turns[2 * at + 1]! * differences[2 * t - 2]!;
          }
          const e = 2 * p * j * step;
          const f = 2 * p * (r - j) * step;
          writeTurned(y, to + j * row, midRe + turnRe, midIm + turnIm, roots, e);
          writeTurned(y, to + (r - j) * row, midRe - turnRe, midIm - turnIm, roots, f);
        }
      }
  };
};

/** Returns the pass of a radix: 4, or a prime. */
export function passOf(radix: number): Pass {
  return { radix, run: [pass2, pass3, pass4, pass5][radix - 2] ?? passOdd(radix) };
}

/** Transforms `lines` interleaved sequences of length n in `a`; returns whichever of `a` and `b` holds the result. */
export function runPasses(
  passes: readonly Pass[],
  n: number,
  roots: Float64Array,
  a: Float64Array,
  b: Float64Array,
  lines: number,
): Float64Array {
  let x = a;
  let y = b;
  let left = n;
  for (let i = 0; i < passes.length; i++) {
    const { radix, run } = passes[i]!;
    run(x, y, left, (lines * n) / left, roots, n / left);
    left /= radix;
    const other = x;
    x = y;
    y = other;
  }
  return x;
}
