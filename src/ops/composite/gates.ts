/**
 * Activations that are not a formula of one element: they halve an axis, reduce along one, draw random slopes, or have learned slopes.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { sizeAt, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { leakyRelu, preluOf } from "../elementwise/activation.ts";
import { neg } from "../elementwise/arithmetic.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import type { Promote } from "../op-types.ts";
import { narrow, reshape, to } from "../views.ts";
import type { DynamicFloatOp, DynamicShapeOp, Part, SameShapeOp } from "./composite-types.ts";
import { checkFloat } from "./rows.ts";
import { softmax } from "./softmax.ts";
import type { SoftmaxOptions } from "./softmax-form.ts";
import { randomLike } from "./tensors-like.ts";

/** Returns the softmax of -x along an axis. */
export const softmin: DynamicShapeOp<[axis: Axis, options?: SoftmaxOptions]> = /* @__PURE__ */ compositeOp(
  "softmin(x: Tensor, axis; dtype, out)",
  (x: Tensor, axis: Axis, options?: SoftmaxOptions) =>
    softmax(neg(to(x, checkFloat("softmin", options?.dtype ?? x.dtype))), axis, options),
);

const gated = /* @__PURE__ */ map<Part>("gated(x, gate)", "x * sigmoid(gate)");
/** Returns the gated linear unit: the first half of an axis times the sigmoid of the second. */
export const glu: DynamicFloatOp<[axis?: Axis]> = /* @__PURE__ */ compositeOp(
  "glu(x: Tensor, ...)",
  (x: Tensor, axis: Axis = -1) => {
    if (x.rank === 0) throw new ShapeError("glu: x must have at least 1 axis");
    const at = axisOf("glu", x, axis);
    const size = sizeAt(x, at);
    if (size % 2 !== 0) throw new ShapeError(`glu: axis ${at} must have an even size, got ${size}`);
    return gated(narrow(x, at, 0, size / 2), narrow(x, at, size / 2, size / 2));
  },
);

interface RreluOptions {
  /** The smallest slope. Default: 1/8. */
  readonly lower?: number | undefined;
  /** The largest slope. Default: 1/3. */
  readonly upper?: number | undefined;
  readonly training?: boolean | undefined;
}
const randomSlope = /* @__PURE__ */ map<Part>(
  "randomSlope(x, r, lower, upper)",
  "x > 0 ? x : like(x * (lower + (upper - lower) * r), x)",
);
/** Returns leakyRelu with a random slope between lower and upper for each element in training, otherwise with their mean. */
export const rrelu: SameShapeOp<[options?: RreluOptions]> = /* @__PURE__ */ compositeOp(
  "rrelu(x: Tensor; lower, upper, training)",
  (x: Tensor, { lower = 1 / 8, upper = 1 / 3, training = false }: RreluOptions = {}) => {
    checkFloat("rrelu", x.dtype);
    if (!(lower <= upper) || !Number.isFinite(upper - lower))
      throw new StridewiseError(`rrelu: lower and upper must be finite and lower <= upper, got ${lower} and ${upper}`);
    return training ? randomSlope(x, randomLike(x, sizesOf(x)), lower, upper) : leakyRelu(x, (lower + upper) / 2);
  },
);

/** The type of prelu. */
export interface Prelu extends OpFunction {
  <X extends Tensor, W extends Tensor>(x: X, weight: W): Tensor<X["shape"], Promote<X["dtype"], W["dtype"]>>;
}
/** Returns x where it is positive, otherwise weight * x; the weight is one number, or one for each channel. */
export const prelu: Prelu = /* @__PURE__ */ compositeOp(
  "prelu(x: Tensor, weight: Tensor, ...)",
  (x: Tensor, weight: Tensor) => {
    if (weight.rank > 1) throw new ShapeError(`prelu: weight must have at most one axis, got ${weight.rank}`);
    if (weight.size === 1) return preluOf(x, reshape(weight, []));
    const sizes = sizesOf(x);
    if (sizes.length === 0) throw new ShapeError("prelu: x must have at least 1 axis for a weight per channel");
    const channels = sizes[1] ?? 1;
    if (channels !== weight.size)
      throw new ShapeError(
        `prelu: weight must have one element, or one for each of ${channels} channels, got ${weight.size}`,
      );
    return preluOf(
      x,
      reshape(
        weight,
        sizes.slice(1).map((_, axis) => (axis === 0 ? channels : 1)),
      ),
    );
  },
);
