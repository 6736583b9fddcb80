/**
 * Products of matrices, and the matrix exponential by scaling and squaring with the Padé approximant of degree 13.
 */
import { blockedSize, load, unload, withBlocks } from "./block.ts";
import { setProduct } from "./block-product.ts";
import { solve } from "./lu.ts";
import { corner, identity, type Matrix, scaleAll, zeros } from "./matrix.ts";
import { addRow, imAt } from "./rows.ts";

/** The matrix product. */
export function multiply(a: Matrix, b: Matrix): Matrix {
  if (a.rows * a.cols * b.cols >= blockedSize ** 3) return multiplyBlocks(a, b);
  const result = zeros(a.rows, b.cols, a.im !== null || b.im !== null);
  const inner = a.cols;
  addProduct(result.re, a.re, b.re, inner, b.cols, 1);
  if (a.im !== null && b.im !== null) addProduct(result.re, a.im, b.im, inner, b.cols, -1);
  if (b.im !== null) addProduct(result.im!, a.re, b.im, inner, b.cols, 1);
  if (a.im !== null) addProduct(result.im!, a.im, b.re, inner, b.cols, 1);
  return result;
}

function multiplyBlocks(a: Matrix, b: Matrix): Matrix {
  const isComplex = [a.im !== null, b.im !== null] as const;
  return withBlocks(
    [
      [a.rows, a.cols, isComplex[0]],
      [b.rows, b.cols, isComplex[1]],
      [a.rows, b.cols, isComplex[0] || isComplex[1]],
    ],
    (left, right, product) => {
      load(left, a);
      load(right, b);
      setProduct(product, left, right);
      return unload(product);
    },
  );
}

/** c += sign * a * b for real matrices, four rows of b at a time. */
function addProduct(
  c: Float64Array,
  a: Float64Array,
  b: Float64Array,
  inner: number,
  cols: number,
  sign: number,
): void {
  for (let from = 0, row = 0; from < c.length; from += cols, row += inner) {
    let k = 0;
    for (; k + 3 < inner; k += 4) {
      const f0 = sign * a[row + k]!;
      const f1 = sign * a[row + k + 1]!;
      const f2 = sign * a[row + k + 2]!;
      const f3 = sign * a[row + k + 3]!;
      const at = k * cols;
      for (let j = 0; j < cols; j++) {
        const i = at + j;
        c[from + j]! += f0 * b[i]! + f1 * b[i + cols]! + (f2 * b[i + 2 * cols]! + f3 * b[i + 3 * cols]!);
      }
    }
    for (; k < inner; k++) {
      const f = sign * a[row + k]!;
      for (let j = 0; j < cols; j++) c[from + j]! += f * b[k * cols + j]!;
    }
  }
}

/** The coefficients of the numerator; those of the denominator have alternating signs. */
const PADE = [
  64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
  670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
];

/** The largest 1-norm for which the approximant is exact to double precision. */
const REACH = 5.371920351148152;

/** e^A. */
export function matrixExp(a: Matrix): Matrix {
  const n = a.rows;
  const norm = columnNorm(a);
  const squarings = norm > REACH ? Math.ceil(Math.log2(norm / REACH)) : 0;
  // A norm that is not finite gives NaN; there is nothing to scale.
  const x = scaleAll(corner(a), norm < Infinity ? 2 ** -squarings : NaN);
  const x2 = multiply(x, x);
  const x4 = multiply(x2, x2);
  const x6 = multiply(x4, x2);
  const powers = [identity(n, n, a.im !== null), x2, x4, x6];
  const even = (shift: number) => {
    const high = combine(powers, [0, PADE[8 + shift]!, PADE[10 + shift]!, PADE[12 + shift]!]);
    const low = combine(powers, [PADE[shift]!, PADE[2 + shift]!, PADE[4 + shift]!, PADE[6 + shift]!]);
    return combine([multiply(x6, high), low], [1, 1]);
  };
  const u = multiply(x, even(1));
  const v = even(0);
  let result = solve(combine([v, u], [1, -1]), combine([v, u], [1, 1])).x;
  for (let i = 0; i < (norm < Infinity ? squarings : 0); i++) result = multiply(result, result);
  return result;
}

/** The 1-norm: the largest sum of absolute values of a column. */
function columnNorm(a: Matrix): number {
  const sums = new Float64Array(a.cols);
  for (let i = 0; i < a.re.length; i++) sums[i % a.cols]! += Math.hypot(a.re[i]!, imAt(a, i));
  return sums.reduce((x, y) => Math.max(x, y), 0);
}

/** The sum of matrices times factors. */
function combine(terms: readonly Matrix[], factors: readonly number[]): Matrix {
  const first = terms[0]!;
  const result = zeros(first.rows, first.cols, first.im !== null);
  for (let k = 0; k < terms.length; k++)
    for (let i = 0; i < first.rows; i++) addRow(result, i, terms[k]!, i, factors[k]!, 0, 0, first.cols);
  return result;
}
