/**
 * Tensors kept for the way back. A kept tensor remembers the version its memory had; if it was written to since, the gradient would be
 * wrong, and asking for it says so.
 *
 * A result of the node itself is kept without its history, which would hold the node; it gets it back when asked for.
 */
import { dtypes } from "../storage/dtype.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { detach } from "../tensor/in-place.ts";
import { counterOf, type Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";
import { gradFnOf, setHistory } from "./history.ts";
import type { Edge } from "./node.ts";

export class SavedTensor {
  private tensor: Tensor | null;
  private readonly version: number;
  /** Of a result: the node and output that it is. */
  private readonly own: Edge | null;

  constructor(t: Tensor, own: Edge | null) {
    this.own = own;
    this.tensor = own === null ? t : detach(t);
    this.version = counterOf(t).value;
  }

  /** The tensor as it was kept. */
  unpack(): Tensor {
    const { tensor, own } = this;
    if (tensor === null)
      throw new AutogradError(
        "backward: Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved intermediate values of the graph are freed when you call .backward() or grad(). Specify { retainGraph: true } if you need to backward through the graph a second time or if you need to access saved tensors after calling backward.",
      );
    const now = counterOf(tensor).value;
    if (now !== this.version) throw modified(tensor, own ?? gradFnOf(tensor), now, this.version);
    if (own === null) return tensor;
    const result = detach(tensor);
    setHistory(result, own.node, own.output);
    return result;
  }

  release(): void {
    this.tensor = null;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  float32: "Float",
  float64: "Double",
  float16: "Half",
  bfloat16: "BFloat16",
  complex64: "ComplexFloat",
  complex128: "ComplexDouble",
};

function modified(t: Tensor, from: Edge | null, now: number, before: number): AutogradError {
  const source = from === null ? "" : `, which is output ${from.output} of ${from.node.name},`;
  const type = `torch.${typeNames[t.dtype] ?? dtypes[t.dtype].torchName}Tensor`;
  return new AutogradError(
    `backward: one of the variables needed for gradient computation has been modified by an inplace operation: [${type} [${sizesOf(t).join(", ")}]]${source} is at version ${now}; expected version ${before} instead. Hint: the operation that failed to compute its gradient is found with detectAnomaly(() => ...).`,
  );
}
