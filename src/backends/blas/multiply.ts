/**
 * Products of matrices by BLAS: which ones it takes, and with which arguments.
 *
 * BLAS wants of each matrix that its rows or its columns are dense, and the others a fixed step apart that is no shorter than they
 * are. What lies otherwise (broadcast, reversed, with gaps both ways), what is small or thin, and other dtypes are left to kernels.
 */
import { threadLimit } from "../../kernel/backend.ts";
import type { Locate, NativeProduct } from "../../kernel/contract/native.ts";
import { type Product, type StridedMatrix, transposed } from "../../kernel/contract/product.ts";
import { dtypes } from "../../storage/dtype.ts";
import type { OpenBlas } from "./openblas.ts";

/** A product of so many multiplications is worth a call, */
const enoughWork = 2 ** 15;
/** if m, n and k are at least so long: thin products wait for memory, and kernels do that as well. */
const enoughLength = 4;
const mostInt = 2 ** 31 - 1;
/** Arguments of cblas: matrices row by row, as they are or transposed. */
const rowMajor = 101;
const asItIs = 111;
const turned = 112;

/** The step from row to row of a matrix with dense rows, the negative step from column to column of one with dense columns, else 0. */
function stepOf({ row, column }: StridedMatrix, rows: number, columns: number): number {
  if ((column === 1 || columns === 1) && (row >= columns || rows === 1)) return rows === 1 ? columns : row;
  if ((row === 1 || rows === 1) && (column >= rows || columns === 1)) return columns === 1 ? -rows : -column;
  return 0;
}

/** What computes a product, whatever its size; null if BLAS cannot. */
export function multiply(blas: OpenBlas, given: Product): ((locate: Locate) => void) | null {
  const gemm = blas.gemm[given.dtype];
  if (gemm === undefined) return null;
  const product = stepOf(given.out, given.m, given.n) > 0 ? given : transposed(given);
  const { m, n, k, out, a, b, count, batch } = product;
  const ldc = stepOf(out, m, n);
  const lda = stepOf(a, m, k);
  const ldb = stepOf(b, k, n);
  if (ldc <= 0 || lda === 0 || ldb === 0) return null;
  if (Math.max(m, n, k, ldc, Math.abs(lda), Math.abs(ldb)) > mostInt) return null;
  const { itemsize } = dtypes[product.dtype];
  const { call, one, zero } = gemm;
  return (locate) => {
    const addressOf = ({ storage, start }: StridedMatrix): number => {
      const [memory, address] = locate(storage);
      return blas.addressOf(memory) + address + start * itemsize;
    };
    const [c0, a0, b0] = [out, a, b].map(addressOf) as [number, number, number];
    for (let i = 0; i < count; i++) {
      let rest = i;
      let c = c0;
      let x = a0;
      let y = b0;
      for (let at = 0; at < batch.length; at += 4) {
        const size = batch[at];
        const coord = rest % size;
        rest = (rest - coord) / size;
        c += coord * batch[at + 1] * itemsize;
        x += coord * batch[at + 2] * itemsize;
        y += coord * batch[at + 3] * itemsize;
      }
      call(
        rowMajor,
        lda > 0 ? asItIs : turned,
        ldb > 0 ? asItIs : turned,
        m,
        n,
        k,
        one,
        x,
        Math.abs(lda),
        y,
        Math.abs(ldb),
        product.accumulates ? one : zero,
        c,
        ldc,
      );
    }
  };
}

/** The way over BLAS for kernels to ask, with so many threads. */
export function blasProduct(blas: OpenBlas, threads: number): NativeProduct {
  let set = 0;
  return (product) => {
    const { m, n, k } = product;
    if (Math.min(m, n, k) < enoughLength || m * n * k < enoughWork) return null;
    const count = Math.min(threads, threadLimit());
    if (count !== set) {
      set = count;
      blas.setThreads(count);
    }
    return multiply(blas, product);
  };
}
