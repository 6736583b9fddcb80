/**
 * Copies all elements of one tensor to another of the same size, in the order of their 1-D indices, whatever engines and layouts
 * they have. Where both have storage and strides, the two layouts are cut into common axes and one strided loop moves
 * everything; otherwise elements move one by one.
 */
import { copyElements } from "../kernel/loops.ts";
import type { Value } from "../storage/dtype.ts";
import { indexReader, indexWriter } from "./elements.ts";
import { leafNumbers } from "./geometry.ts";
import { computedEngine, type Tensor } from "./tensor.ts";
import { wholeMemory } from "./whole-memory.ts";

/** Sizes that both layouts have in common, the fastest first, and each one's strides over them. */
export interface CommonAxes {
  readonly shape: readonly number[];
  readonly first: readonly number[];
  readonly second: readonly number[];
}

type Leaves = readonly [sizes: readonly number[], strides: readonly number[]];

/**
 * The coarsest shape that refines both lists of leaves (the fastest first), or null if their cuts do not divide each other.
 *
 * Promises: for every index i of the common shape, each layout's offset at i is the dot product with its strides.
 */
export function commonAxes(a: Leaves, b: Leaves): CommonAxes | null {
  const shape: number[] = [];
  const first: number[] = [];
  const second: number[] = [];
  let [i, j] = [0, 0];
  let [sizeA, sizeB] = [1, 1];
  let [strideA, strideB] = [0, 0];
  for (;;) {
    while (sizeA === 1 && i < a[0].length) {
      sizeA = a[0][i] as number;
      strideA = a[1][i++] as number;
    }
    while (sizeB === 1 && j < b[0].length) {
      sizeB = b[0][j] as number;
      strideB = b[1][j++] as number;
    }
    const step = Math.min(sizeA, sizeB);
    if (step <= 1) return sizeA === 1 && sizeB === 1 ? { shape, first, second } : null;
    if (sizeA % step !== 0 || sizeB % step !== 0) return null;
    shape.push(step);
    first.push(strideA);
    second.push(strideB);
    sizeA /= step;
    sizeB /= step;
    strideA *= step;
    strideB *= step;
  }
}

const hasStrides = (t: Tensor, who: string): boolean => computedEngine(t, who) === null && !("inner" in t.layout);

/** Copies element i of `from` to element i of `to` for every i, converting the dtype. */
export function copyAll(from: Tensor, to: Tensor, who: string): void {
  if (to.size === 0) return;
  const axes = hasStrides(from, who) && hasStrides(to, who) ? commonAxes(leafNumbers(from), leafNumbers(to)) : null;
  if (axes === null) {
    copyOneByOne(from, to, who);
    return;
  }
  copyElements(
    { storage: wholeMemory(from, who), dtype: from.dtype, offset: from.start, shape: axes.shape, stride: axes.first },
    { storage: wholeMemory(to, who), dtype: to.dtype, offset: to.start, shape: axes.shape, stride: axes.second },
  );
}

function copyOneByOne(from: Tensor, to: Tensor, who: string): void {
  // Between storages 64-bit integers pass as bigints, so that none is rounded or refused on the way.
  const read = indexReader(from, who, computedEngine(to, who) === null ? "bigint" : "number");
  const write = indexWriter(to, who);
  // Read everything first where the two could share memory.
  if (from.source === to.source) {
    const values = Array.from({ length: to.size }, (_, i) => read(i));
    for (let i = 0; i < values.length; i++) write(i, values[i] as Value);
    return;
  }
  for (let i = 0; i < to.size; i++) write(i, read(i));
}
