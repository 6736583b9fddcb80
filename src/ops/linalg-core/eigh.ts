/**
 * Eigenvalues and eigenvectors of Hermitian matrices, A = V diag(w) V^H with w ascending: Householder reflections to a real
 * tridiagonal matrix, then divide and conquer for the vectors of a large matrix, or the implicit QL method. Only one triangle is read.
 * `info` is 0, -1 if an element is not finite, or the number of eigenvalues that did not converge.
 */
import { type Block, blockedSize, copyBlock, load, part, unload, withBlocks } from "./block.ts";
import { divideTridiagonal } from "./divide-tridiagonal.ts";
import { implicitQl } from "./implicit-ql.ts";
import { adjoint, identity, type Matrix, mirrored, takeRows, tame, zeros } from "./matrix.ts";
import { accumulate } from "./reflector.ts";
import { applyReflections } from "./reflector-block.ts";
import type { Complex } from "./rows.ts";
import { type Tridiagonal, tridiagonalize, tridiagonalizeBlock } from "./tridiagonal.ts";

/** Eigenvalues in ascending order; `vectors` is n x n with one vector per column, or null if not requested. */
interface Eigh {
  readonly values: Float64Array;
  readonly vectors: Matrix | null;
  readonly info: number;
}

/** Computes the eigenvalues of the Hermitian matrix given by one triangle of `a`, and its eigenvectors if requested. */
export function eigh(a: Matrix, upper = false, withVectors = true): Eigh {
  const n = a.rows;
  const t: Tridiagonal = { diagonal: new Float64Array(n), offDiagonal: new Float64Array(n) };
  const start = tame(mirrored(a, upper));
  if (start === null)
    return { values: t.diagonal.fill(NaN), vectors: withVectors ? zeros(n, n, a.im !== null) : null, info: -1 };
  const { rows, info } =
    n < blockedSize ? byRotations(start.matrix, t, withVectors) : byBlocks(start.matrix, t, withVectors);
  const order = Array.from(t.diagonal.keys()).sort((i, j) => t.diagonal[i]! - t.diagonal[j]!);
  return {
    values: Float64Array.from(order, (i) => t.diagonal[i]! * start.factor),
    vectors: rows && adjoint(takeRows(rows, order)),
    info,
  };
}

/** The eigenvalues in `t.diagonal`, and the adjoint of the eigenvectors, in any order. */
interface Unsorted {
  readonly rows: Matrix | null;
  readonly info: number;
}

function byRotations(matrix: Matrix, t: Tridiagonal, withVectors: boolean): Unsorted {
  const n = matrix.rows;
  const taus: Complex[] = [];
  tridiagonalize(matrix, 0, t, taus);
  let rows = withVectors ? accumulate(matrix, taus, 1, identity(n, n, matrix.im !== null)) : null;
  if (turnedForQl(t))
    rows &&= takeRows(
      rows,
      Array.from(t.diagonal, (_, i) => n - 1 - i),
    );
  return { rows, info: implicitQl(t.diagonal, t.offDiagonal, rows) };
}

/** Reverses a tridiagonal matrix whose large elements come first, because QL converges faster if they come last. */
function turnedForQl({ diagonal, offDiagonal }: Tridiagonal): boolean {
  const n = diagonal.length;
  if (!(Math.abs(diagonal[0]!) > Math.abs(diagonal[n - 1]!))) return false;
  diagonal.reverse();
  offDiagonal.subarray(0, n - 1).reverse();
  return true;
}

function byBlocks(matrix: Matrix, t: Tridiagonal, withVectors: boolean): Unsorted {
  const n = matrix.rows;
  const complex = matrix.im !== null;
  return withBlocks([[n, n, complex]], (block) => {
    load(block, matrix);
    const taus = tridiagonalizeBlock(block, t);
    if (!withVectors) {
      turnedForQl(t);
      return { rows: null, info: implicitQl(t.diagonal, t.offDiagonal, null) };
    }
    return withBlocks([[n, n]], (q) => {
      const info = divideTridiagonal(t.diagonal, t.offDiagonal, q);
      const back = (rows: Block): Unsorted => {
        applyReflections(rows, (k) => part(block, k, k + 1, 0, n), taus, 1, true);
        return { rows: unload(rows), info };
      };
      if (!complex) return back(q);
      return withBlocks([[n, n, true]], (rows) => {
        copyBlock(rows, q);
        return back(rows);
      });
    });
  });
}
