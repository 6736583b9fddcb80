/**
 * The type and the definition of softmax ops. The kernels are in `../../kernel/rows`.
 *
 * Gradients follow from the result y in one pass: y (g - sum(g y)) for softmax, and g - exp(y) sum(g) for its logarithm.
 */
import { getOrCompute } from "../../base/lazy.ts";
import { makeSoftmaxGradient } from "../../kernel/rows/gradients.ts";
import { makeSoftmax, type SoftmaxForm } from "../../kernel/rows/softmax.ts";
import type { RowKernel } from "../../kernel/rows/spec.ts";
import type { DType } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import type { TangentRule } from "../../tensor/dispatch/facts.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { CheckedAxis } from "../../tensor/types/shape-faults.ts";
import { mul, sub } from "../elementwise/arithmetic.ts";
import { exp } from "../elementwise/functions.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import { sum } from "../reduce/reduce.ts";
import { shapeOf } from "../shape-rules.ts";
import { to } from "../views.ts";
import type { Part } from "./composite-types.ts";
import { checkFloat, composedForGradients, lowerRowKernel } from "./rows.ts";

interface SoftmaxBackward extends OpFunction {
  (g: Tensor, y: Tensor, axis: number, isLog: boolean): Tensor;
}
type Arguments = [g: Tensor, y: Tensor, axis: number, isLog: boolean];

const kernels = /* @__PURE__ */ new Map<string, RowKernel>();
const product = /* @__PURE__ */ map<Part>("product(x, y)", "x * y");
const plain = /* @__PURE__ */ map<Part>("softmaxPart(g, y, s)", "y * (g - s)");
const log = /* @__PURE__ */ map<Part>("logSoftmaxPart(g, y, s)", "g - exp(y) * s");

/** The gradient of x of softmax, from the gradient of the result y and y. */
export const softmaxBackward: SoftmaxBackward = /* @__PURE__ */ composedForGradients(
  /* @__PURE__ */ structuredOp<SoftmaxBackward, Arguments>("softmaxBackward(g: Tensor, y: Tensor, ...)", "composite", {
    batch: "along 2",
    infer: (_, y) => ({ dtype: y.dtype, shape: shapeOf(y) }),
    lower(builder, results, g, y, axis, isLog) {
      const kernel = getOrCompute(kernels, `${y.dtype} ${isLog}`, () => makeSoftmaxGradient(y.dtype, isLog));
      lowerRowKernel(builder, "softmax", kernel, results, [g, y], y.rank === 0 ? [] : [axis]);
    },
  }),
  (g: Tensor, y: Tensor, axis: number, isLog: boolean) => {
    const total = sum(isLog ? g : product(g, y), y.rank === 0 ? undefined : axis, { keepdims: true });
    return (isLog ? log : plain)(g, y, total);
  },
);

/** The gradient rule of softmax, or of its logarithm. */
const softmaxGradient =
  (isLog: boolean): GradientRule =>
  (call) => {
    const [x, axis] = call.args as [Tensor, Axis];
    const at = axisOf("softmax", x, axis);
    const { dtype } = x;
    const y = call.saveResult();
    return ([g]) => [to(softmaxBackward(g, y(), at, isLog), dtype)];
  };

/** The tangent rule of softmax, or of its logarithm: the transposed gradient. */
const softmaxTangent =
  (isLog: boolean): TangentRule =>
  (tangent, results, [, axis]) => {
    const y = results[0];
    const t = to(tangent, y.dtype);
    const weighted = sum(mul(isLog ? exp(y) : y, t), axis as Axis, { keepdims: true });
    return [isLog ? sub(t, weighted) : mul(y, sub(t, weighted))];
  };

export interface SoftmaxOptions {
  /** The dtype of the result; the elements are converted to it first. */
  readonly dtype?: DType | undefined;
  /** An existing tensor for the result. */
  readonly out?: Tensor | undefined;
}

/** The type of softmax ops. */
export interface Softmax extends OpFunction {
  <X extends Tensor, const A extends Axis, const O extends SoftmaxOptions | undefined = undefined>(
    x: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: O,
  ): Tensor<X["shape"], AskedOr<O, X["dtype"]>>;
  readonly method: <X extends Tensor, const A extends Axis, const O extends SoftmaxOptions | undefined = undefined>(
    this: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: O,
  ) => Tensor<X["shape"], AskedOr<O, X["dtype"]>>;
}
type AskedOr<O, D extends DType> = O extends { readonly dtype: infer E extends DType } ? E : D;

/** Defines a softmax op. */
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
        const kernel = getOrCompute(kernels, dtype, () => makeSoftmax(dtype, form));
        lowerRowKernel(builder, name, kernel, results, [x], x.rank === 0 ? [] : [axisOf(name, x, axis)]);
      },
    },
  );
}
