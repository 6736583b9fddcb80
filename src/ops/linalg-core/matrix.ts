/**
 * One dense matrix in row-major Float64Arrays: `re`, and `im` if the elements are complex.
 * Every routine of this folder takes such matrices and returns new ones. Real matrices (`im` null) do not pay for the
 * complex case, because the long loops are in `rows.ts` and test `im` once per row. Callers check shapes.
 */

/** `rows` x `cols` elements in row-major order; `im` is null if all elements are real. */
export interface Matrix {
  readonly rows: number;
  readonly cols: number;
  readonly re: Float64Array;
  readonly im: Float64Array | null;
}

/** Returns a matrix of zeros. */
export function zeros(rows: number, cols: number, complex: boolean): Matrix {
  const size = rows * cols;
  return { rows, cols, re: new Float64Array(size), im: complex ? new Float64Array(size) : null };
}

/** Returns a matrix with ones on the diagonal and zeros elsewhere. */
export function identity(rows: number, cols: number, complex: boolean): Matrix {
  const result = zeros(rows, cols, complex);
  for (let i = 0; i < rows && i < cols; i++) result.re[i * cols + i] = 1;
  return result;
}

/** Copies the first `rows` rows and `cols` columns, with zeros outside the matrix. */
export function corner(a: Matrix, rows = a.rows, cols = a.cols): Matrix {
  const result = zeros(rows, cols, a.im !== null);
  const width = Math.min(cols, a.cols);
  for (let i = 0; i < rows && i < a.rows; i++) {
    const from = i * a.cols;
    result.re.set(a.re.subarray(from, from + width), i * cols);
    if (a.im !== null) result.im!.set(a.im.subarray(from, from + width), i * cols);
  }
  return result;
}

/** Returns the conjugate transpose; without `conjugate` the plain transpose. */
export function adjoint(a: Matrix, conjugate = true): Matrix {
  const { rows, cols } = a;
  const result = zeros(cols, rows, a.im !== null);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < cols; j++) {
      result.re[j * rows + i] = a.re[i * cols + j]!;
      if (a.im !== null) result.im![j * rows + i] = conjugate ? 0 - a.im[i * cols + j]! : a.im[i * cols + j]!;
    }
  return result;
}

/** Selects rows: result[i] = a[order[i]]. */
export function takeRows(a: Matrix, order: ArrayLike<number>): Matrix {
  const result = zeros(order.length, a.cols, a.im !== null);
  for (let i = 0; i < order.length; i++) {
    const from = order[i]! * a.cols;
    result.re.set(a.re.subarray(from, from + a.cols), i * a.cols);
    if (a.im !== null) result.im!.set(a.im.subarray(from, from + a.cols), i * a.cols);
  }
  return result;
}

/** Returns the triangle of `a` on and above the diagonal (`upper`) or on and below it, in the same shape. */
export function triangle(a: Matrix, upper: boolean): Matrix {
  const result = corner(a);
  for (let i = 0; i < a.rows; i++) {
    const from = i * a.cols + (upper ? 0 : Math.min(i + 1, a.cols));
    const to = i * a.cols + (upper ? Math.min(i, a.cols) : a.cols);
    result.re.fill(0, from, to);
    result.im?.fill(0, from, to);
  }
  return result;
}

/** Returns the Hermitian matrix given by one triangle of `a`; with `conjugate` false, the symmetric one. */
export function mirrored(a: Matrix, upper: boolean, conjugate = true): Matrix {
  const result = corner(a);
  const n = a.cols;
  for (let i = 0; i < n; i++) {
    if (conjugate && a.im !== null) result.im![i * n + i] = 0;
    for (let j = 0; j < i; j++) {
      const to = upper ? i * n + j : j * n + i;
      const from = upper ? j * n + i : i * n + j;
      result.re[to] = a.re[from]!;
      if (a.im !== null) result.im![to] = conjugate ? 0 - a.im[from]! : a.im[from]!;
    }
  }
  return result;
}

/** Multiplies all elements by a real number, in place. */
export function scaleAll(a: Matrix, factor: number): Matrix {
  if (factor === 1) return a;
  for (let i = 0; i < a.re.length; i++) a.re[i]! *= factor;
  if (a.im !== null) scaleAll({ ...a, re: a.im, im: null }, factor);
  return a;
}

/** Returns the largest |re| or |im| of all elements; NaN if one of them is NaN. */
export function largest(a: Matrix): number {
  let max = 0;
  for (let i = 0; i < a.re.length && !Number.isNaN(max); i++) {
    const size = Math.abs(a.re[i]!);
    if (!(size <= max)) max = size;
  }
  return a.im === null ? max : Math.max(max, largest({ ...a, re: a.im, im: null }));
}

/**
 * Returns a copy whose elements can be squared without overflow or loss, and the power of 2 that it was divided by;
 * null if an element is not finite.
 */
export function tame(a: Matrix): { matrix: Matrix; factor: number } | null {
  const max = largest(a);
  if (!(max < Infinity)) return null;
  const factor = max === 0 || (max > 1e-50 && max < 1e50) ? 1 : 2 ** Math.max(-1000, Math.floor(Math.log2(max)));
  return { matrix: scaleAll(corner(a), 1 / factor), factor };
}
