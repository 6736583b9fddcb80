/** Calls a node of control flow with functions that run its regions. `region-ops.ts` has the order of arguments and inputs. */
import type { Tensor } from "../../tensor/tensor.ts";
import type { Node } from "../ir.ts";
import { cond, scan, whileLoop } from "./control.ts";
import { condOp, scanOp, whileOp } from "./region-ops.ts";

type Tensors = readonly Tensor[];

/** Runs a region on tensors for its inputs, and returns its outputs. */
export type RunRegion = (...inputs: Tensors) => Tensors;

/** Returns the results of the node; null if it is not control flow. */
export function callControl({ op }: Node, args: readonly unknown[], regions: readonly RunRegion[]): Tensors | null {
  if (op === condOp) {
    const [predicate, captured] = args as [Tensor, Tensors];
    const [thenRegion, elseRegion] = regions;
    return cond(predicate, thenRegion, elseRegion, ...captured);
  }
  if (op === whileOp) {
    const [initial, captured] = args as [Tensors, Tensors];
    const [condition, body] = regions;
    return whileLoop(
      (state) => condition(...state, ...captured)[0],
      (state) => body(...state, ...captured),
      initial,
    );
  }
  return op === scanOp ? callScanNode(args, regions[0]) : null;
}

function callScanNode(args: readonly unknown[], body: RunRegion): Tensors {
  const [initial, xs, captured, reverse, saves] = args as [Tensors, Tensors, Tensors, boolean, boolean];
  const step = (carry: Tensors, rows: Tensors): readonly [carry: Tensors, outputs: Tensors] => {
    const results = body(...carry, ...rows, ...captured);
    return [results.slice(0, carry.length), [...results.slice(carry.length), ...(saves ? carry : [])]];
  };
  const [last, outputs] = scan(step, initial, xs, { reverse });
  return [...last, ...outputs];
}
