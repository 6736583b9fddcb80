/**
 * Lowers a matrix product over strided operands: tries the native library, stages operands that are not addressable, folds the batch, and chooses
 * the algorithm.
 *
 * The factors may have any strides (0, negative, transposed); only small ones are copied as a whole. The caller ensures that the output
 * overlaps neither of them and that its elements do not overlap. The algorithm depends on sizes and strides alone, and each fixes the
 * order of its sums, so the number of threads changes nothing.
 */
import { product as sizeOf } from "../../base/ints.ts";
import { getOrCompute } from "../../base/lazy.ts";
import { simplifyFlat } from "../../layout/flat.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { summing } from "../contract/accumulator.ts";
import { deviceProduct } from "../contract/device-product.ts";
import { isDirect, lowerDirect } from "../contract/direct.ts";
import { lowerDots, maxColumns } from "../contract/dots.ts";
import { nativeProduct } from "../contract/native.ts";
import { type Product, partOf, type StridedMatrix, transposed } from "../contract/product.ts";
import { lowerThin, maxRows } from "../contract/thin.ts";
import { lowerCopy, lowerFill } from "../copy.ts";
import type { Operand } from "../operand.ts";
import { rowMajorStrides } from "../plan/output-layout.ts";
import { makeReduction } from "../reduce/reductions.ts";
import type { ReduceKernel } from "../reduce/spec.ts";
import type { ProgramBuilder } from "./builder.ts";
import { distinctElements, lowerAllInHeap } from "./lower-in-heap.ts";
import { type Finish, lowerPacked } from "./lower-packed.ts";
import { lowerReduce } from "./lower-reduce.ts";
import { execute } from "./run-program.ts";

/** The thresholds between algorithms. */
export const ways = {
  /** The maximum number of elements of a right factor that stays in near caches and is read again for each tile. */
  cached: 16384,
  /** A larger factor is read once for several rows of the other, if that has at most this many rows, */
  few: 16,
  /** and the factor has more than `wide` elements, or `large` for one to four rows. */
  wide: 40000,
  large: 16384,
  /** In both cases this is the minimum length of a row, */
  long: 64,
  /** and of k, where sums run along it. */
  along: 16,
  /** The maximum number of rows for factors of narrow integers, instead of `few`: for more rows, packing them in pairs costs less. */
  pairs: 3,
  /** The number of elements that are staged at once, where the product can be split. */
  staged: 2 ** 24,
};

/**
 * out[..., m, n] = sum over k of a[..., m, k] * b[..., k, n], added to `out` if `accumulates`. All have one dtype and the same leading batch
 * axes; float16 and bfloat16 are summed in float32. A sum over no k is 0. With an int32 output, each factor may be int8, uint8 or int16.
 */
export function runMatmul(out: Operand, a: Operand, b: Operand, accumulates = false): void {
  execute([out], [a, b], (builder) => lowerMatmul(builder, out, a, b, accumulates));
}

/**
 * True if the bits of a product do not depend on strides: its sums take k in order, whichever algorithm strides select.
 */
export const hasFixedOrder = ({ shape }: Operand, a: Operand): boolean =>
  nativeProduct === null &&
  shape.slice(-2).every((size) => size > ways.few) &&
  a.shape[a.shape.length - 1] <= summing.block;

/** Adds the steps of such a product. `finish` has steps over the output. */
export function lowerMatmul(
  builder: ProgramBuilder,
  out: Operand,
  a: Operand,
  b: Operand,
  accumulates = false,
  finish: Finish | null = null,
): void {
  const { shape } = out;
  const rank = shape.length;
  for (let axis = 0; axis < rank; axis++) if (shape[axis] === 0) return;
  if (a.shape[rank - 1] === 0) {
    if (!accumulates) lowerFill(builder, out, 0);
    return;
  }
  const operands = { outputs: [out], inputs: [a, b], scalars: [] };
  if (!accumulates && builder.defer({ kind: "contract", operands, after: null })) return;
  if (lowerChunks(builder, out, a, b, accumulates) || !lowerWhole(builder, out, a, b, accumulates, finish))
    finish?.add();
}

/** Adds a product. Returns true if all of the output is finished. */
function lowerWhole(
  builder: ProgramBuilder,
  out: Operand,
  a: Operand,
  b: Operand,
  accumulates: boolean,
  finish: Finish | null = null,
): boolean {
  const isAddressable = [out, a, b].every(({ storage }) => builder.canAddress(storage));
  // A native way reaches all memory.
  const product = isAddressable || nativeProduct !== null ? productOf(out, a, b, accumulates) : null;
  if (product !== null && lowerNative(builder, product)) return false;
  if (isAddressable) return lowerProduct(builder, product as Product, finish);
  lowerInParts(builder, out, a, b, accumulates);
  return false;
}

/** Adds the product by the native way; false, and nothing is added, if there is none or it does not take this product. */
function lowerNative(builder: ProgramBuilder, product: Product): boolean {
  // Native libraries read the memory of the CPU.
  if (builder.backend.device !== undefined) return false;
  const run = product.factors === undefined ? (nativeProduct?.(product) ?? null) : null;
  if (run === null) return false;
  // The step holds the storages of this call.
  builder.isCacheable = false;
  for (const { storage } of [product.out, product.a, product.b]) builder.slotOf(storage);
  builder.add({
    kind: "host",
    name: "native product",
    run: ({ memories, addresses }) =>
      run((storage) => {
        const slot = builder.slotOf(storage);
        return [memories[slot], addresses[slot] - builder.origins[slot]];
      }),
  });
  return true;
}

/**
 * A product over a very long k: products of chunks of k as one more axis of the batch, and their sums. False, and nothing is added, if k is
 * short, its sums are exact (integers), halves would be rounded in between, or there is too little memory for the chunks' products.
 */
function lowerChunks(builder: ProgramBuilder, out: Operand, a: Operand, b: Operand, accumulates: boolean): boolean {
  const { dtype, shape } = out;
  const rank = shape.length;
  const { category, itemsize } = dtypes[dtype];
  const k = a.shape[rank - 1];
  const size = sizeOf(shape);
  const parts = Math.min(Math.ceil(k / summing.chunk), Math.floor(ways.staged / size));
  if (parts < 2 || category === "integer" || itemsize < 4) return false;
  const length = Math.ceil(k / parts);
  const [count, rest] = [Math.floor(k / length), k % length];
  const slots = count + Number(rest > 0) + Number(accumulates);
  builder.workspace(slots * size * itemsize, (storage, byteOffset) => {
    const first = byteOffset / itemsize;
    const stride = rowMajorStrides(shape);
    const slot = (at: number): Operand => ({ storage, dtype, offset: first + at * size, shape, stride });
    /** Chunk `from` of a factor that has k in this axis, and `chunks - 1` more. */
    const part = (of: Operand, axis: number, from: number, chunks: number, depth: number): Operand => {
      const step = of.stride[axis] * length;
      return {
        ...of,
        offset: of.offset + from * step,
        shape: [chunks, ...of.shape.with(axis, depth)],
        stride: [step, ...of.stride],
      };
    };
    const multiply = (from: number, chunks: number, depth: number): void => {
      const to = { ...slot(from), shape: [chunks, ...shape], stride: [size, ...stride] };
      lowerWhole(builder, to, part(a, rank - 1, from, chunks, depth), part(b, rank - 2, from, chunks, depth), false);
    };
    multiply(0, count, length);
    if (rest > 0) multiply(count, 1, rest);
    if (accumulates) lowerCopy(builder, out, slot(slots - 1));
    const all = { ...slot(0), shape: [...shape, slots], stride: [...stride, size] };
    lowerReduce(
      builder,
      getOrCompute(chunkSums, dtype, () => makeReduction("matmul", "sum", dtype)),
      [out],
      [all],
    );
  });
  return true;
}

const chunkSums = new Map<DType, ReduceKernel>();

/** Returns the product with its batch in as few modes as possible; modes that only extend one factor become rows or columns. */
function productOf(out: Operand, a: Operand, b: Operand, accumulates: boolean): Product {
  const { shape, dtype } = out;
  const axes = shape.length - 2;
  const m = shape[axes];
  const n = shape[axes + 1];
  const k = a.shape[axes + 1];
  let starts: readonly number[] = [out.offset, a.offset, b.offset];
  let count = 1;
  let batch: readonly number[] = [];
  if (axes > 0) {
    const strides = [out.stride.slice(0, axes), a.stride.slice(0, axes), b.stride.slice(0, axes)];
    const plan = simplifyFlat(shape.slice(0, axes), starts, strides);
    starts = plan.starts;
    count = sizeOf(plan.sizes);
    batch = plan.sizes.flatMap((size, d) => [size, ...plan.strides.map((of) => of[d])]);
  }
  const isMixed = a.dtype !== dtype || b.dtype !== dtype;
  const product: Product = {
    dtype,
    m,
    n,
    k,
    out: matrixOf(out, starts[0]),
    a: matrixOf(a, starts[1]),
    b: matrixOf(b, starts[2]),
    count,
    batch,
    accumulates,
    ...(isMixed && { factors: [a.dtype, b.dtype] as const }),
  };
  return batch.length === 0 ? product : folded(product);
}

function matrixOf({ storage, stride }: Operand, start: number): StridedMatrix {
  const row = stride[stride.length - 2];
  return { storage, start, row, column: stride[stride.length - 1] };
}

/** Returns the product without the batch modes that continue its rows or columns. */
function folded(product: Product): Product {
  const rows = withRows(product);
  const columns = transposed(withRows(transposed(rows)));
  return columns.batch.length === product.batch.length ? product : folded(columns);
}

function withRows(product: Product): Product {
  const { m, out, a, batch, count } = product;
  for (let at = 0; at < batch.length; at += 4) {
    const [size, outStep, aStep, bStep] = batch.slice(at, at + 4) as [number, number, number, number];
    const isNext = m === 1 || (outStep === m * out.row && aStep === m * a.row);
    if (bStep !== 0 || !isNext) continue;
    const isOne = m === 1;
    return {
      ...product,
      m: m * size,
      out: isOne ? { ...out, row: outStep } : out,
      a: isOne ? { ...a, row: aStep } : a,
      batch: [...batch.slice(0, at), ...batch.slice(at + 4)],
      count: count / size,
    };
  }
  return product;
}

/** Adds a product, by the algorithm that its sizes and strides select. Returns true if all of the output is finished. */
function lowerProduct(builder: ProgramBuilder, product: Product, finish: Finish | null): boolean {
  const { m, n, factors } = product;
  if (builder.backend.unitBytes !== undefined && deviceProduct.lower !== null) {
    deviceProduct.lower(builder, product);
    return false;
  }
  const few = factors === undefined ? ways.few : ways.pairs;
  if (m <= few && lowerNarrow(builder, product)) return false;
  if (n <= few && lowerNarrow(builder, transposed(product))) return false;
  // Small products in place have factors of one dtype.
  return !(factors === undefined && lowerSmall(builder, product)) && lowerPacked(builder, product, finish);
}

/** Adds a product of a few rows with a matrix. Adds nothing and returns false if sizes or strides do not suit. */
function lowerNarrow(builder: ProgramBuilder, product: Product): boolean {
  const { m, n, k, b, factors } = product;
  if (b.column === 1 && n >= ways.long && n * k > (m <= maxRows ? ways.large : ways.wide)) {
    for (let from = 0; from < m; from += maxRows)
      lowerThin(builder, partOf(product, [from, Math.min(maxRows, m - from)], [0, n], [0, k]));
    return true;
  }
  if (b.row !== 1 || k < ways.along || m > maxColumns) return false;
  const isLarge = n * k > ways.large;
  // Small integer products share the kernels of packed factors.
  if (product.a.column === 1 && (isLarge || factors === undefined)) lowerDots(builder, transposed(product));
  else if (isLarge && factors === undefined) withCopy(builder, transposed(product), "columns", lowerDots);
  else return false;
  return true;
}

/** Adds a product whose right factor stays in near caches. Adds nothing and returns false if it is too large. */
function lowerSmall(builder: ProgramBuilder, product: Product): boolean {
  const isNext = product.b.column === 1 && product.n > 1;
  const turned = isNext || (product.a.row !== 1 && product.m > 1) ? product : transposed(product);
  const { n, k, b, count } = turned;
  if (n * k > ways.cached || !isDirect(turned)) return false;
  if (b.column === 1 || n === 1) lowerDirect(builder, turned);
  else if (n * k * count <= ways.cached) withCopy(builder, turned, "rows", lowerDirect);
  else return false;
  return true;
}

/** Adds a product with a copy of its right factor whose rows, or columns, are dense. */
function withCopy(
  builder: ProgramBuilder,
  product: Product,
  dense: "rows" | "columns",
  lower: (builder: ProgramBuilder, product: Product) => void,
): void {
  const { dtype, n, k, b, batch, count } = product;
  const { itemsize } = dtypes[dtype];
  builder.workspace(count * k * n * itemsize, (storage, byteOffset) => {
    const sizes: number[] = [];
    const steps: number[] = [];
    const rows = batch.slice();
    let step = k * n;
    for (let at = 0; at < batch.length; at += 4) {
      if (batch[at + 3] === 0) continue;
      sizes.push(batch[at]);
      steps.push(batch[at + 3]);
      rows[at + 3] = step;
      step *= batch[at];
    }
    const copy: StridedMatrix = {
      storage,
      start: byteOffset / itemsize,
      row: dense === "rows" ? n : 1,
      column: dense === "rows" ? 1 : k,
    };
    const operandOf = (of: StridedMatrix, stride: readonly number[]): Operand => ({
      storage: of.storage,
      dtype,
      offset: of.start,
      shape: [...sizes, k, n],
      stride: [...stride, of.row, of.column],
    });
    const copied = rows.filter((_, at) => at % 4 === 3 && batch[at] !== 0);
    lowerCopy(builder, operandOf(b, steps), operandOf(copy, copied));
    lower(builder, { ...product, b: copy, batch: rows });
  });
}

/** Adds a product over copies of the operands that are not addressable, in parts if they are large. */
function lowerInParts(builder: ProgramBuilder, out: Operand, a: Operand, b: Operand, accumulates: boolean): void {
  const operands = [out, a, b];
  const outside = operands.filter(({ storage }) => !builder.canAddress(storage));
  const count = outside.reduce((sum, operand) => sum + distinctElements(operand), 0);
  const { shape } = out;
  const longest = Math.max(...shape);
  if (count > ways.staged && longest > 1) {
    const axis = shape.indexOf(longest);
    const half = Math.floor(longest / 2);
    for (const [from, size] of [
      [0, half],
      [half, longest - half],
    ] as const) {
      const part = (operand: Operand, isCut: boolean): Operand =>
        isCut
          ? {
              ...operand,
              offset: operand.offset + from * operand.stride[axis],
              shape: operand.shape.with(axis, size),
            }
          : operand;
      const rank = shape.length;
      lowerWhole(builder, part(out, true), part(a, axis !== rank - 1), part(b, axis !== rank - 2), accumulates);
    }
    return;
  }
  lowerAllInHeap(builder, operands, 1, accumulates, ([to, left, right]) =>
    lowerWhole(builder, to, left, right, accumulates),
  );
}
