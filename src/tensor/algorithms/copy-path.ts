/**
 * How a copy goes, on numbers alone: the road, the width of a vector, and the loop nest of both tensors in memory order.
 * `copy.ts` walks the path and `copy-plan.ts` describes it, so what is planned is what is done.
 *
 * The run is the number of elements that both layouts hold in a row, in the same order: maxCommonVector of the two.
 * The vector is what divides the run, every other stride and both addresses, up to 128 bits.
 */
import { WriteError } from "../../base/errors.ts";
import { gcd } from "../../base/ints.ts";
import { type FlatLayout, refineFlat, runFirst } from "../../layout/flat.ts";
import { knownValue } from "../../layout/int.ts";
import type { ComposedLayout } from "../../layout/layout.ts";
import { isSwizzle } from "../../layout/swizzle.ts";
import { dtypes } from "../../storage/dtype.ts";
import { flatLayoutOf, isComposedTensor } from "../geometry.ts";
import { checkNoOverlap } from "../operand.ts";
import { computedEngine, describeBriefly, storageOf, type Tensor } from "../tensor.ts";
import { checkDestination, checkElements, checkSameSize } from "./destination.ts";
import { mayDisturb } from "./in-order.ts";

/** block: one move of bytes; vector: several elements at a time; strided: a loop nest; elementwise: one read, one write each. */
export type CopyKind = "block" | "vector" | "strided" | "elementwise";

/** The widest vector, as CuTe's copies have it. */
export const maxVectorBits = 128;

export interface CopyPath {
  readonly kind: CopyKind;
  /** Elements that both hold in a row, in the same order. */
  readonly run: number;
  /** Elements of one vector; it divides the run. */
  readonly vector: number;
  /** The modes of source and destination, the run first; null if there are no common ones. */
  readonly modes: FlatLayout | null;
}

const elementwise: CopyPath = { kind: "elementwise", run: 1, vector: 1, modes: null };

/** The path of a copy, or an error if it may not be done. */
export function copyPath(source: Tensor, destination: Tensor, who: string): CopyPath {
  checkDestination(destination, who);
  checkSameSize(who, source, destination);
  checkElements(who, source, destination);
  const common =
    hasNest(source, who) && hasNest(destination, who)
      ? refineFlat([flatLayoutOf(source), flatLayoutOf(destination)])
      : undefined;
  if (common === undefined) {
    checkNoOverlap(destination, who);
    return elementwise;
  }
  const modes = runFirst(withoutRepeats(common, destination, who));
  const run = modes.sizes[0];
  const vector = source.type === destination.type ? vectorOf(source, destination, modes, who) : 1;
  return { kind: kindOf(source, destination, modes.sizes, vector, who), run, vector, modes };
}

/** The modes without those in which neither tensor moves; throws if only the source does. */
function withoutRepeats({ sizes, strides, starts }: FlatLayout, destination: Tensor, who: string): FlatLayout {
  const [from, to] = strides as [readonly number[], readonly number[]];
  const moves = (_: unknown, d: number): boolean => {
    if (to[d] === 0 && from[d] !== 0 && sizes[d] !== 1) throw ambiguous(destination, sizes[d], who);
    return to[d] !== 0;
  };
  return { sizes: sizes.filter(moves), strides: [from.filter(moves), to.filter(moves)], starts };
}

/** Storage whose layout is strides, or a swizzle over strides. */
function hasNest(t: Tensor, who: string): boolean {
  if (computedEngine(t, who) !== null) return false;
  return !isComposedTensor(t) || isSwizzle((t.layout as ComposedLayout).outer);
}

function ambiguous(destination: Tensor, size: number, who: string): WriteError {
  return new WriteError(
    `${who}: ${size} different elements of the source would be stored in one place of the destination ${describeBriefly(destination)}, which has a stride of 0 there. Copy one of them, or give the destination memory of its own`,
  );
}

function vectorOf(source: Tensor, destination: Tensor, { sizes, strides }: FlatLayout, who: string): number {
  const { itemsize } = dtypes[source.dtype];
  let vector = gcd(sizes[0], maxVectorBits / (8 * itemsize));
  for (const of of strides) for (let d = 1; d < of.length; d++) vector = gcd(vector, Math.abs(of[d]));
  return gcd(gcd(vector, alignedElements(source, itemsize, who)), alignedElements(destination, itemsize, who));
}

/** The address of element 0. */
export function addressOf(t: Tensor, who: string): number {
  return storageOf(t, who).address + t.start * dtypes[t.dtype].itemsize;
}

/** How many elements a vector may have for its address and for the swizzle, as a power of two. */
function alignedElements(t: Tensor, itemsize: number, who: string): number {
  const aligned = Math.max(1, gcd(maxVectorBits / 8, addressOf(t, who)) / itemsize);
  if (!isComposedTensor(t)) return aligned;
  const { outer, offset } = t.layout as ComposedLayout;
  const base = isSwizzle(outer) ? 2 ** outer.base : 1;
  return gcd(gcd(aligned, base), knownValue(offset) ?? 1);
}

function kindOf(source: Tensor, destination: Tensor, sizes: readonly number[], vector: number, who: string): CopyKind {
  // Vectors of a swizzle move one after the other, so none may be overwritten before its turn.
  if (isComposedTensor(source) || isComposedTensor(destination))
    return vector > 1 && !mayDisturb(destination, source, who) ? "vector" : "elementwise";
  if (sizes.length === 1 && source.type === destination.type) return "block";
  return vector > 1 ? "vector" : "strided";
}
