/**
 * Functions that are differentiated as a whole: by gradOf, valueAndGrad, vjp, jvp, jacobian and their like. What such a function writes to
 * a tensor from before its call would stay behind there, with a part of a graph that is gone; and a function may run several times.
 * So it is refused if it has to do with gradients. Storages have numbers, which tell what is from before.
 */
import { Storage } from "../storage/storage.ts";
import { storagesMade } from "../storage/version.ts";
import { Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";

/** Refuses a write to what is from before the function that runs now; null outside of such functions. */
let refuse: ((who: string, source: unknown) => void) | null = null;

/** What a tensor lies in, or what it stands for does. */
function sourceOf(t: unknown): unknown {
  if (!(t instanceof Tensor)) return null;
  const { value } = t as { value?: unknown };
  return value instanceof Tensor ? sourceOf(value) : t.source;
}

/** Runs the function of such a call; it may write to its arguments. */
export function differentiated<T>(inputs: readonly unknown[], fn: () => T): T {
  const around = refuse;
  const before = storagesMade;
  const own = inputs.map(sourceOf);
  refuse = (who, source) => {
    if (source instanceof Storage && source.number <= before && !own.includes(source))
      throw new AutogradError(
        `${who}: During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation (${who}) that would mutate a captured Tensor. This is not supported; please rewrite the function being transformed to explicitly accept the mutated Tensor(s) as inputs. Or detach() it if it needs no gradient`,
      );
  };
  try {
    return fn();
  } finally {
    refuse = around;
  }
}

/** Refuses to write what has gradients to a tensor from before. */
export function checkCaptured(who: string, { source }: Tensor): void {
  refuse?.(who, source);
}
