/**
 * Ops with two meanings that agree: one pass that computes them, and what they are made of. Where gradients of them are asked for, the
 * second runs, so that they need no rule. Gradients that are computed in one pass are such ops: their own gradients are rarely wanted.
 */
import type { OpKernel } from "../../tensor/dispatch/operator.ts";
import type { OpFunction } from "../elementwise/map.ts";

/** An op that other ops take the place of where its gradient is asked for. */
export function composedForGradients<F extends OpFunction>(op: F, kernel: OpKernel): F {
  op.operator.setKernel("autograd", kernel);
  return op;
}
