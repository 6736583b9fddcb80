/**
 * Products of matrices of any size, in blocks whose factors are packed first (Goto and van de Geijn, Anatomy of High-Performance
 * Matrix Multiplication), so that reading them is fast for all strides.
 *
 * The sum over one panel of k is in registers; panels are added in order, so the number of threads changes nothing. float16 and bfloat16 are
 * rounded when a sum is stored, so they are summed in one panel, or in blocks that are added in a float32 buffer.
 */
import { type DType, dtypes } from "../../storage/dtype.ts";
import { type AccumulatorType, accumulatorOf, blockFor, packedTile, pairs, summing } from "../contract/accumulator.ts";
import { lowerPack } from "../contract/pack.ts";
import { buildPacked } from "../contract/packed.ts";
import { bufferOf, type Tables, tableOf } from "../contract/parameters.ts";
import { type Product, partOf, type StridedMatrix } from "../contract/product.ts";
import type { ElementStorage, Operand } from "../operand.ts";
import type { ProgramBuilder } from "./builder.ts";

const kernels: Tables = new Map();

/** Block sizes: the rows and columns of a unit of work, the largest k of one block, and the most packed elements of one factor. */
export const packing = { rows: 64, columns: 128, depth: 512, elements: 2 ** 21 };

/** The most bytes of an output block that later steps process right after the product, so that it is still in the cache. */
const blockBytes = 2 ** 19;

/** Steps that process the output of a product, such as a bias or an activation. */
export interface Finish {
  /** Adds the steps after the product. */
  add(): void;
  /** Returns a function that adds the steps over a part of the output, or null if they cannot be split there. */
  over(part: Operand): (() => void) | null;
}

/** Blocks of the output that are finished one by one: `together` matrices of the batch, and `rows` of each. */
interface FinishedBlocks {
  readonly rows: number;
  readonly together: number;
  /** The steps over each block, by the first matrix and the first row. */
  readonly add: ReadonlyMap<string, () => void>;
}

/** Returns the blocks of a product, with at most `max` rows, a multiple of `step`; null if the steps cannot be split into them. */
function finishedBlocks(product: Product, finish: Finish, max: number, step: number): FinishedBlocks | null {
  const { dtype, m, n, out, count, batch } = product;
  if (batch.length > 4) return null;
  const rowBytes = n * dtypes[dtype].itemsize;
  const rows = blockOf(m, Math.min(max, Math.max(packing.rows, Math.floor(blockBytes / rowBytes))), step);
  const together = rows < m ? 1 : Math.max(1, Math.min(count, Math.floor(blockBytes / (m * rowBytes))));
  const [, stepBatch = 0] = batch;
  const add = new Map<string, () => void>();
  for (let first = 0; first < count; first += together)
    for (let row = 0; row < m; row += rows) {
      const part = finish.over({
        storage: out.storage,
        dtype,
        offset: out.start + first * stepBatch + row * out.row,
        shape: [Math.min(together, count - first), Math.min(rows, m - row), n],
        stride: [stepBatch, out.row, out.column],
      });
      if (part === null) return null;
      add.set(`${first} ${row}`, part);
    }
  return { rows, together, add };
}

const isHalf = (dtype: DType): boolean => dtypes[dtype].category === "float" && dtypes[dtype].itemsize === 2;

/**
 * Adds the steps of any product. If the steps of `finish` can be split, blocks of the output are finished while they are in the cache; then returns true.
 */
export function lowerPacked(builder: ProgramBuilder, product: Product, finish: Finish | null = null): boolean {
  const { dtype, m, n, k, count } = product;
  const accumulator = workingTypeOf(product);
  const { terms } = accumulator;
  const height = packedTile(accumulator).rows;
  const width = packedTile(accumulator).vectors * accumulator.lanes;
  const depth = isHalf(dtype) ? k : blockOf(k, packing.depth * terms, terms);
  const perLine = Math.ceil(depth / terms) * accumulator.parts;
  const max = Math.max(1, Math.floor(packing.elements / perLine));
  const blocks = finish === null ? null : finishedBlocks(product, finish, max, height);
  const rows = blocks?.rows ?? blockOf(m, max, height);
  const columns = blockOf(n, max, width);
  const lines = (size: number, step: number): number => Math.ceil(size / step) * step;
  const most = blocks?.together ?? count;
  const together = Math.max(1, Math.min(most, Math.floor(max / Math.max(lines(rows, height), lines(columns, width)))));
  const { itemsize } = dtypes[accumulator.dtype];
  const aElements = lines(rows, height) * perLine * (isShared(product, 2) ? 1 : together);
  const bElements = lines(columns, width) * perLine * (isShared(product, 3) ? 1 : together);
  builder.workspace((aElements + bElements) * itemsize, (storage, byteOffset) => {
    const aOffset = byteOffset / itemsize;
    const bOffset = aOffset + aElements;
    for (let first = 0; first < count; first += together) {
      const some = { ...product, count: Math.min(together, count - first) };
      for (let n0 = 0; n0 < n; n0 += columns)
        for (let k0 = 0; k0 < k; k0 += depth)
          for (let m0 = 0; m0 < m; m0 += rows) {
            const part = partOf(
              some,
              [m0, Math.min(rows, m - m0)],
              [n0, Math.min(columns, n - n0)],
              [k0, Math.min(depth, k - k0)],
            );
            if (m0 === 0) pack(builder, part, first, "b", width, storage, bOffset);
            pack(builder, part, first, "a", height, storage, aOffset);
            launch(builder, part, first, storage, aOffset, bOffset, height, width);
            if (k0 + depth >= k && n0 + columns >= n) blocks?.add.get(`${first} ${m0}`)?.();
          }
    }
  });
  return blocks !== null;
}

/** The working dtype of a product. */
const workingTypeOf = ({ dtype, factors }: Product): AccumulatorType =>
  factors === undefined ? accumulatorOf(dtype) : pairs;

/** Returns the size of about equal blocks of at most `max`, a multiple of `step`. */
export function blockOf(size: number, max: number, step: number): number {
  const blocks = Math.ceil(size / Math.max(step, max));
  return Math.min(size, Math.ceil(size / blocks / step) * step);
}

/** True if and only if all products of the batch share a factor: column 2 of its rows is the stride of a, 3 that of b. */
function isShared({ batch }: Product, column: number): boolean {
  for (let at = column; at < batch.length; at += 4) if (batch[at] !== 0) return false;
  return true;
}

function pack(
  builder: ProgramBuilder,
  part: Product,
  first: number,
  which: "a" | "b",
  width: number,
  to: ElementStorage,
  byteOffset: number,
): void {
  const { k, batch, count } = part;
  const x = part[which];
  const dtype = part.factors?.[which === "a" ? 0 : 1] ?? part.dtype;
  const column = which === "a" ? 2 : 3;
  const shared = isShared(part, column);
  const rows: number[] = [];
  if (!shared) for (let at = 0; at < batch.length; at += 4) rows.push(batch[at], batch[at + column]);
  const turned: StridedMatrix = which === "a" ? x : { ...x, row: x.column, column: x.row };
  const lines = which === "a" ? part.m : part.n;
  const accumulator = workingTypeOf(part);
  const block = { dtype, accumulator, x: turned, lines, depth: k, first, count: shared ? 1 : count, batch: rows };
  lowerPack(builder, block, width, to, byteOffset);
}

function launch(
  builder: ProgramBuilder,
  part: Product,
  first: number,
  packed: ElementStorage,
  aOffset: number,
  bOffset: number,
  height: number,
  width: number,
): void {
  const { dtype, m, n, out, count, batch, accumulates } = part;
  const accumulator = workingTypeOf(part);
  const { parts, terms } = accumulator;
  const { itemsize } = dtypes[accumulator.dtype];
  const k = Math.ceil(part.k / terms);
  const rows = blockOf(m, packing.rows, height);
  const columns = blockOf(n, packing.columns, width);
  const blocksM = Math.ceil(m / rows);
  const blocks = blocksM * Math.ceil(n / columns);
  const modes: number[] = [];
  for (let at = 0; at < batch.length; at += 4) modes.push(batch[at], batch[at + 1]);
  const isLong = isHalf(dtype) && k > summing.block;
  const key = Number(accumulates) + 2 * Number(out.column === 1) + 4 * Number(isLong) + 8 * Number(terms === 2);
  builder.launch({
    kernel: tableOf(kernels, dtype).entry(key, () =>
      buildPacked(dtype, accumulator, accumulates, out.column === 1, isLong),
    ),
    buffers: [
      bufferOf(out, dtype),
      { storage: packed, start: aOffset, itemsize },
      { storage: packed, start: bOffset, itemsize },
    ],
    sizes: [
      m,
      n,
      k,
      blockFor(k),
      rows,
      columns,
      blocksM,
      blocks,
      blocks * count,
      isShared(part, 2) ? 0 : Math.ceil(m / height) * height * k * parts,
      isShared(part, 3) ? 0 : Math.ceil(n / width) * width * k * parts,
      first,
      out.row,
      out.column,
    ],
    modes: [modes],
    units: blocks * count,
    unitSize: Math.ceil(rows / height) * Math.ceil(columns / width) * k,
  });
}
