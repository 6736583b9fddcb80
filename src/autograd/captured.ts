/**
 * Functions that are differentiated as a whole: by gradOf, valueAndGrad, vjp, jvp, jacobian and similar functions. A write to a tensor from
 * outside the function would leave a part of the graph behind there, and the function may run several times. So such a write throws if it
 * involves gradients. The numbers of storages tell which tensors existed before the call.
 */
import { runtime } from "../base/runtime.ts";
import { Storage } from "../storage/storage.ts";
import { storageCount } from "../storage/version.ts";
import { Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";

/** Throws for a write to a tensor from before the running function; null outside of such functions. */
const state: { refuse: ((who: string, source: unknown) => void) | null } = /* @__PURE__ */ runtime.own(
  "autograd/captured",
  {
    refuse: null,
  },
);

/** The storage of a tensor, or of the tensor that it wraps. */
function sourceOf(t: unknown): unknown {
  if (!(t instanceof Tensor)) return null;
  const { value } = t as { value?: unknown };
  return value instanceof Tensor ? sourceOf(value) : t.source;
}

/** Runs a function that is differentiated as a whole; it may write to its arguments. */
export function differentiated<T>(inputs: readonly unknown[], fn: () => T): T {
  const previous = state.refuse;
  const before = storageCount;
  const own = inputs.map(sourceOf);
  state.refuse = (who, source) => {
    if (source instanceof Storage && source.number <= before && !own.includes(source))
      throw new AutogradError(
        `${who}: During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call an in-place operation that would mutate a captured tensor. This is not supported; please rewrite the function being transformed to explicitly accept the mutated tensors as inputs. Or detach() it if it needs no gradient`,
      );
  };
  try {
    return fn();
  } finally {
    state.refuse = previous;
  }
}

/** Throws if a tensor with a gradient is written to a tensor from before the function. */
export function checkCaptured(who: string, { source }: Tensor): void {
  state.refuse?.(who, source);
}
