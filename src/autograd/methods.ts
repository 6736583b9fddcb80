/** The gradient properties and methods of tensors, and the installation of autograd. */
import type { DType } from "../storage/dtype.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { installGradientRequest } from "../tensor/dispatch/tensor-op.ts";
import type { Space } from "../tensor/identity.ts";
import { installPrintedFields } from "../tensor/print/print.ts";
import { Tensor } from "../tensor/tensor.ts";
import type { Shape } from "../tensor/types/types.ts";
import { type BackwardOptions, backward, detach_, gradFn, registerHook, retainGrad, setRequiresGrad } from "./api.ts";
import { AutogradError } from "./error.ts";
import { tangentOf } from "./forward-level.ts";
import { dropGrad, gradients, historyOf, isLeaf, requiresGrad, setGrad } from "./history.ts";
import { installViews } from "./in-place.ts";
import type { GradNode, HookHandle, TensorHook } from "./node.ts";
import { installRecording } from "./record.ts";
import { isInference } from "./scopes.ts";

declare module "../tensor/tensor.ts" {
  interface Tensor<S extends Shape, D extends DType, P extends Space> {
    /** Whether this tensor requires a gradient: as a leaf, or because it was computed from a tensor that does. */
    requiresGrad: boolean;
    /** The gradient accumulated by `backward`, or null. */
    grad: Tensor<S, D, P> | null;
    /** The recorded call that computed this tensor; null for a leaf. */
    readonly gradFn: GradNode | null;
    /** True unless a recorded call computed this tensor. */
    readonly isLeaf: boolean;
    /** Whether this result keeps its gradient. */
    readonly retainsGrad: boolean;
    /** Sets whether this leaf requires a gradient. */
    requiresGrad_(value?: boolean): this;
    /** Detaches this tensor from the graph: it becomes a leaf that requires no gradient. */
    detach_(): this;
    /** Whether this tensor was created in inference mode, or is a view of one that was. */
    readonly isInference: boolean;
    /** Runs the backward pass and accumulates gradients into the `grad` of each leaf that this tensor depends on. */
    backward(gradient?: Tensor | null, options?: BackwardOptions): void;
    /** Clears the gradient and frees it. Use clone() to keep its values. */
    zeroGrad(): void;
    /** Makes this result keep its gradient, as leaves do. */
    retainGrad(): void;
    /** Registers a function that is called with the gradient; a tensor that it returns replaces the gradient. */
    registerHook(hook: TensorHook): HookHandle;
  }
}

function checkGradient(t: Tensor, gradient: Tensor): void {
  const [actual, expected] = [gradient.shape.join(", "), t.shape.join(", ")];
  if (actual !== expected || gradient.rank !== t.rank)
    throw new AutogradError(
      `grad: attempting to assign a gradient of size '[${actual}]' to a tensor of size '[${expected}]'. Please ensure that the gradient and the tensor are the same size`,
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
  set requiresGrad(value: boolean) {
    setRequiresGrad(this as unknown as Tensor, value, "requiresGrad");
  },
  get grad(): Tensor | null {
    const t = this as unknown as Tensor;
    gradients.note?.(t);
    return historyOf(t)?.grad ?? null;
  },
  set grad(gradient: Tensor | null | undefined) {
    const t = this as unknown as Tensor;
    if (gradient != null && !(gradient instanceof Tensor))
      throw new AutogradError(
        `grad: must be a tensor or null, got ${describeValue(gradient)}. Create one: tensor(...)`,
      );
    if (gradient != null) checkGradient(t, gradient);
    setGrad(t, gradient ?? null);
  },
  get gradFn(): GradNode | null {
    return gradFn(this as unknown as Tensor);
  },
  get isLeaf(): boolean {
    return isLeaf(this as unknown as Tensor);
  },
  get isInference(): boolean {
    return isInference(this as unknown as Tensor);
  },
  detach_(this: Tensor): Tensor {
    return detach_(this);
  },
  get retainsGrad(): boolean {
    return historyOf(this as unknown as Tensor)?.retains === true;
  },
  requiresGrad_(this: Tensor, value = true): Tensor {
    return setRequiresGrad(this, value);
  },
  backward(this: Tensor, gradient?: Tensor | null, options?: BackwardOptions): void {
    backward(this, gradient, options);
  },
  zeroGrad(this: Tensor): void {
    dropGrad(this);
  },
  retainGrad(this: Tensor): void {
    retainGrad(this);
  },
  registerHook(this: Tensor, hook: TensorHook): HookHandle {
    return registerHook(this, hook);
  },
};

/** The printed fields about gradients: the node of a result, or that a leaf requires a gradient. */
function printedFields(t: Tensor): string[] {
  const tangent = tangentOf(t);
  const fields = tangent === null ? [] : [`tangent=${tangent}`];
  if (!requiresGrad(t)) return fields;
  if (isLeaf(t)) return ["requires_grad=True", ...fields];
  try {
    return [`grad_fn=${gradFn(t)}`, ...fields];
  } catch {
    // A view that must not change with its base.
    return ["grad_fn=<Invalid>", ...fields];
  }
}

/** Installs autograd in dispatch and on tensors. Called once, by `../boot.ts`. */
export function installAutograd(): void {
  installRecording();
  installViews();
  installPrintedFields(printedFields);
  installGradientRequest((t, who) => setRequiresGrad(t, true, who));
  for (const name of Reflect.ownKeys(methods))
    Object.defineProperty(Tensor.prototype, name, {
      ...Object.getOwnPropertyDescriptor(methods, name),
      enumerable: false,
    });
}
