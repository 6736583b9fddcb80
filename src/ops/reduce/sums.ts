/**
 * Sums, products and means over any axes. The gradients of the other reductions use them.
 */
import { type DType, DTypeError } from "../../storage/dtype.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { conjugate } from "../conjugate.ts";
import { div } from "../elementwise/arithmetic.ts";
import { map } from "../elementwise/map.ts";
import { expand, permute, reshape, to } from "../views.ts";
import { shift } from "./recurrence.ts";
import type { Reduce, ReduceOptions, ReduceSum } from "./reduce-types.ts";
import { type GradientFormula, type ReducedCall, reducedCall } from "./reduced-call.ts";
import { isFloating, plain, reduction } from "./reduction.ts";
import { cumprod } from "./scan.ts";

/** The gradient of a result, repeated for all elements that were reduced to it. */
function repeated(g: Tensor, { shape, dtype, withReducedAxes }: ReducedCall): Tensor {
  const whole = expand(g.rank === 0 ? g : withReducedAxes(g), shape);
  return whole.type === dtype ? whole : to(whole, dtype);
}

const sumGradient: GradientRule = (call) => {
  const reduced = reducedCall(call);
  return ([g]) => [repeated(g, reduced)];
};

const meanGradient: GradientRule = (call) => {
  const reduced = reducedCall(call);
  return ([g]) => [repeated(div(g, reduced.count), reduced)];
};

const product: GradientFormula = /* @__PURE__ */ map("productOfOthers(g, before, after)", "g * before * after");

/** Each element gets the product of all others: of those before it and those after it, so nothing is divided. */
const prodGradient: GradientRule = (call) => {
  const { shape, dtype, reduced, count, elements } = reducedCall(call);
  const keptAxes = [...shape.keys()].filter((axis) => !reduced.includes(axis));
  const order = [...keptAxes, ...reduced];
  const sizes = order.map((axis) => shape[axis]);
  const rows = [...sizes.slice(0, keptAxes.length), count];
  const last = keptAxes.length;
  const x = call.save(call.args[0] as Tensor);
  return ([g]) => {
    const row = conjugate(reshape(permute(elements(x()), order), rows));
    const products = (isBackwards: boolean): Tensor => cumprod.operator.call([row, last, { isBackwards }]) as Tensor;
    const all = product(
      reshape(g, rows.with(-1, 1)),
      shift(products(false), last, 1, 1),
      shift(products(true), last, -1, 1),
    );
    const back = order.map((_, axis) => order.indexOf(axis));
    return [to(permute(reshape(all, sizes), back), dtype)];
  };
};

/** Returns the sum of all elements, or over the given axes; integers are summed as int64. */
export const sum: ReduceSum = /* @__PURE__ */ reduction(
  "sum",
  /* @__PURE__ */ plain("sum", { results: sumDType, linear: "0", gradient: sumGradient }),
);
/** Returns the product of all elements, or over the given axes; integers are multiplied as int64. */
export const prod: ReduceSum = /* @__PURE__ */ reduction(
  "prod",
  /* @__PURE__ */ plain("prod", { results: sumDType, gradient: prodGradient }),
);

function sumDType(dtype: DType, options: ReduceOptions): readonly DType[] {
  return [isFloating(dtype) || dtype === "uint64" ? dtype : (options.dtype ?? "int64")];
}

/** Returns the mean of all elements, or over the given axes, of a floating-point or complex tensor. */
export const mean: Reduce = /* @__PURE__ */ reduction(
  "mean",
  /* @__PURE__ */ plain("mean", {
    from: (dtype, options) => {
      const common = options.dtype ?? dtype;
      if (isFloating(common)) return common;
      throw new DTypeError(
        `mean: expected a floating point or complex tensor, got ${common}. Pass { dtype: "float32" }`,
      );
    },
    results: (dtype) => [dtype],
    scalars: (count) => [count],
    linear: "0",
    gradient: meanGradient,
  }),
);
