/**
 * Tensors kept for the backward pass. A kept tensor remembers the version its memory had; if it was written to since, the gradient would be
 * wrong, and asking for it says so.
 */
import { show } from "../base/show.ts";
import { dtypes } from "../storage/dtype.ts";
import { counterOf, describeBriefly, type Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";
import { edgeOf, gradFnOf } from "./history.ts";
import type { Edge, GradNode } from "./node.ts";
import { PackedTensor, presentHooks } from "./saved-hooks.ts";

/** What is kept of a tensor: itself, or what hooks have made of it. */
export type Kept = Tensor | PackedTensor;

/** Keeps a tensor; of a result of the node that keeps it, `node` and `output` say so. Its version is `versionOf` it. */
export function keptOf(t: Tensor, node: GradNode | null, output: number): Kept {
  if (!counterOf(t).enabled) throw new AutogradError(`autograd: ${ofInference}`);
  const hooks = presentHooks();
  return hooks === null ? t : new PackedTensor(hooks, t, node === null ? edgeOf(t) : { node, output });
}

/** How often the memory of a tensor that can be kept has been written to. */
export const versionOf = (t: Tensor): number => counterOf(t).value;

/** The tensor as it was kept, at a version of its memory; null was given up. */
export function unkept(kept: Kept | null, version: number, node: GradNode | null, output: number): Tensor {
  if (kept === null)
    throw new AutogradError(
      "backward: Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved intermediate values of the graph are freed when you call .backward() or grad(). Specify { retainGraph: true } if you need to backward through the graph a second time or if you need to access saved tensors after calling backward.",
    );
  if (kept instanceof PackedTensor) return kept.unpack();
  if (kept.isDisposed)
    throw new AutogradError(
      `backward: ${describeBriefly(kept)} is needed for the backward pass, but was disposed. Call backward inside its scope, or before dispose()`,
    );
  const now = counterOf(kept).value;
  if (now !== version) throw modified(kept, node === null ? gradFnOf(kept) : { node, output }, now, version);
  return kept;
}

/** A tensor that is kept. */
export class SavedTensor {
  #kept: Kept | null;
  readonly #version: number;
  /** Of a result: the node and output that it is. */
  readonly #node: GradNode | null;
  readonly #output: number;

  constructor(t: Tensor, node: GradNode | null, output = 0) {
    this.#kept = keptOf(t, node, output);
    this.#version = versionOf(t);
    this.#node = node;
    this.#output = output;
  }

  /** The tensor as it was kept. */
  unpack(): Tensor {
    return unkept(this.#kept, this.#version, this.#node, this.#output);
  }

  release(): void {
    this.#kept = null;
  }
}

const ofInference =
  "Inference tensors cannot be saved for backward. To work around you can make a clone to get a normal tensor and use it in autograd.";

function modified(t: Tensor, from: Edge | null, now: number, before: number): AutogradError {
  const source = from === null ? "" : `, which is output ${from.output} of ${from.node.name},`;
  return new AutogradError(
    `backward: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.${dtypes[t.dtype].torchName}Tensor ${show(t.shape)}]${source} is at version ${now}; expected version ${before} instead. Hint: the operation that failed to compute its gradient is found with detectAnomaly(() => ...).`,
  );
}
