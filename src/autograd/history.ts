/**
 * The autograd state of a tensor: whether it requires a gradient, its gradient, and the node that computed it. Tensors outside of any graph
 * have none. A tensor that requires a gradient has the key "autograd" in its bits, which brings its calls to `record.ts`.
 *
 * A view whose base was written to has an outdated node; it gets a new one, as a view of the current value of its base.
 */
import { add } from "../ops/elementwise/arithmetic.ts";
import { Storage } from "../storage/storage.ts";
import { emptyLike } from "../tensor/create/create-ops.ts";
import { keySet, keyShift } from "../tensor/dispatch/keys.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { unrecorded } from "../tensor/identity.ts";
import { outsideScopes } from "../tensor/scope.ts";
import { counterOf, type Tensor } from "../tensor/tensor.ts";
import { clone, copy_ } from "../tensor/views/view-ops.ts";
import { seesParts } from "./base-memory.ts";
import { carryTangent } from "./forward-level.ts";
import { type Edge, GradNode } from "./node.ts";
import { retain, unretain } from "./retained.ts";

/** The bit of the key in a tensor's bits. */
const keyBit = /* @__PURE__ */ keySet("autograd") << keyShift;

export class History {
  /** True for a leaf that requires a gradient. */
  isRequested = false;
  grad: Tensor | null = null;
  /** True if `grad` was allocated by the library, so that only callers of `grad` share it. */
  ownsGrad = false;
  /** The output of a node that this tensor is; null for a leaf. */
  edge: Edge | null = null;
  /** The node that accumulates the gradient of a leaf. */
  end: Edge | null = null;
  /** True for a result that keeps its gradient. */
  retains = false;
  /** The version of the memory when `edge` was set; -1 where it does not matter. */
  version = -1;
  /** True for a view that is one of several results of a call: it must not be written to. */
  isOneOfSeveral = false;
  /** True for a view that a user-defined function returned: it must not be written to. */
  isOfFunction = false;
}

export const historyOf = (t: Tensor): History | null => t.history as History | null;

/** The history of a tensor, created if it has none. */
export function ensureHistory(t: Tensor): History {
  t.history ??= new History();
  return t.history as History;
}

/** True if and only if gradients flow to this tensor. */
export function requiresGrad(t: Tensor): boolean {
  const history = t.history as History | null;
  if (history !== null && (history.isRequested || history.edge !== null)) return true;
  return t.root !== null && isLate(t, t.root);
}

/** True for a view that was created before a write made its base a result of a call: it is a view of that result now. */
const isLate = (t: Tensor, root: Tensor): boolean => {
  const base = root.history as History | null;
  return (
    base !== null &&
    base.edge !== null &&
    (t.bits & unrecorded.any) === 0 &&
    (t.type === root.type || seesParts(root, t))
  );
};

/** True if no recorded call computed the tensor. */
export const isLeaf = (t: Tensor): boolean => {
  const history = t.history as History | null;
  return (history === null || history.edge === null) && (t.root === null || !isLate(t, t.root));
};

/** Sets or clears the key that brings calls with the tensor to autograd. */
export function setKey(t: Tensor): void {
  t.bits = requiresGrad(t) ? t.bits | keyBit : t.bits & ~keyBit;
}

/** Sets the node that computed the tensor. */
export function setHistory(t: Tensor, node: GradNode, output: number): void {
  t.history ??= new History();
  const history = t.history as History;
  const edge = { node, output };
  if (history.retains) {
    // The tensor keeps its gradient, whichever output it is.
    if (history.edge !== null) unretain(history.edge);
    retain(edge, (gradient) => accumulate(history, gradient));
  }
  history.edge = edge;
  history.isRequested = false;
  history.version = t.root === null || !counterOf(t).enabled ? -1 : counterOf(t).value;
  node.outputs[output] ??= { shape: sizesOf(t), dtype: t.dtype };
  t.bits |= keyBit;
}

/** Gives a view whose node is outdated a new one; set by `in-place.ts`. */
const views: { remake: ((t: Tensor, base: Tensor) => void) | null } = { remake: null };

/** Sets the function that gives a view whose node is outdated a new one. */
export function installRemake(fn: (t: Tensor, base: Tensor) => void): void {
  views.remake = fn;
}

/** The output of a node that the tensor is, up to date; null for a leaf. */
export function gradFnOf(t: Tensor): Edge | null {
  const history = t.history as History | null;
  const { root } = t;
  if (root === null) return history === null ? null : history.edge;
  if (history === null || history.edge === null) {
    if (!isLate(t, root)) return null;
    views.remake?.(t, root);
  } else if (history.version >= 0 && requiresGrad(root) && history.version !== counterOf(t).value)
    views.remake?.(t, root);
  return (t.history as History).edge;
}

/** The output of a node that receives the gradient of a tensor; null if the tensor requires none. */
export function edgeOf(t: Tensor): Edge | null {
  const history = t.history as History | null;
  const edge = t.root === null ? history?.edge : gradFnOf(t);
  if (edge != null) return edge;
  if (history === null || !history.isRequested) return null;
  history.end ??= { node: new AccumulateGrad(t, history), output: 0 };
  return history.end;
}

/** The last node of a backward pass: accumulates the gradient of a leaf. */
export class AccumulateGrad extends GradNode {
  declare readonly variable: Tensor;
  declare readonly history: History;

  constructor(variable: Tensor, history: History) {
    super("AccumulateGrad", [], [{ shape: sizesOf(variable), dtype: variable.dtype }], true);
    this.variable = variable;
    this.history = history;
  }

  run([gradient]: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    gradients.note?.(this.variable);
    if (gradient != null) accumulate(this.history, gradient);
    return [];
  }
}

/**
 * Adds to the gradient of a tensor, outside of all scopes: it lives as long as the tensor. The first gradient is copied, unless nobody else
 * holds it (`isOurs`); later ones are added in place, unless the backward pass itself is recorded. Returns true if the gradient was taken
 * without a copy.
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
    } else addInto(grad, gradient);
  });
  return false;
}

/** Adds a gradient to another in place. */
export const addInto = (target: Tensor, gradient: Tensor): unknown => add(target, gradient, { out: target } as never);

/** Receives every tensor before its gradient is read, set, cleared or accumulated; set while a function is traced. */
export const gradients: { note: ((t: Tensor) => void) | null } = { note: null };

/** Sets the gradient of a tensor to one of the user, or to null. */
export function setGrad(t: Tensor, gradient: Tensor | null): void {
  gradients.note?.(t);
  const history = ensureHistory(t);
  history.grad = gradient;
  history.ownsGrad = false;
}

/** Clears the gradient of a tensor; one that the library allocated is freed, unless a trace still needs it. */
export function dropGrad(t: Tensor): void {
  const history = historyOf(t);
  if (history === null) return;
  if (gradients.note === null) freeGrad(history);
  setGrad(t, null);
}

/** Frees a gradient that the library allocated. */
export function freeGrad({ ownsGrad, grad }: History): void {
  if (ownsGrad) grad?.endWith("freed by zeroGrad() (clone() a gradient to keep it)");
}

/** True for a tensor that covers all of its storage and is its only holder. */
const isWhole = (t: Tensor): boolean =>
  t.source instanceof Storage && t.source.unique && t.isContiguous() && t.nbytes === t.source.nbytes;
