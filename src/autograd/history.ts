/**
 * What autograd knows of a tensor: whether gradients are asked for, the gradient, and the node that made it. Tensors without have none
 * of it. A tensor that takes part has the key "autograd" in its bits, which brings its calls to `record.ts`.
 *
 * A view of a tensor that was written to has a node that is out of date: it is made anew, as a view of what its base is now.
 */
import { add } from "../ops/elementwise/arithmetic.ts";
import { Storage } from "../storage/storage.ts";
import { clone } from "../tensor/clone.ts";
import { emptyLike } from "../tensor/create/create.ts";
import { keySet, keyShift } from "../tensor/dispatch/keys.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { unrecorded } from "../tensor/identity.ts";
import { outsideScopes } from "../tensor/scope.ts";
import { counterOf, type Tensor } from "../tensor/tensor.ts";
import { copy_ } from "../tensor/views/view-ops.ts";
import { AccumulateGrad } from "./accumulate.ts";
import { seesParts } from "./base-memory.ts";
import { carryTangent } from "./forward-level.ts";
import type { Edge, GradNode } from "./node.ts";
import { retain, unretain } from "./retained.ts";

/** The bit of the key in a tensor's bits. */
const keyBit = /* @__PURE__ */ keySet("autograd") << keyShift;

export class History {
  /** Of a leaf: gradients are asked for. */
  asked = false;
  grad: Tensor | null = null;
  /** The gradient was made here, and nobody but who asks for it has it. */
  ownsGrad = false;
  /** Which output of which node it is; null for a leaf. */
  made: Edge | null = null;
  /** Of a leaf: where its gradient goes. */
  end: Edge | null = null;
  /** A result that keeps its gradient. */
  retains = false;
  /** The version of the memory when `made` was set; -1 where that does not matter. */
  version = -1;
  /** True of a view that is one of several results of a call: it must not be written to. */
  isOneOfSeveral = false;
  /** True of a view that a function with a gradient of its own gave: it must not be written to. */
  isOfFunction = false;
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
  if (history !== null && (history.asked || history.made !== null)) return true;
  return t.root !== null && isLate(t, t.root);
}

/** True of a view that was made before its base became a result of a call, by a write: it is a view of that result now. */
const isLate = (t: Tensor, root: Tensor): boolean => {
  const base = root.history as History | null;
  return (
    base !== null &&
    base.made !== null &&
    (t.bits & unrecorded.any) === 0 &&
    (t.type === root.type || seesParts(root, t))
  );
};

/** True if no recorded call made it. */
export const isLeaf = (t: Tensor): boolean => {
  const history = historyOf(t);
  return (history === null || history.made === null) && (t.root === null || !isLate(t, t.root));
};

/** Sets or clears the key that brings calls with the tensor to autograd. */
export function setKey(t: Tensor): void {
  t.bits = requiresGrad(t) ? t.bits | keyBit : t.bits & ~keyBit;
}

/** Notes which node made the tensor. */
export function setHistory(t: Tensor, node: GradNode, output: number): void {
  const history = ensureHistory(t);
  const edge = { node, output };
  if (history.retains) {
    // What keeps its gradient is the tensor, whatever it is an output of.
    if (history.made !== null) unretain(history.made);
    retain(edge, (gradient) => accumulate(history, gradient));
  }
  history.made = edge;
  history.asked = false;
  history.version = t.root === null || !counterOf(t).enabled ? -1 : counterOf(t).value;
  node.outputs[output] ??= { shape: sizesOf(t), dtype: t.dtype };
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
  const { root } = t;
  if (root === null) return history === null ? null : history.made;
  if (history === null || history.made === null) {
    if (!isLate(t, root)) return null;
    remake?.(t, root);
  } else if (history.version >= 0 && requiresGrad(root) && history.version !== counterOf(t).value) remake?.(t, root);
  return (t.history as History).made;
}

/** Where the gradient of a tensor goes; null if none is asked for. */
export function edgeOf(t: Tensor): Edge | null {
  const made = gradFnOf(t);
  if (made !== null) return made;
  const history = historyOf(t);
  if (history === null || !history.asked) return null;
  history.end ??= {
    node: new AccumulateGrad(t, (gradient, isOurs) => accumulate(history, gradient, isOurs)),
    output: 0,
  };
  return history.end;
}

/**
 * Adds to the gradient of a tensor, outside of all scopes: it lives as long as the tensor. The first one is a copy of its own, unless
 * nobody else has it (`isOurs`); later ones are added to it in place, unless the way back is itself recorded. True if the gradient was kept
 * as it is.
 */
export function accumulate(history: History, gradient: Tensor, isOurs = false): boolean {
  const { grad } = history;
  const isRecorded = requiresGrad(gradient);
  if (grad === null && !isRecorded && isOurs && isWhole(gradient)) {
    history.grad = gradient;
    history.ownsGrad = true;
    return true;
  }
  outsideScopes(() => {
    if (grad === null && isRecorded) {
      history.grad = copy_(emptyLike(gradient), gradient);
      history.ownsGrad = false;
    } else if (grad === null) {
      history.grad = carryTangent(gradient, clone(gradient, "contiguous"));
      history.ownsGrad = true;
    } else if (isRecorded || requiresGrad(grad)) {
      history.grad = add(grad, gradient);
      history.ownsGrad = false;
    } else add(grad, gradient, { out: grad } as never);
  });
  return false;
}

/** Sets the gradient of a tensor to one of the user's, or to none. */
export function setGrad(history: History, gradient: Tensor | null): void {
  history.grad = gradient;
  history.ownsGrad = false;
}

/** Forgets the gradient of a tensor; one that was made here is freed. */
export function dropGrad(history: History): void {
  if (history.ownsGrad) history.grad?.endWith("freed by zeroGrad(): clone() before it what is to stay");
  setGrad(history, null);
}

/** True of a tensor that is all of its memory, which nobody else has. */
const isWhole = (t: Tensor): boolean =>
  t.source instanceof Storage && t.source.unique && t.isContiguous() && t.nbytes === t.source.nbytes;
