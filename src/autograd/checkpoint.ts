/**
 * Memory for time: `checkpoint(fn, ...inputs)` keeps only the arguments of a function and computes it again on the way back. The function
 * must give the same result then: it draws no random numbers, unless from a generator that it makes itself.
 */
import { detach } from "../tensor/in-place.ts";
import { Tensor } from "../tensor/tensor.ts";
import { backward, setRequiresGrad } from "./api.ts";
import { defineFunction } from "./function.ts";
import { historyOf, requiresGrad } from "./history.ts";
import { enableGrad } from "./scopes.ts";

/** The value of a function, whose steps are forgotten and done again on the way back. */
export function checkpoint<A extends readonly unknown[]>(fn: (...args: A) => Tensor, ...args: A): Tensor {
  const run = defineFunction({
    name: "Checkpoint",
    forward(context, ...given: readonly unknown[]) {
      context.saveForBackward(...given.filter((arg): arg is Tensor => arg instanceof Tensor));
      return fn(...(given as unknown as A));
    },
    backward(context, gradient) {
      const saved = [...context.savedTensors];
      const wanted = args.map((arg) => arg instanceof Tensor && requiresGrad(arg));
      const again = args.map((arg, k) => {
        if (!(arg instanceof Tensor)) return arg;
        const leaf = detach(saved.shift() as Tensor);
        return wanted[k] === true ? setRequiresGrad(leaf, true, "checkpoint") : leaf;
      });
      const value = enableGrad(() => fn(...(again as unknown as A)));
      // Parameters that the function has by itself get their gradients, too.
      if (requiresGrad(value)) enableGrad(() => backward(value, gradient as Tensor));
      return again.map((arg, k) => (wanted[k] === true ? (historyOf(arg as Tensor)?.grad ?? null) : null));
    },
    onceDifferentiable: true,
  });
  return run(...args) as Tensor;
}
