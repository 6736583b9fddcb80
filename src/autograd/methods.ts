/**
 * What tensors say of their gradients, as properties and methods; and how autograd gets into the library.
 */
import type { DType } from "../storage/dtype.ts";
import { installGradientRequest } from "../tensor/dispatch/tensor-op.ts";
import type { Space } from "../tensor/space.ts";
import { Tensor } from "../tensor/tensor.ts";
import type { Shape } from "../tensor/types/types.ts";
import { type BackwardOptions, backward, gradFn, registerHook, retainGrad, setRequiresGrad } from "./api.ts";
import { AutogradError } from "./error.ts";
import { ensureHistory, historyOf, isLeaf, requiresGrad } from "./history.ts";
import { installViews } from "./in-place.ts";
import type { GradNode, HookHandle, TensorHook } from "./node.ts";
import { installRecording } from "./record.ts";

declare module "../tensor/tensor.ts" {
  interface Tensor<S extends Shape, D extends DType, P extends Space> {
    /** Whether gradients are asked for: of a leaf, or because the tensor was made from one that asks. */
    requiresGrad: boolean;
    /** The gradient that `backward` has added up here, or null. */
    grad: Tensor<S, D, P> | null;
    /** The recorded call that made this tensor; null for a leaf. */
    readonly gradFn: GradNode | null;
    /** True unless a recorded call made this tensor. */
    readonly isLeaf: boolean;
    /** Whether this result keeps its gradient. */
    readonly retainsGrad: boolean;
    /** Asks for gradients of this leaf, or no longer. */
    requiresGrad_(asked?: boolean): this;
    /** Adds the gradients of all leaves that this tensor depends on to their `grad`. */
    backward(gradient?: Tensor | null, options?: BackwardOptions): void;
    /** Forgets the gradient. */
    zeroGrad(): void;
    /** Has this result keep its gradient, as leaves do. */
    retainGrad(): void;
    /** Calls a function with the gradient when it is known; what it returns takes its place. */
    registerHook(hook: TensorHook): HookHandle;
  }
}

function checkGradient(t: Tensor, gradient: Tensor): void {
  const [has, wants] = [gradient.shape.join(", "), t.shape.join(", ")];
  if (has !== wants || gradient.rank !== t.rank)
    throw new AutogradError(
      `grad: attempting to assign a gradient of size '[${has}]' to a tensor of size '[${wants}]'. Please ensure that the gradient and the tensor are the same size`,
    );
  if (gradient.dtype !== t.dtype)
    throw new AutogradError(
      `grad: attempting to assign a gradient with dtype '${gradient.dtype}' to a tensor with dtype '${t.dtype}'. Please ensure that the gradient and the tensor have the same dtype`,
    );
}

const methods = {
  get requiresGrad(): boolean {
    return requiresGrad(this as unknown as Tensor);
  },
  set requiresGrad(asked: boolean) {
    setRequiresGrad(this as unknown as Tensor, asked, "requiresGrad");
  },
  get grad(): Tensor | null {
    return historyOf(this as unknown as Tensor)?.grad ?? null;
  },
  set grad(gradient: Tensor | null | undefined) {
    const t = this as unknown as Tensor;
    if (gradient != null && !(gradient instanceof Tensor))
      throw new AutogradError(`grad: assigned grad expected to be a Tensor or null, got ${String(gradient)}`);
    if (gradient != null) checkGradient(t, gradient);
    ensureHistory(t).grad = gradient ?? null;
  },
  get gradFn(): GradNode | null {
    return gradFn(this as unknown as Tensor);
  },
  get isLeaf(): boolean {
    return isLeaf(this as unknown as Tensor);
  },
  get retainsGrad(): boolean {
    return historyOf(this as unknown as Tensor)?.retains === true;
  },
  requiresGrad_(this: Tensor, asked = true): Tensor {
    return setRequiresGrad(this, asked);
  },
  backward(this: Tensor, gradient?: Tensor | null, options?: BackwardOptions): void {
    backward(this, gradient, options);
  },
  zeroGrad(this: Tensor): void {
    const history = historyOf(this);
    if (history !== null) history.grad = null;
  },
  retainGrad(this: Tensor): void {
    retainGrad(this);
  },
  registerHook(this: Tensor, hook: TensorHook): HookHandle {
    return registerHook(this, hook);
  },
};

/** Puts autograd into dispatch and onto tensors. Called once, by `../runtime.ts`. */
export function installAutograd(): void {
  installRecording();
  installViews();
  installGradientRequest((t, who) => setRequiresGrad(t, true, who));
  for (const name of Reflect.ownKeys(methods))
    Object.defineProperty(Tensor.prototype, name, {
      ...Object.getOwnPropertyDescriptor(methods, name),
      enumerable: false,
    });
}
