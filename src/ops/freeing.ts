/**
 * Composite ops free what they make on the way as soon as they end: all tensors but their results.
 *
 * Only plain calls do. Where a mode looks on, or a tensor has a key above the processor's, as one whose gradient is wanted, others may
 * hold the tensors in between, and garbage collection decides. A result that is a view of a tensor made on the way takes its place as
 * the owner, because nobody can reach that one any more; of several results the tensors that they are views of are kept.
 */
import { callBits, keyShift } from "../tensor/dispatch/keys.ts";
import { guarded, type OpKernel, seen } from "../tensor/dispatch/operator.ts";
import { keep, scope } from "../tensor/scope.ts";
import { Tensor } from "../tensor/tensor.ts";

/** A kernel whose tensors on the way are freed when it ends. */
export function freeing(kernel: OpKernel): OpKernel {
  return (...args: never[]) => {
    const given: Tensor[] = [];
    collect(args, given);
    if (guarded !== 0 || given.some((t) => ((callBits(t) >>> keyShift) & seen) !== 0)) return kernel(...args);
    return scope(() => {
      const result = kernel(...args);
      if (result instanceof Tensor) own(result, given);
      else {
        const results: Tensor[] = [];
        collect([result], results);
        for (const { root } of results) if (root !== null) keep(root);
      }
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

/** Adds all tensors among values, in lists and records too. */
function collect(values: readonly unknown[], into: Tensor[]): void {
  for (let k = 0; k < values.length; k++) {
    const value = values[k];
    if (value instanceof Tensor) into.push(value);
    else if (Array.isArray(value)) collect(value, into);
    else if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)
      collect(Object.values(value), into);
  }
}
