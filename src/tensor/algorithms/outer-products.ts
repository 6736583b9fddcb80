/**
 * gemm on kernels: D takes C, then for each k one kernel adds A(.,k) times B(.,k) to all of D, rounded to D's dtype.
 * So every sum is taken in the order of k, rounding after each step, as `gemm.ts` does it. Each mode's leaves are brought to a
 * common refinement; where that cannot be, or there is no storage or no strides, nothing is done.
 */
import { offsetsOf } from "../../kernel/gather.ts";
import { commonRefinement, type Leaves } from "../../kernel/plan/refine.ts";
import { runMap } from "../../kernel/program/lower-map.ts";
import { knownValue } from "../../layout/int.ts";
import type { Layout } from "../../layout/layout.ts";
import { leaves, type Nested } from "../../layout/tuple.ts";
import { clone } from "../clone.ts";
import { copyAll } from "../copy-all.ts";
import { mayMeet } from "../operand.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import { wholeMemory } from "../whole-memory.ts";
import { type Arithmetic, arithmeticKernel } from "./arithmetic.ts";
import { isComposedTensor } from "./in-order.ts";

/** The sizes of a product: V values, M x N sums, each over K. */
export interface Sizes {
  readonly v: number;
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** Sets D to C and the products of A and B; false, and nothing is done, if kernels cannot do it. */
export function addProducts(sizes: Sizes, a: Tensor, b: Tensor, c: Tensor, d: Tensor, arithmetic: Arithmetic): boolean {
  const who = "gemm";
  for (const t of [a, b, c, d]) if (computedEngine(t, who) !== null || isComposedTensor(t)) return false;
  const axes = commonAxes(a, b, d);
  if (axes === null) return false;
  if (d.size === 0) return true;
  // What is still to be read must not be overwritten.
  const [left, right] = [a, b].map((t) => (mayMeet(d, t) ? clone(t) : t)) as [Tensor, Tensor];
  const ready = left === a && right === b ? axes : commonAxes(left, right, d);
  if (ready === null) return false;
  if (c !== d) copyAll(c, d, who);
  const kernel = arithmeticKernel("multiplyAdd", arithmetic, d.dtype, [a.dtype, b.dtype, d.dtype]);
  const { shape } = ready;
  const [leftSteps, rightSteps] = [
    stepsOverK(left, a.rank, c.rank, sizes.k),
    stepsOverK(right, b.rank, c.rank, sizes.k),
  ];
  const operand = (t: Tensor, stride: readonly number[], step: number) => ({
    storage: wholeMemory(t, who),
    dtype: t.dtype,
    offset: t.start + step,
    shape,
    stride,
  });
  const sums = operand(d, ready.d, 0);
  for (let k = 0; k < sizes.k; k++)
    runMap(kernel, [
      sums,
      operand(left, ready.a, leftSteps[k] as number),
      operand(right, ready.b, rightSteps[k] as number),
      sums,
    ]);
  for (const t of [left, right]) if (t !== a && t !== b) t.endWith("a copy for the length of one call");
  return true;
}

interface CommonAxes {
  readonly shape: readonly number[];
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly d: readonly number[];
}

/** The axes of D (V where there is one, M, N; in the form of vectors V alone), and each operand's strides over them. */
function commonAxes(a: Tensor, b: Tensor, d: Tensor): CommonAxes | null {
  const shape: number[] = [];
  const strides: Record<"a" | "b" | "d", number[]> = { a: [], b: [], d: [] };
  const isVector = d.rank === 1;
  const hasV = isVector || d.rank === 3;
  for (let mode = 0; mode < d.rank; mode++) {
    const isV = hasV && mode === 0;
    const isM = !isV && mode === (hasV ? 1 : 0);
    const ofD = modeLeaves(d, mode);
    const own = hasV ? 1 : 0;
    const ofA = isV ? modeLeaves(a, 0) : isM ? modeLeaves(a, own) : null;
    const ofB = isV ? modeLeaves(b, 0) : isM ? null : modeLeaves(b, own);
    const refined = commonRefinement([ofD, ofA, ofB].filter((each) => each !== null));
    if (refined === undefined) return null;
    shape.push(...refined.sizes);
    const still = refined.sizes.map(() => 0);
    strides.d.push(...(refined.strides[0] as readonly number[]));
    strides.a.push(...(ofA === null ? still : (refined.strides[1] as readonly number[])));
    strides.b.push(...(ofB === null ? still : (refined.strides[ofA === null ? 1 : 2] as readonly number[])));
  }
  return { shape, ...strides };
}

/** The leaves of one mode of a tensor with strides, the fastest first. */
export function modeLeaves(t: Tensor, mode: number): Leaves {
  const { shape, stride } = t.layout as Layout;
  const part = (tuple: unknown): number[] =>
    leaves((Array.isArray(tuple) ? tuple[mode] : tuple) as Nested<unknown>).map(
      (leaf) => knownValue(leaf as never) as number,
    );
  return { shape: part(shape), stride: part(stride) };
}

/** How far each k of an operand lies from its first; without a mode K there is only one. */
function stepsOverK(t: Tensor, rank: number, rankOfC: number, k: number): Float64Array {
  const hasK = rank === (rankOfC === 3 ? 3 : 2) && rankOfC !== 1;
  return !hasK || k === 1 ? new Float64Array(1) : stepsOver(t, rank - 1);
}

/** How far each index of a mode lies from its first. */
export function stepsOver(t: Tensor, mode: number): Float64Array {
  const { shape, stride } = modeLeaves(t, mode);
  // Row-major there, the fastest first here.
  return offsetsOf([...shape].reverse(), [...stride].reverse());
}
