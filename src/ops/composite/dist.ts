/**
 * The distance of two tensors as wholes.
 */
import type { Tensor } from "../../tensor/tensor.ts";
import { sub } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { vectorNorm } from "../reduce/reduce.ts";

interface Dist extends OpFunction {
  (x: Tensor, other: Tensor, p?: number): Tensor;
  readonly method: (this: Tensor, other: Tensor, p?: number) => Tensor;
}
/** The p-norm of the difference of two tensors, broadcast, the 2-norm unless given. */
export const dist: Dist = /* @__PURE__ */ compositeOp("dist", (x: Tensor, other: Tensor, p = 2) =>
  vectorNorm(sub(x, other as never) as Tensor, undefined, { ord: p }),
);
