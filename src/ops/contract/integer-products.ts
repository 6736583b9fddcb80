/** Matrix products and convolutions of narrow integers with sums in int32, by instructions that multiply and add pairs of them. */
import { type DType, DTypeError } from "../../storage/dtype.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import { lowerForward, resultOf } from "./convolution.ts";
import { lowerProduct, productOf } from "./product.ts";
import type { Windows } from "./windows.ts";

/** The dtypes whose elements are signed integers of 16 bits. */
const narrow: readonly DType[] = ["int8", "uint8", "int16"];

/** Throws unless both tensors have narrow integers. */
function checkNarrow(who: string, ...tensors: readonly Tensor[]): void {
  for (const { dtype } of tensors)
    if (!narrow.includes(dtype))
      throw new DTypeError(`${who}: expected int8, uint8 or int16, got ${dtype}. Convert both tensors to int32.`);
}

type Factors = [a: Tensor, b: Tensor];
interface IntegerMatmul extends OpFunction {
  (...args: Factors): Tensor;
}

/**
 * The matrix product over the last two axes in int32, modulo 2^32: that of the operands converted to int32. Their dtypes may differ.
 * Internal: quantized operators are composed of it.
 */
export const integerMatmul: IntegerMatmul = /* @__PURE__ */ structuredOp<IntegerMatmul, Factors>(
  "integerMatmul(x: Tensor, other: Tensor)",
  "contract",
  {
    linear: "0|1",
    batch: "matmul",
    infer(a, b) {
      checkNarrow("integerMatmul", a, b);
      return productOf("integerMatmul", "int32", a, b);
    },
    lower: (builder, results, a, b) => lowerProduct(builder, results, a, b, "int32"),
  },
);

type Forward = [x: Tensor, weight: Tensor, windows: Windows, groups: number];
interface IntegerConvolution extends OpFunction {
  (...args: Forward): Tensor;
}

/** A convolution of a batch in int32, modulo 2^32: that of the operands converted to int32. Their dtypes may differ. Internal, as above. */
export const integerConvolution: IntegerConvolution = /* @__PURE__ */ structuredOp<IntegerConvolution, Forward>(
  "integerConvolution(x: Tensor, weight: Tensor, ...)",
  "contract",
  {
    linear: "0|1",
    batch: "convolution",
    infer(x, weight, windows, groups) {
      checkNarrow("integerConvolution", x, weight);
      return resultOf("int32", x, weight, windows, groups);
    },
    lower: lowerForward,
  },
);
