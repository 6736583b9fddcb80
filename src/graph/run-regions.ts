/** Runs a node of control flow eagerly, with functions that run its regions. `region-ops.ts` has the order of arguments and inputs. */
import { isNonzero } from "../kernel/element.ts";
import { stack } from "../ops/movement/join.ts";
import { readAt } from "../tensor/elements.ts";
import { sizesOf } from "../tensor/geometry.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { select } from "../tensor/views/view-ops.ts";
import type { Node } from "./ir.ts";
import { condOp, scanOp, whileOp } from "./region-ops.ts";

/** Runs a region on tensors for its inputs, and returns its outputs. */
export type RunRegion = (...inputs: readonly Tensor[]) => readonly Tensor[];

const isTrue = (t: Tensor): boolean => isNonzero(readAt(t, 0));

/** Returns the results of the node; null if it is not control flow. */
export function runRegions(
  { op }: Node,
  args: readonly unknown[],
  regions: readonly RunRegion[],
): readonly Tensor[] | null {
  if (op === condOp) {
    const [predicate, captured] = args as [Tensor, Tensor[]];
    return regions[isTrue(predicate) ? 0 : 1](...captured);
  }
  if (op === whileOp) {
    const [initial, captured] = args as [Tensor[], Tensor[]];
    let state: readonly Tensor[] = initial;
    while (isTrue(regions[0](...state, ...captured)[0])) state = regions[1](...state, ...captured);
    return state;
  }
  return op === scanOp ? runScan(args, regions[0]) : null;
}

function runScan(args: readonly unknown[], step: RunRegion): readonly Tensor[] {
  const [initial, xs, captured, isReverse, isSaved] = args as [Tensor[], Tensor[], Tensor[], boolean, boolean];
  const length = sizesOf(xs[0])[0];
  let carry: readonly Tensor[] = initial;
  const rows: (readonly Tensor[])[] = [];
  for (let k = 0; k < length; k++) {
    const at = isReverse ? length - 1 - k : k;
    const saved = isSaved ? carry : [];
    const results = step(...carry, ...xs.map((x) => select(x, 0, at)), ...captured);
    carry = results.slice(0, initial.length);
    rows[at] = [...results.slice(initial.length), ...saved];
  }
  return [...carry, ...rows[0].map((_, j) => stack(rows.map((row) => row[j])) as Tensor)];
}
