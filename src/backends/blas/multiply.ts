/**
 * Matrix products by BLAS: which products it computes, and with which arguments.
 *
 * BLAS requires that each matrix has dense rows or dense columns, and a leading dimension of at least their length. Other layouts
 * (broadcast, reversed, with gaps both ways), small or thin products, and other dtypes are left to kernels.
 */
import { threadLimit } from "../../kernel/backend.ts";
import type { Locate, NativeProduct } from "../../kernel/contract/native.ts";
import { type Product, type StridedMatrix, transposed } from "../../kernel/contract/product.ts";
import { dtypes } from "../../storage/dtype.ts";
import type { OpenBlas } from "./openblas.ts";

/** A product with at least this many multiplications is worth a call, */
const enoughWork = 2 ** 15;
/** if m, n and k are at least this: thin products are limited by memory, where kernels are as fast. */
const enoughLength = 4;
const maxInt = 2 ** 31 - 1;
/** Arguments of cblas: row-major matrices, not transposed or transposed. */
const rowMajor = 101;
const noTrans = 111;
const trans = 112;

/** The leading dimension of a matrix with dense rows, the negative one of a matrix with dense columns, else 0. */
function leadingDimension({ row, column }: StridedMatrix, rows: number, columns: number): number {
  if ((column === 1 || columns === 1) && (row >= columns || rows === 1)) return rows === 1 ? columns : row;
  if ((row === 1 || rows === 1) && (column >= rows || columns === 1)) return columns === 1 ? -rows : -column;
  return 0;
}

/** Returns the function that computes a product of any size; null if BLAS cannot. */
export function multiply(blas: OpenBlas, original: Product): ((locate: Locate) => void) | null {
  const gemm = blas.gemm[original.dtype];
  if (gemm === undefined) return null;
  const product = leadingDimension(original.out, original.m, original.n) > 0 ? original : transposed(original);
  const { m, n, k, out, a, b, count, batch } = product;
  const ldc = leadingDimension(out, m, n);
  const lda = leadingDimension(a, m, k);
  const ldb = leadingDimension(b, k, n);
  if (ldc <= 0 || lda === 0 || ldb === 0) return null;
  if (Math.max(m, n, k, ldc, Math.abs(lda), Math.abs(ldb)) > maxInt) return null;
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
        lda > 0 ? noTrans : trans,
        ldb > 0 ? noTrans : trans,
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

/** The native product that kernels try first, with this many threads. */
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
