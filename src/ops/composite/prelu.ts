/**
 * leakyRelu with learned slopes.
 */
import { ShapeError } from "../../base/errors.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { preluOf } from "../elementwise/activation.ts";
import { compositeOp } from "../op.ts";
import { reshape } from "../views.ts";
import type { KeepingMethod } from "./composite-types.ts";

/** x where it is positive, else weight * x; the weight is one number, or one for each channel. */
export const prelu: KeepingMethod<[weight: Tensor]> = /* @__PURE__ */ compositeOp(
  "prelu(x: Tensor, weight: Tensor, ...)",
  (x: Tensor, weight: Tensor) => {
    if (weight.rank > 1) throw new ShapeError(`prelu: weight must have at most one axis, got ${weight.rank}`);
    if (weight.size === 1) return preluOf(x, reshape(weight, []));
    const sizes = sizesOf(x);
    if (sizes.length === 0) throw new ShapeError("prelu: Not allow zero-dim input tensor.");
    const channels = sizes[1] ?? 1;
    if (channels !== weight.size)
      throw new ShapeError(`prelu: weight needs one element or ${channels}, one for each channel, got ${weight.size}`);
    return preluOf(
      x,
      reshape(
        weight,
        sizes.slice(1).map((_, axis) => (axis === 0 ? channels : 1)),
      ),
    );
  },
);
