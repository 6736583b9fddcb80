/**
 * The Kronecker product.
 */
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { mul } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { reshape } from "../views.ts";

/** A product of two tensors. */
export interface TwoTensors extends OpFunction {
  (x: Tensor, other: Tensor): Tensor;
  readonly method: (this: Tensor, other: Tensor) => Tensor;
}
/** The Kronecker product: every element of one tensor times all of the other. */
export const kron: TwoTensors = /* @__PURE__ */ compositeOp(
  "kron(x: Tensor, other: Tensor, ...)",
  (x: Tensor, other: Tensor) => {
    const rank = Math.max(x.rank, other.rank);
    const filled = (t: Tensor): number[] => [...new Array<number>(rank - t.rank).fill(1), ...sizesOf(t)];
    const [a, b] = [filled(x), filled(other)];
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
