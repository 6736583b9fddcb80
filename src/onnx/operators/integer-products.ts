/** Products and convolutions of int8 and uint8 tensors with zero points, summed in int32. */
import * as sw from "../../index.ts";
import { integerConvolution as convolutionOf, integerMatmul } from "../../ops/contract/integer-products.ts";
import type { Call } from "../call.ts";
import { convolve, kernelOf } from "./convolution.ts";
import { slidingWindows } from "./sliding-windows.ts";

/** Returns (a - zeroA) @ (b - zeroB) in int32. A vector of zero points has one for each row of a, or for each column of b. */
export function integerProduct(
  a: sw.Tensor,
  b: sw.Tensor,
  zeroA: sw.Tensor | null,
  zeroB: sw.Tensor | null,
): sw.Tensor {
  const byRow = zeroA !== null && zeroA.rank === 1 && a.rank > 1 ? zeroA.unsqueeze(-1) : zeroA;
  // Floats of 8 bits are held in float32.
  if (a.dtype === "float32") return sw.matmul(minus(a, byRow, "float32"), minus(b, zeroB, "float32"));
  const left = byRow === null ? a : minus(a, byRow, "int16");
  const product = integerMatmul(left, b);
  if (zeroB === null) return product;
  // The weights are not changed: sum of a (b - zero) = sum of a b - zero * sum of a.
  const sums = sw.sum(left, -1, { keepdim: b.rank > 1, dtype: "int32" });
  return sw.sub(product, sw.mul(sums, zeroB.to("int32")));
}

/** Returns the convolution of x - zeroX with w - zeroW in int32. Padding stands for the zero point. */
export function integerConvolution(
  call: Call,
  x: sw.Tensor,
  w: sw.Tensor,
  zeroX: sw.Tensor | null,
  zeroW: sw.Tensor | null,
): sw.Tensor {
  const byChannel =
    zeroW !== null && zeroW.size > 1
      ? zeroW.reshape([zeroW.size, ...new Array<number>(w.rank - 1).fill(1)])
      : (zeroW?.reshape([]) ?? null);
  const scalar = zeroX?.reshape([]) ?? null;
  // Depthwise convolutions have a separate kernel, which has no variant for pairs of integers.
  if (w.shape[1] === 1) return convolve(call, minus(x, scalar, "int32"), minus(w, byChannel, "int32"));
  const groups = call.int("group", 1);
  const left = scalar === null ? x : minus(x, scalar, "int16");
  const right = byChannel === null ? w : minus(w, byChannel, "int16");
  const windows = slidingWindows(call, x.shape.slice(2), kernelOf(call, x, w, groups, true));
  return convolutionOf(left, right, windows, groups);
}

/** x - zero in a dtype that has all differences. */
const minus = (x: sw.Tensor, zero: sw.Tensor | null, dtype: "int16" | "int32" | "float32"): sw.Tensor =>
  zero === null ? x.to(dtype) : sw.sub(x.to(dtype), zero.to(dtype));
