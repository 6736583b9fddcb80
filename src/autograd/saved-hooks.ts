/**
 * Who keeps tensors for the way back in another form: on disk, in fewer bits, elsewhere. A pair of functions, for all calls in a scope:
 * `pack` makes anything of a tensor when it is kept, `unpack` makes a tensor of that again when it is needed. Versions are not checked:
 * what is packed is no longer the memory that may be written to.
 */

import { refusePromise } from "../base/arguments.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { detach } from "../tensor/in-place.ts";
import { insideScope } from "../tensor/scope.ts";
import { counterOf, Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";
import { setHistory } from "./history.ts";
import type { Edge } from "./node.ts";
import { noGrad } from "./scopes.ts";

/** How tensors are kept. Both run without recording. */
export interface SavedTensorHooks<P> {
  /** Anything that `unpack` can make the tensor of again. */
  pack(t: Tensor): P;
  /** A tensor with the elements, the shape and the dtype that `pack` was given. */
  unpack(packed: P): Tensor;
  /** True if `unpack` makes a new tensor each time, which is freed when it was used: false unless given. */
  readonly frees?: boolean;
}

let present: SavedTensorHooks<unknown> | null = null;

/** The hooks of this scope, or null. */
export const presentHooks = (): SavedTensorHooks<unknown> | null => present;

/** Runs a function in which everything that is kept for the way back goes through a pair of hooks. */
export function savedTensorHooks<P, T>(hooks: SavedTensorHooks<P>, fn: () => T): T {
  if (typeof hooks?.pack !== "function" || typeof hooks.unpack !== "function" || typeof fn !== "function")
    throw new AutogradError("savedTensorHooks: takes two functions { pack, unpack }, and a function to run with them");
  const before = present;
  present = hooks as SavedTensorHooks<unknown>;
  try {
    return refusePromise("savedTensorHooks", fn());
  } finally {
    present = before;
  }
}

/** What hooks have made of a tensor, and which output of which node the tensor was. */
export class PackedTensor {
  readonly #hooks: SavedTensorHooks<unknown>;
  readonly #packed: unknown;
  readonly #made: Edge | null;

  constructor(hooks: SavedTensorHooks<unknown>, t: Tensor, made: Edge | null) {
    this.#hooks = hooks;
    this.#made = made;
    const version = counterOf(t).value;
    this.#packed = noGrad(() => hooks.pack(detach(t)));
    if (counterOf(t).value !== version)
      throw new AutogradError("savedTensorHooks: a pack hook modified its input in place. Write to a clone()");
  }

  unpack(): Tensor {
    // What the user's function makes belongs to the user.
    const t = insideScope(() => noGrad(() => this.#hooks.unpack(this.#packed)));
    if (!(t instanceof Tensor))
      throw new AutogradError(`savedTensorHooks: unpack must return a tensor, got ${describeValue(t)}.`);
    const result = detach(t);
    if (this.#hooks.frees === true) t.endWith("freed after it was unpacked for the way back");
    if (this.#made !== null) setHistory(result, this.#made.node, this.#made.output);
    return result;
  }
}
