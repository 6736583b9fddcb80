/**
 * gemm on kernels: C is copied to D, then for each k one kernel adds A(.,k) times B(.,k) to all of D, rounded to D's dtype.
 * Every sum is therefore in the order of k with rounding after each step, as in `gemm.ts`. It requires storage, strides, and
 * a common refinement of the leaves of each mode.
 */

import { offsetsOf } from "../../kernel/gather.ts";
import { runMap } from "../../kernel/program/lower-map.ts";
import { type FlatLayout, flatLayout, refineFlat, reversed } from "../../layout/flat.ts";
import { knownValue } from "../../layout/int.ts";
import type { Layout } from "../../layout/layout.ts";
import { leaves, type Nested } from "../../layout/tuple.ts";
import { clone } from "../clone.ts";
import { copyAll } from "../copy-all.ts";
import { isComposedTensor } from "../geometry.ts";
import { mayOverlap } from "../operand.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import { wholeMemory } from "../whole-memory.ts";
import { type Arithmetic, arithmeticKernel } from "./arithmetic.ts";

/** The sizes of a product: V values, M x N sums, each over K. */
export interface Sizes {
  readonly v: number;
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** Sets D to the products of A and B plus C. Does nothing and returns false if kernels do not support the operands. */
export function addProducts(sizes: Sizes, a: Tensor, b: Tensor, c: Tensor, d: Tensor, arithmetic: Arithmetic): boolean {
  const who = "gemm";
  for (const t of [a, b, c, d]) if (computedEngine(t, who) !== null || isComposedTensor(t)) return false;
  const axes = commonModes(a, b, d);
  if (axes === null) return false;
  if (d.size === 0) return true;
  // Inputs that share memory with D must not be overwritten before they are read.
  const [left, right] = [a, b].map((t) => (mayOverlap(d, t) ? clone(t) : t)) as [Tensor, Tensor];
  const ready = left === a && right === b ? axes : commonModes(left, right, d);
  if (ready === null) return false;
  if (c !== d) copyAll(c, d, who);
  const kernel = arithmeticKernel("multiplyAdd", arithmetic, d.dtype, [a.dtype, b.dtype, d.dtype]);
  const [leftSteps, rightSteps] = [
    stepsOverK(left, a.rank, c.rank, sizes.k),
    stepsOverK(right, b.rank, c.rank, sizes.k),
  ];
  const operand = (t: Tensor, k: number, step: number) => ({
    storage: wholeMemory(t, who),
    dtype: t.dtype,
    offset: ready.starts[k] + step,
    shape: ready.sizes,
    stride: ready.strides[k],
  });
  const sums = operand(d, 0, 0);
  for (let k = 0; k < sizes.k; k++)
    runMap(kernel, [sums, operand(left, 1, leftSteps[k]), operand(right, 2, rightSteps[k]), sums]);
  for (const t of [left, right]) if (t !== a && t !== b) t.endWith("a copy for the length of one call");
  return true;
}

/** Returns the modes of D (V if there is one, M, N; only V for vectors) with the strides of D, A and B, or null. */
function commonModes(a: Tensor, b: Tensor, d: Tensor): FlatLayout | null {
  const sizes: number[] = [];
  const strides: [number[], number[], number[]] = [[], [], []];
  const hasV = d.rank === 1 || d.rank === 3;
  for (let mode = 0; mode < d.rank; mode++) {
    const isV = hasV && mode === 0;
    const isM = !isV && mode === (hasV ? 1 : 0);
    const ofD = flatMode(d, mode);
    const repeated = flatLayout(
      ofD.sizes,
      ofD.sizes.map(() => 0),
    );
    const ofA = isV || isM ? flatMode(a, isV || !hasV ? 0 : 1) : repeated;
    const ofB = isV || !isM ? flatMode(b, isV || !hasV ? 0 : 1) : repeated;
    const refined = refineFlat([ofD, ofA, ofB]);
    if (refined === undefined) return null;
    sizes.push(...refined.sizes);
    strides.forEach((operandStrides, k) => {
      operandStrides.push(...refined.strides[k]);
    });
  }
  return { sizes, strides, starts: [d.start, a.start, b.start] };
}

/** Returns one mode of a tensor with strides as a flat layout that starts at 0. */
export function flatMode(t: Tensor, mode: number): FlatLayout {
  const { shape, stride } = t.layout as Layout;
  const part = (tuple: unknown): number[] =>
    leaves((Array.isArray(tuple) ? tuple[mode] : tuple) as Nested<unknown>).map(
      (leaf) => knownValue(leaf as never) as number,
    );
  return flatLayout(part(shape), part(stride));
}

/** Returns the offset of each k of an operand relative to k = 0; without a mode K, only 0. */
function stepsOverK(t: Tensor, rank: number, rankOfC: number, k: number): Float64Array {
  const hasK = rank === (rankOfC === 3 ? 3 : 2) && rankOfC !== 1;
  return !hasK || k === 1 ? new Float64Array(1) : stepsOver(t, rank - 1);
}

/** Returns the offset of each index of a mode relative to index 0. */
export function stepsOver(t: Tensor, mode: number): Float64Array {
  // `offsetsOf` takes row-major axes; flat layouts have the fastest mode first.
  const { sizes, strides } = reversed(flatMode(t, mode));
  return offsetsOf(sizes, strides[0]);
}
