/**
 * Division by a length: of vectors by their norm, of slices down to a largest norm, of elements by the mean square of nearby channels.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { isFloatDType } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { RealOf } from "../../tensor/types/shape-dtypes.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { pad } from "../movement/pad.ts";
import { compositeOp } from "../op.ts";
import type { FloatOf } from "../op-types.ts";
import { sum, vectorNorm } from "../reduce/reduce.ts";
import { expand, to, unfold } from "../views.ts";
import type { Part, SameShapeOp } from "./composite-types.ts";
import type { EpsOption } from "./standardize.ts";

interface ResponseOptions {
  readonly alpha?: number | undefined;
  readonly beta?: number | undefined;
  readonly k?: number | undefined;
}
const square = /* @__PURE__ */ map<Part>("squares(x)", "x * x");
const byResponse = /* @__PURE__ */ map<Part>("byResponse(x, s, alpha, beta, k)", "x / (k + alpha * s) ** (1.0 * beta)");
/** The type of localResponseNorm. */
export interface ResponseNorm extends OpFunction {
  <X extends Tensor>(x: X, size: number, options?: ResponseOptions): Tensor<Shape, RealOf<FloatOf<X["dtype"]>>>;
}
/** Returns x divided by (k + alpha * mean square of the nearby channels) ** beta. */
export const localResponseNorm: ResponseNorm = /* @__PURE__ */ compositeOp(
  "localResponseNorm(x: Tensor, size; alpha, beta, k)",
  (x: Tensor, size: number, { alpha = 1e-4, beta = 0.75, k = 1 }: ResponseOptions = {}) => {
    if (x.rank < 3) throw new ShapeError(`localResponseNorm: x must have at least 3 axes, got shape ${showShape(x)}`);
    if (!(size >= 1)) throw new StridewiseError(`localResponseNorm: size must be at least 1, got ${size}`);
    if (x.size === 0) return expand(x, sizesOf(x));
    const floats = isFloatDType(x.dtype) ? x : to(x, "float32");
    const pads = [
      ...Array.from({ length: 2 * (x.rank - 2) }, () => 0),
      Math.floor(size / 2),
      Math.floor((size - 1) / 2),
    ];
    const squares = sum(unfold(pad(square(floats), pads), 1, size, 1), -1);
    return byResponse(floats, squares, alpha / size, beta, k);
  },
);

const byLength = /* @__PURE__ */ map<Part>("byLength(x, length, eps)", "x / max(length, 1.0 * eps)");
/** Divides x by its p-norm along an axis, or by eps if that is larger. */
export const normalize: SameShapeOp<[p?: number, axis?: Axis, options?: EpsOption]> = /* @__PURE__ */ compositeOp(
  "normalize(x: Tensor, p, axis; eps, out)",
  (x: Tensor, p = 2, axis: Axis = 1, { eps = 1e-12, out }: EpsOption = {}) => {
    const length = vectorNorm(x, axisOf("normalize", x, axis), { ord: p, keepdims: true });
    return out === undefined ? byLength(x, length, eps) : byLength(x, length, eps, { out });
  },
);

const renormalized = /* @__PURE__ */ map<Part>(
  "renormEach(x, length, most)",
  "length > most ? x * like(most / (length + 1e-7), x) : x",
);
/** Returns x with the slice at each index of an axis scaled down to a p-norm of at most `maxnorm`. */
export const renorm: SameShapeOp<[p: number, axis: Axis, maxnorm: number]> = /* @__PURE__ */ compositeOp(
  "renorm(x: Tensor, ...)",
  (x: Tensor, p: number, axis: Axis, maxnorm: number) => {
    if (x.rank < 2) throw new ShapeError(`renorm: x must have at least 2 axes, got ${x.rank}. Add one: unsqueeze(0)`);
    if (!(p > 0)) throw new StridewiseError(`renorm: p must be above 0, got ${describeValue(p)}`);
    if (!(maxnorm >= 0)) throw new StridewiseError(`renorm: maxnorm must be at least 0, got ${describeValue(maxnorm)}`);
    const at = axisOf("renorm", x, axis);
    const others = sizesOf(x).flatMap((_, k) => (k === at ? [] : [k]));
    return renormalized(x, vectorNorm(x, others, { ord: p, keepdims: true }), maxnorm);
  },
);
