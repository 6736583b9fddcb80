/**
 * The ops that softmax is in its forms: their type, and how one is made. The kernels are in `../../kernel/rows`.
 */

import { remember } from "../../base/remember.ts";
import { makeSoftmax, type SoftmaxForm } from "../../kernel/rows/softmax.ts";
import type { RowKernel } from "../../kernel/rows/spec.ts";
import type { DType } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import { shapeOf } from "../shape-rules.ts";
import { checkFloat, lowerRowKernel } from "./rows.ts";
import { softmaxGradient, softmaxTangent } from "./softmax-gradient.ts";

export interface SoftmaxOptions {
  /** The dtype of the result; the elements are converted to it first. */
  readonly dtype?: DType | undefined;
  /** An existing tensor for the result. */
  readonly out?: Tensor | undefined;
}

/** A function of all elements along an axis, with a result for each. */
export interface Softmax extends OpFunction {
  <X extends Tensor, const O extends SoftmaxOptions | undefined = undefined>(
    x: X,
    axis: Axis,
    options?: O,
  ): Tensor<X["shape"], AskedOr<O, X["dtype"]>, "none">;
  readonly method: <X extends Tensor, const O extends SoftmaxOptions | undefined = undefined>(
    this: X,
    axis: Axis,
    options?: O,
  ) => Tensor<X["shape"], AskedOr<O, X["dtype"]>, "none">;
}
type AskedOr<O, D extends DType> = O extends { readonly dtype: infer E extends DType } ? E : D;

/** An op that is softmax in one of its forms. */
export function softmaxOf<F extends OpFunction>(name: string, form: SoftmaxForm): F {
  const kernels = new Map<DType, RowKernel>();
  return structuredOp<F, [x: Tensor, axis: Axis, options?: SoftmaxOptions]>(
    `${name}(x: Tensor, axis; dtype)`,
    "composite",
    {
      infer(x, axis, options) {
        axisOf(name, x, axis);
        return { dtype: checkFloat(name, options?.dtype ?? x.dtype), shape: shapeOf(x), names: x.names };
      },
      batch: "along 1",
      gradient: softmaxGradient(form === "log"),
      tangent: softmaxTangent(form === "log"),
      lower(builder, results, x, axis, options) {
        const dtype = options?.dtype ?? x.dtype;
        const kernel = remember(kernels, dtype, () => makeSoftmax(dtype, form));
        lowerRowKernel(builder, name, kernel, results, [x], x.rank === 0 ? [] : [axisOf(name, x, axis)]);
      },
    },
  );
}
