/** Products and convolutions of int8 and uint8 tensors with zero points, summed in int32. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import { convolve } from "./convolution.ts";

/** Returns (a - zeroA) @ (b - zeroB) in int32. A vector of zero points has one for each row of a, or for each column of b. */
export function integerProduct(
  a: sw.Tensor,
  b: sw.Tensor,
  zeroA: sw.Tensor | null,
  zeroB: sw.Tensor | null,
): sw.Tensor {
  const byRow = zeroA !== null && zeroA.rank === 1 && a.rank > 1 ? zeroA.unsqueeze(-1) : zeroA;
  return sw.matmul(differences(a, byRow), differences(b, zeroB));
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
  return convolve(call, differences(x, zeroX?.reshape([]) ?? null), differences(w, byChannel));
}

/** x - zero, in float32 for floats of 8 bits and else in int32. */
function differences(x: sw.Tensor, zero: sw.Tensor | null): sw.Tensor {
  const dtype = x.dtype === "float32" ? "float32" : "int32";
  return zero === null ? x.to(dtype) : sw.sub(x.to(dtype), zero.to(dtype));
}
