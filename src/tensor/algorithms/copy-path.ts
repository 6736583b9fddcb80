/**
 * The path of a copy, from numbers alone: its kind, the width of a vector, and the loop nest of both tensors in memory order.
 * `copy.ts` executes the path and `copy-plan.ts` describes it, so the plan is what `copy` does.
 *
 * The run is the number of consecutive elements that both layouts share, in the same order: maxCommonVector of the two.
 * The vector is the largest divisor of the run, of every other stride and of both addresses, up to 128 bits.
 */
import { WriteError } from "../../base/errors.ts";
import { gcd } from "../../base/ints.ts";
import { type FlatLayout, refineFlat, runFirst } from "../../layout/flat.ts";
import { knownValue } from "../../layout/int.ts";
import type { ComposedLayout } from "../../layout/layout.ts";
import { isSwizzle } from "../../layout/swizzle.ts";
import { dtypes } from "../../storage/dtype.ts";
import { flatLayoutOf, isComposedTensor } from "../geometry.ts";
import { checkNoSelfOverlap } from "../operand.ts";
import { computedEngine, describeBriefly, storageOf, type Tensor } from "../tensor.ts";
import { checkDestination, checkElements, checkSameSize } from "./destination.ts";
import { mayDisturb } from "./in-order.ts";

/** block: one move of bytes; vector: several elements at a time; strided: a loop nest; elementwise: one read, one write each. */
export type CopyKind = "block" | "vector" | "strided" | "elementwise";

/** The width of the widest vector, as in CuTe. */
export const maxVectorBits = 128;

export interface CopyPath {
  readonly kind: CopyKind;
  /** The number of elements that are contiguous in both tensors, in the same order. */
  readonly run: number;
  /** The number of elements of one vector; it divides the run. */
  readonly vector: number;
  /** The common modes of source and destination, the run first; null if there are none. */
  readonly modes: FlatLayout | null;
}

const elementwise: CopyPath = { kind: "elementwise", run: 1, vector: 1, modes: null };

/** Returns the path of a copy; throws if the copy is not allowed. */
export function copyPath(source: Tensor, destination: Tensor, who: string): CopyPath {
  checkDestination(destination, who);
  checkSameSize(who, source, destination);
  checkElements(who, source, destination);
  const common =
    hasNest(source, who) && hasNest(destination, who)
      ? refineFlat([flatLayoutOf(source), flatLayoutOf(destination)])
      : undefined;
  if (common === undefined) {
    checkNoSelfOverlap(destination, who);
    return elementwise;
  }
  const modes = runFirst(withoutRepeats(common, destination, who));
  const run = modes.sizes[0];
  const isSwizzled = isComposedTensor(source) || isComposedTensor(destination);
  const vector = source.type === destination.type ? vectorOf(source, destination, modes, isSwizzled, who) : 1;
  const kind = isSwizzled
    ? swizzledKind(source, destination, vector, who)
    : modes.sizes.length === 1 && source.type === destination.type
      ? "block"
      : vector > 1
        ? "vector"
        : "strided";
  return { kind, run, vector, modes };
}

/** Removes the modes in which neither tensor moves; throws if only the source does. */
function withoutRepeats({ sizes, strides, starts }: FlatLayout, destination: Tensor, who: string): FlatLayout {
  const [from, to] = strides as [readonly number[], readonly number[]];
  if (!to.includes(0)) return { sizes, strides, starts };
  const moves = (_: unknown, d: number): boolean => {
    if (to[d] === 0 && from[d] !== 0 && sizes[d] !== 1) throw ambiguous(destination, sizes[d], who);
    return to[d] !== 0;
  };
  return { sizes: sizes.filter(moves), strides: [from.filter(moves), to.filter(moves)], starts };
}

/** True if the tensor has storage, and strides or a swizzle over strides. */
function hasNest(t: Tensor, who: string): boolean {
  if (computedEngine(t, who) !== null) return false;
  return !isComposedTensor(t) || isSwizzle((t.layout as ComposedLayout).outer);
}

function ambiguous(destination: Tensor, size: number, who: string): WriteError {
  return new WriteError(
    `${who}: ${size} elements of the source would be written to one element of the destination ${describeBriefly(destination)}, which has a stride of 0. Copy one of them, or to a destination without stride 0`,
  );
}

function vectorOf(
  source: Tensor,
  destination: Tensor,
  { sizes, strides }: FlatLayout,
  isSwizzled: boolean,
  who: string,
): number {
  const { itemsize } = dtypes[source.dtype];
  let vector = gcd(sizes[0], maxVectorBits / (8 * itemsize));
  for (const operandStrides of strides)
    for (let d = 1; d < operandStrides.length; d++) vector = gcd(vector, Math.abs(operandStrides[d]));
  for (const t of [source, destination]) {
    vector = gcd(vector, alignedElements(t, itemsize, who));
    if (isSwizzled && isComposedTensor(t)) vector = gcd(vector, swizzledElements(t.layout as ComposedLayout));
  }
  return vector;
}

/** Returns the address of element 0. */
export function addressOf(t: Tensor, who: string): number {
  return storageOf(t, who).address + t.start * dtypes[t.dtype].itemsize;
}

/** Returns the largest number of elements of a vector that the address allows, a power of two. */
function alignedElements(t: Tensor, itemsize: number, who: string): number {
  const address = storageOf(t, who).address + t.start * itemsize;
  return Math.max(1, gcd(maxVectorBits / 8, address) / itemsize);
}

/** Returns the largest number of elements of a vector that a swizzle allows. */
function swizzledElements({ outer, offset }: ComposedLayout): number {
  const base = isSwizzle(outer) ? 2 ** outer.base : 1;
  return gcd(base, knownValue(offset) ?? 1);
}

/** Returns the kind of a swizzled copy. Its vectors move in sequence, so none may be overwritten before it is read. */
const swizzledKind = (source: Tensor, destination: Tensor, vector: number, who: string): CopyKind =>
  vector > 1 && !mayDisturb(destination, source, who) ? "vector" : "elementwise";
