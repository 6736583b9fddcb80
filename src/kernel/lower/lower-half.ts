/**
 * Replaces float16 and bfloat16: their buffers and values become uint16 bits, and casts from and to them bit arithmetic (`half-bits.ts`). A
 * scalar parameter becomes a float32, which is rounded in the kernel. Runs after `lowerComplex`.
 *
 * Postconditions: the result has no half dtype, and stores the same values (a NaN that is only moved may have other bits).
 */
import { isHalf } from "../../storage/dtype.ts";
import { writer } from "../element.ts";
import type { Kernel, Statement } from "../ir/kernel.ts";
import { bitcast, cast, constantScalar, indexScalar, parameterScalar, type Scalar } from "../ir/scalar.ts";
import { decode, encode } from "./half-bits.ts";
import { rewriteKernel } from "./rewrite.ts";

/** Returns the kernel without float16 and bfloat16. */
export function lowerHalf(kernel: Kernel): Kernel {
  const bufferOf = <T extends { readonly dtype: Scalar["dtype"] }>(buffer: T): T =>
    isHalf(buffer.dtype) ? { ...buffer, dtype: "uint16" } : buffer;
  const lowered = rewriteKernel(kernel, {
    scalar: lowerScalar,
    statement: (statement: Statement) => (statement.kind === "allocate" ? [bufferOf(statement)] : undefined),
  });
  const isTouched = [...kernel.buffers, ...kernel.scalars].some(({ dtype }) => isHalf(dtype));
  if (!isTouched) return lowered;
  return {
    ...lowered,
    buffers: kernel.buffers.map(bufferOf),
    scalars: kernel.scalars.map((scalar) => (isHalf(scalar.dtype) ? { ...scalar, dtype: "float32" } : scalar)),
  };
}

function lowerScalar(node: Scalar, original: Scalar): Scalar | undefined {
  const { dtype } = node;
  if (node.kind === "cast") {
    const from = (original as typeof node).of.dtype;
    if (node.how === "bits")
      return isHalf(dtype) ? bitcast("uint16", node.of) : isHalf(from) ? bitcast(dtype, node.of) : undefined;
    const value = isHalf(from) ? decode(from, node.of) : node.of;
    if (isHalf(dtype)) return encode(dtype, value);
    return isHalf(from) ? cast(dtype, value) : undefined;
  }
  if (!isHalf(dtype)) return undefined;
  switch (node.kind) {
    case "constant": {
      const bits = new Uint16Array(1);
      writer(dtype)(bits, 0, node.value);
      return constantScalar("uint16", bits[0]);
    }
    case "parameter":
      return encode(dtype, parameterScalar("float32", node.name));
    case "index":
      return encode(dtype, indexScalar("float64", node.value));
    case "load":
    case "named":
    case "call":
      return { ...node, dtype: "uint16" };
    default:
      return node satisfies never;
  }
}
