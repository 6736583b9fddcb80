/** The Kronecker product, by broadcasting. */
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { mul } from "../elementwise/arithmetic.ts";
import { compositeOp } from "../op.ts";
import { reshape } from "../views.ts";
import type { TwoTensors } from "./matmul.ts";

/** Returns the Kronecker product of two tensors. */
export const kron: TwoTensors = /* @__PURE__ */ compositeOp(
  "kron(x: Tensor, other: Tensor, ...)",
  (x: Tensor, other: Tensor) => {
    const rank = Math.max(x.rank, other.rank);
    const sizesFor = (t: Tensor): number[] => [...new Array<number>(rank - t.rank).fill(1), ...sizesOf(t)];
    const [a, b] = [sizesFor(x), sizesFor(other)];
    const left = reshape(
      x,
      a.flatMap((size) => [size, 1]),
    );
    const right = reshape(
      other,
      b.flatMap((size) => [1, size]),
    );
    return reshape(
      mul(left, right),
      a.map((size, axis) => size * b[axis]),
    );
  },
  "contract",
);
