/**
 * Sums, products and means over any axes, apart from the other reductions, whose gradients are made of them.
 */
import { type DType, DTypeError } from "../../storage/dtype.ts";
import { prodGradient } from "./product-gradient.ts";
import type { Reduce, ReduceOptions, ReduceSum } from "./reduce-types.ts";
import { isFloating, plain, reduction } from "./reduction.ts";
import { meanGradient, sumGradient } from "./sum-gradient.ts";

/** The sum of the elements; integers are added up as int64. */
export const sum: ReduceSum = /* @__PURE__ */ reduction(
  "sum",
  /* @__PURE__ */ plain("sum", { results: sumDType, linear: "0", gradient: sumGradient }),
);
/** The product of the elements; integers are multiplied as int64. */
export const prod: ReduceSum = /* @__PURE__ */ reduction(
  "prod",
  /* @__PURE__ */ plain("prod", { results: sumDType, gradient: prodGradient }),
);

function sumDType(dtype: DType, options: ReduceOptions): readonly DType[] {
  return [isFloating(dtype) || dtype === "uint64" ? dtype : (options.dtype ?? "int64")];
}

/** The mean of the elements, which are floats. */
export const mean: Reduce = /* @__PURE__ */ reduction(
  "mean",
  /* @__PURE__ */ plain("mean", {
    from: (dtype, options) => {
      const wanted = options.dtype ?? dtype;
      if (isFloating(wanted)) return wanted;
      throw new DTypeError(
        `mean: expected a floating point or complex tensor, got ${wanted}. Give { dtype: "float32" }`,
      );
    },
    results: (dtype) => [dtype],
    scalars: (count) => [count],
    linear: "0",
    gradient: meanGradient,
  }),
);
