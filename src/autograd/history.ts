/**
 * What autograd knows of a tensor: whether gradients are asked for, the gradient, and the node that made it. Tensors without have none
 * of it. A tensor that takes part has the key "autograd" in its bits, which brings its calls to `record.ts`.
 *
 * A view of a tensor that was written to has a node that is out of date: it is made anew, as a view of what its base is now.
 */
import { add } from "../ops/elementwise/arithmetic.ts";
import type { DType } from "../storage/dtype.ts";
import { clone } from "../tensor/clone.ts";
import { keySet, keyShift } from "../tensor/dispatch/keys.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { detach } from "../tensor/in-place.ts";
import { counterOf, type Tensor } from "../tensor/tensor.ts";
import { AccumulateGrad } from "./accumulate.ts";
import type { Edge, GradNode } from "./node.ts";
import { retain, unretain } from "./retained.ts";

/** The bit of the key in a tensor's bits. */
const keyBit = /* @__PURE__ */ keySet("autograd") << keyShift;

export class History {
  /** Of a leaf: gradients are asked for. */
  asked = false;
  grad: Tensor | null = null;
  node: GradNode | null = null;
  output = 0;
  accumulator: AccumulateGrad | null = null;
  /** A result that keeps its gradient. */
  retains = false;
  /** The version of the memory when `node` was set; -1 where that does not matter. */
  version = -1;
  /** True of a view that is one of several results of a call: it must not be written to. */
  isOneOfSeveral = false;
}

export const historyOf = (t: Tensor): History | null => t.history as History | null;

/** The history of a tensor, made if it has none. */
export function ensureHistory(t: Tensor): History {
  t.history ??= new History();
  return t.history as History;
}

/** True if and only if gradients pass to this tensor. */
export function requiresGrad(t: Tensor): boolean {
  const history = historyOf(t);
  return history !== null && (history.asked || history.node !== null);
}

/** True if no recorded call made it. */
export const isLeaf = (t: Tensor): boolean => {
  const history = historyOf(t);
  return history === null || history.node === null;
};

/** Sets or clears the key that brings calls with the tensor to autograd. */
export function setKey(t: Tensor): void {
  t.bits = requiresGrad(t) ? t.bits | keyBit : t.bits & ~keyBit;
}

/** Notes which node made the tensor. */
export function setHistory(t: Tensor, node: GradNode, output: number): void {
  const history = ensureHistory(t);
  if (history.retains) {
    // What keeps its gradient is the tensor, whatever it is an output of.
    if (history.node !== null) unretain(history.node, history.output);
    retain(node, output, (gradient) => accumulate(history, gradient));
  }
  history.node = node;
  history.output = output;
  history.asked = false;
  history.version = t.root === null ? -1 : counterOf(t).value;
  node.outputs[output] ??= { shape: sizesOf(t), dtype: t.dtype as DType };
  setKey(t);
}

let remake: ((t: Tensor, base: Tensor) => void) | null = null;

/** Says how the node of a view that is out of date is made anew. */
export function installRemake(fn: (t: Tensor, base: Tensor) => void): void {
  remake = fn;
}

/** The node that made the tensor, up to date, and which of its outputs it is; null for a leaf. */
export function gradFnOf(t: Tensor): Edge | null {
  const history = historyOf(t);
  if (history === null) return null;
  const { root } = t;
  if (root !== null && history.version >= 0 && requiresGrad(root) && history.version !== counterOf(t).value)
    remake?.(t, root);
  return history.node === null ? null : { node: history.node, output: history.output };
}

/** Where the gradient of a tensor goes; null if none is asked for. */
export function edgeOf(t: Tensor): Edge | null {
  const history = historyOf(t);
  if (history === null) return null;
  const made = gradFnOf(t);
  if (made !== null) return made;
  if (!history.asked) return null;
  history.accumulator ??= new AccumulateGrad(t, (gradient) => accumulate(history, gradient));
  return { node: history.accumulator, output: 0 };
}

/**
 * Adds to the gradient of a tensor. The first one is a copy of its own, because what arrives may be shared; later ones are added to it
 * in place, unless the way back is itself recorded.
 */
export function accumulate(history: History, gradient: Tensor): void {
  const { grad } = history;
  const isRecorded = requiresGrad(gradient);
  if (grad === null) history.grad = isRecorded ? gradient : clone(detach(gradient), "contiguous");
  else if (isRecorded || requiresGrad(grad)) history.grad = add(grad, gradient as never) as Tensor;
  else add(grad, gradient as never, { out: grad } as never);
}
