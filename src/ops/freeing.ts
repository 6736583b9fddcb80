/**
 * Composite ops free what they make on the way as soon as they end: all tensors but their results.
 *
 * Only plain calls do. Where a mode looks on, or a tensor has a key above the processor's, as one whose gradient is wanted, others may
 * hold the tensors in between, and garbage collection decides. A result that is a view of a tensor made on the way becomes the owner of
 * its storage, because nobody can reach that tensor any more.
 */
import { keyShift } from "../tensor/dispatch/keys.ts";
import { guarded, type OpKernel, seen } from "../tensor/dispatch/operator.ts";
import { scope } from "../tensor/scope.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { callBits } from "../tensor/tensor.ts";
import { tensorsIn } from "./out.ts";

/** A kernel whose tensors on the way are freed when it ends; `always` of kernels of the processor, of which nothing above sees them. */
export function freeing(kernel: OpKernel, always = false): OpKernel {
  return (...args: never[]) => {
    const given = tensorsIn(args, "");
    if (!always && (guarded !== 0 || given.some((t) => ((callBits(t) >>> keyShift) & seen) !== 0)))
      return kernel(...args);
    return scope(() => {
      const result = kernel(...args);
      for (const t of tensorsIn([result])) own(t, given);
      return result;
    });
  };
}

/** Makes a view of a tensor that was not given the owner of its storage. */
function own(t: Tensor, given: readonly Tensor[]): void {
  const { root } = t;
  if (root === null || given.some((one) => one === t || one === root || one.root === root)) return;
  t.root = null;
  // A const view stays one.
  if ((t.bits & 3) === 1) t.bits--;
}
