/**
 * Composite ops free their temporary tensors when they return.
 *
 * Only plain calls do. Inside a mode, or if a tensor has a key such as autograd's, something else may hold the temporary tensors, and garbage
 * collection frees them. A result that is a view of a temporary tensor becomes the owner of its storage, because that tensor is
 * unreachable from then on.
 */
import { keyShift } from "../tensor/dispatch/keys.ts";
import { guarded, type OpKernel, seen } from "../tensor/dispatch/operator.ts";
import { scope } from "../tensor/scope.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { callBits } from "../tensor/tensor.ts";
import { tensorsIn } from "./out.ts";

/** Wraps a kernel so that its temporary tensors are freed; `always` for kernels whose temporary tensors no higher key sees. */
export function freeing(kernel: OpKernel, always = false): OpKernel {
  return (...args: never[]) => {
    const inputs = tensorsIn(args, "");
    if (!always && (guarded !== 0 || inputs.some((t) => ((callBits(t) >>> keyShift) & seen) !== 0)))
      return kernel(...args);
    return scope(() => {
      const result = kernel(...args);
      for (const t of tensorsIn([result])) own(t, inputs);
      return result;
    });
  };
}

/** Makes a view of a temporary tensor the owner of its storage. */
function own(t: Tensor, inputs: readonly Tensor[]): void {
  const { root } = t;
  if (root === null || inputs.some((one) => one === t || one === root || one.root === root)) return;
  t.root = null;
  // A const view stays one.
  if ((t.bits & 3) === 1) t.bits--;
}
