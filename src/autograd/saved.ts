/**
 * Tensors saved for the backward pass. A saved tensor knows the version of its memory; unpacking it after a write to that memory throws,
 * because the gradient would be wrong.
 *
 * Hooks save tensors in a different form: on disk, in fewer bits, elsewhere. `pack` converts a tensor when it is saved, `unpack` returns the
 * tensor when it is needed, for all calls inside `savedTensorHooks`. The versions of packed tensors are not checked.
 */

import { refusePromise } from "../base/arguments.ts";
import { runtime } from "../base/runtime.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { detach } from "../tensor/in-place.ts";
import { insideScope } from "../tensor/scope.ts";
import { counterOf, describeBriefly, Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";
import { edgeOf, gradFnOf, setHistory } from "./history.ts";
import type { Edge, GradNode } from "./node.ts";
import { noGrad } from "./scopes.ts";

/** Functions that replace saved tensors. Both run without recording. */
export interface SavedTensorHooks<P> {
  /** Returns anything from which `unpack` can restore the tensor. */
  pack(t: Tensor): P;
  /** Returns a tensor with the elements, the shape and the dtype that `pack` was given. */
  unpack(packed: P): Tensor;
  /** True if `unpack` returns a new tensor each time, which is freed after use. Default: false. */
  readonly frees?: boolean;
}

/** The hooks of the innermost `savedTensorHooks`. */
const hooks: { current: SavedTensorHooks<unknown> | null } = /* @__PURE__ */ runtime.own("autograd/saved", {
  current: null,
});

/** Runs a function in which tensors saved for the backward pass go through a pair of hooks. */
export function savedTensorHooks<P, T>(pair: SavedTensorHooks<P>, fn: () => T): T {
  if (typeof pair?.pack !== "function" || typeof pair.unpack !== "function" || typeof fn !== "function")
    throw new AutogradError("savedTensorHooks: takes two functions { pack, unpack }, and a function to run with them");
  const before = hooks.current;
  hooks.current = pair as SavedTensorHooks<unknown>;
  try {
    return refusePromise("savedTensorHooks", fn());
  } finally {
    hooks.current = before;
  }
}

/** The packed form of a tensor, and the output of a node that the tensor was. */
class PackedTensor {
  readonly #hooks: SavedTensorHooks<unknown>;
  readonly #packed: unknown;
  readonly #edge: Edge | null;

  constructor(pair: SavedTensorHooks<unknown>, t: Tensor, edge: Edge | null) {
    this.#hooks = pair;
    this.#edge = edge;
    const version = counterOf(t).value;
    this.#packed = noGrad(() => pair.pack(detach(t)));
    if (counterOf(t).value !== version)
      throw new AutogradError("savedTensorHooks: a pack hook modified its input in place. Write to a clone()");
  }

  unpack(): Tensor {
    // Tensors that the user's function creates belong to the user.
    const t = insideScope(() => noGrad(() => this.#hooks.unpack(this.#packed)));
    if (!(t instanceof Tensor))
      throw new AutogradError(`savedTensorHooks: unpack must return a tensor, got ${describeValue(t)}.`);
    const result = detach(t);
    if (this.#hooks.frees === true) t.endWith("freed after it was unpacked for the backward pass");
    if (this.#edge !== null) setHistory(result, this.#edge.node, this.#edge.output);
    return result;
  }
}

/** A tensor saved by a node. */
export class SavedTensor {
  /** The tensor, or its packed form; null after `release`. */
  #saved: Tensor | PackedTensor | null;
  readonly #version: number;
  /** If the tensor is a result of the node that saves it: that node and the index of the output. */
  readonly #node: GradNode | null;
  readonly #output: number;

  constructor(t: Tensor, node: GradNode | null, output = 0) {
    const counter = counterOf(t);
    if (!counter.enabled)
      throw new AutogradError(
        "autograd: Inference tensors cannot be saved for backward. To work around you can make a clone to get a normal tensor and use it in autograd.",
      );
    const { current } = hooks;
    this.#saved = current === null ? t : new PackedTensor(current, t, node === null ? edgeOf(t) : { node, output });
    this.#version = counter.value;
    this.#node = node;
    this.#output = output;
  }

  /** The tensor as it was saved. */
  unpack(): Tensor {
    const saved = this.#saved;
    if (saved === null)
      throw new AutogradError(
        "backward: Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved intermediate values of the graph are freed when you call .backward() or grad(). Specify { retainGraph: true } if you need to backward through the graph a second time or if you need to access saved tensors after calling backward.",
      );
    if (saved instanceof PackedTensor) return saved.unpack();
    if (saved.isDisposed)
      throw new AutogradError(
        `backward: ${describeBriefly(saved)} is needed for the backward pass, but was disposed. Call backward inside its scope, or before dispose()`,
      );
    const version = counterOf(saved).value;
    if (version !== this.#version) throw this.#modified(saved, version);
    return saved;
  }

  release(): void {
    this.#saved = null;
  }

  #modified(t: Tensor, version: number): AutogradError {
    const from = this.#node === null ? gradFnOf(t) : { node: this.#node, output: this.#output };
    const source = from === null ? "" : `, which is output ${from.output} of ${from.node.name},`;
    return new AutogradError(
      `backward: one of the tensors needed for gradient computation has been modified by an in-place operation: [${describeBriefly(t)}]${source} is at version ${version}; expected version ${this.#version} instead. To find the operation, use detectAnomaly(() => ...).`,
    );
  }
}
