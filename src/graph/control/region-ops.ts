/**
 * The ops of control flow in graphs. A call has its regions as the first argument while it is traced; the node has the other arguments:
 * `cond(predicate, captured)`, `whileLoop(state, captured)` and `scan(carry, xs, captured, reverse, saves)`, where the three lists are tensors.
 *
 * Inputs of regions: the branches of cond have the captured tensors; condition and body of whileLoop the state, then the captured ones; the body of scan the
 * carry, one row of each tensor of xs, then the captured ones. The results of scan are the last carry, the stacked outputs, and the stacked carries before
 * each iteration if they are saved for the backward pass.
 */
import { requiresGrad } from "../../autograd/history.ts";
import { isGradEnabled } from "../../autograd/scopes.ts";
import { Operator } from "../../tensor/dispatch/operator.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { type Graph, Regions, type TensorType } from "../ir.ts";

export const condOp = /* @__PURE__ */ new Operator("cond", "composite");
export const whileOp = /* @__PURE__ */ new Operator("whileLoop", "composite");
export const scanOp = /* @__PURE__ */ new Operator("scan", "composite");

/** The index of the argument of each op that contains the captured tensors. */
export const capturedAt: ReadonlyMap<Operator, number> = /* @__PURE__ */ new Map([
  [condOp, 1],
  [whileOp, 1],
  [scanOp, 2],
]);

/** Calls the op of a scan. Its carries are saved if autograd records the call, or `saves` is true. */
export function callScan(
  graph: Graph,
  carry: readonly Tensor[],
  xs: readonly Tensor[],
  captured: readonly Tensor[],
  reverse: boolean,
  saves = false,
): Tensor[] {
  const length = sizesOf(xs[0])[0];
  const stacked = ({ dtype, shape }: TensorType): TensorType => ({ dtype, shape: [length, ...shape], strides: null });
  const carries = graph.inputs.slice(0, carry.length).map(({ value }) => value.type);
  const outputs = graph.outputs.slice(carry.length).map(({ type }) => type);
  const isSaved = saves || (isGradEnabled() && [...carry, ...xs, ...captured].some(requiresGrad));
  const types = [...carries, ...outputs.map(stacked), ...(isSaved ? carries.map(stacked) : [])];
  return scanOp.call([new Regions([graph], types), carry, xs, captured, reverse, isSaved]) as Tensor[];
}
