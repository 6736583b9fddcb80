/**
 * Matrices in the heap, where kernels can address them. Blocked algorithms copy a matrix there, work on parts of it, which are blocks too, and
 * copy the result back. The real and the imaginary parts are two separate planes.
 *
 * Anything that allocates may move the heap, products included, so loops request the window of the memory (`elementsOf`) after a
 * product and never keep it.
 */
import { fixedStorage } from "../../kernel/copy.ts";
import type { ElementStorage } from "../../kernel/operand.ts";
import { withWorkspace } from "../../kernel/program/run-program.ts";
import type { Memory } from "../../storage/memory.ts";
import { type Matrix, zeros } from "./matrix.ts";

/** A strided matrix of float64 in the heap. Element (i, j) is at re + i * row + j * column, its imaginary part at im + ... */
export interface Block {
  readonly memory: Memory;
  readonly storage: ElementStorage;
  readonly rows: number;
  readonly cols: number;
  readonly re: number;
  /** -1 if all elements are real. */
  readonly im: number;
  readonly row: number;
  readonly column: number;
  /** True if the elements are the conjugates of those in memory. */
  readonly isConjugate: boolean;
}

/** Returns the current window over all elements of the block's memory. */
export const elementsOf = (block: Block): Float64Array => block.memory.array("f64");

/**
 * Returns a block with dense rows as a matrix whose `cols` is the row stride, for loops over ranges of columns. It is valid until the next
 * allocation.
 */
export function rowsOf(block: Block): Matrix {
  const { rows, row, re, im } = block;
  const all = elementsOf(block);
  const length = rows === 0 ? 0 : (rows - 1) * row + block.cols;
  return {
    rows,
    cols: row,
    re: all.subarray(re, re + length),
    im: im < 0 ? null : all.subarray(im, im + length),
  };
}

/** The size from which matrices are copied to the heap and factored in blocks. */
export const blockedSize = 64;

/** The size of the rest of a matrix that panels leave to plain loops. */
export const restSize = 32;

/** Returns where a size is split in two, at a multiple of 8. */
export const halfOf = (size: number): number => 8 * Math.ceil(size / 16);

type Size = readonly [rows: number, cols: number, complex?: boolean];

/** Strides that are multiples of 64 elements map the elements of a column to few lines of a cache. */
const strideFor = (cols: number): number => (cols % 64 === 0 ? cols + 8 : cols);

/** Calls `use` with blocks of these sizes, whose elements are undefined at first, and frees them afterward. */
export function withBlocks<T>(sizes: readonly Size[], use: (...blocks: Block[]) => T): T {
  const lengths = sizes.map(([rows, cols, complex]) => rows * strideFor(cols) * (complex ? 2 : 1));
  const total = lengths.reduce((sum, length) => sum + length, 1);
  return withWorkspace(total * 8, (memory, byteOffset) => {
    const storage = fixedStorage(memory, 0);
    let re = byteOffset / 8;
    const blocks = sizes.map(([rows, cols, complex], k): Block => {
      const row = strideFor(cols);
      const im = complex ? re + rows * row : -1;
      const block = { memory, storage, rows, cols, re, im, row, column: 1, isConjugate: false };
      re += lengths[k]!;
      return block;
    });
    return use(...blocks);
  });
}

/** Returns rows top <= i < bottom and columns left <= j < right of a block. */
export function part(block: Block, top: number, bottom: number, left: number, right: number): Block {
  const { memory, storage, row, column, isConjugate } = block;
  const shift = top * row + left * column;
  const re = block.re + shift;
  const im = block.im < 0 ? -1 : block.im + shift;
  return { memory, storage, rows: bottom - top, cols: right - left, re, im, row, column, isConjugate };
}

/** Returns the transpose of a block, conjugated unless `conjugate` is false, as a view. */
export function turned(block: Block, conjugate = true): Block {
  const { memory, storage, re, im } = block;
  const isConjugate = block.isConjugate !== conjugate;
  return {
    memory,
    storage,
    rows: block.cols,
    cols: block.rows,
    re,
    im,
    row: block.column,
    column: block.row,
    isConjugate,
  };
}

/** Copies a matrix into a block of the same size with dense rows. */
export function load(block: Block, a: Matrix): void {
  const all = elementsOf(block);
  for (let i = 0; i < a.rows; i++) {
    all.set(a.re.subarray(i * a.cols, (i + 1) * a.cols), block.re + i * block.row);
    if (block.im < 0) continue;
    const at = block.im + i * block.row;
    if (a.im === null) all.fill(0, at, at + a.cols);
    else all.set(a.im.subarray(i * a.cols, (i + 1) * a.cols), at);
  }
}

/** Returns the elements of a block as a matrix. */
export function unload(block: Block): Matrix {
  const { rows, cols, row, column, isConjugate } = block;
  const result = zeros(rows, cols, block.im >= 0);
  const all = elementsOf(block);
  const plane = (to: Float64Array, from: number): void => {
    for (let i = 0; i < rows; i++)
      if (column === 1) to.set(all.subarray(from + i * row, from + i * row + cols), i * cols);
      else for (let j = 0; j < cols; j++) to[i * cols + j] = all[from + i * row + j * column]!;
  };
  plane(result.re, block.re);
  if (result.im !== null) {
    plane(result.im, block.im);
    if (isConjugate) for (let k = 0; k < result.im.length; k++) result.im[k] = 0 - result.im[k]!;
  }
  return result;
}

/** Sets all elements to zero. */
export function clear(block: Block): void {
  const all = elementsOf(block);
  const { rows, cols, row, column } = block;
  for (const at of block.im < 0 ? [block.re] : [block.re, block.im])
    for (let i = 0; i < rows; i++)
      if (column === 1) all.fill(0, at + i * row, at + i * row + cols);
      else for (let j = 0; j < cols; j++) all[at + i * row + j * column] = 0;
}

/** to = factor * from, elementwise, for blocks of one size and a real factor; a missing imaginary part is 0. */
export function copyBlock(to: Block, from: Block, factor = 1): void {
  const all = elementsOf(to);
  copyPlane(all, to, to.re, from, from.re, factor);
  if (to.im < 0) return;
  if (from.im < 0) clear({ ...to, re: to.im, im: -1 });
  else copyPlane(all, to, to.im, from, from.im, from.isConjugate === to.isConjugate ? factor : -factor);
}

function copyPlane(all: Float64Array, to: Block, toAt: number, from: Block, fromAt: number, factor: number): void {
  const { rows, cols } = to;
  const [toStep, fromStep] = [to.column, from.column];
  for (let i = 0; i < rows; i++) {
    const target = toAt + i * to.row;
    const source = fromAt + i * from.row;
    if (toStep === 1 && fromStep === 1) {
      if (factor === 1) all.copyWithin(target, source, source + cols);
      else for (let j = 0; j < cols; j++) all[target + j] = factor * all[source + j]!;
    } else for (let j = 0; j < cols; j++) all[target + j * toStep] = factor * all[source + j * fromStep]!;
  }
}
