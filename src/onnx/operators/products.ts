/** Products of matrices, sums of products by indices, and determinants. */
import * as sw from "../../index.ts";
import { type Call, isIntegerType } from "../call.ts";
import type { OperatorTable } from "../operator.ts";

/** Returns alpha * A * B + beta * C, where A and B may be transposed, and C is broadcast. */
function gemm(call: Call): sw.Tensor {
  const matrix = (k: number, name: string): sw.Tensor => {
    const t = call.tensor(k);
    if (t.ndim !== 2) throw call.error(`input ${k} must have 2 axes, got [${t.shape}]`);
    return call.int(name, 0) === 0 ? t : t.permute([1, 0]);
  };
  const product = sw.matmul(matrix(0, "transA"), matrix(1, "transB"));
  const scaled = times(product, call.float("alpha", 1));
  const c = call.optionalTensor(2);
  const beta = call.float("beta", 1);
  return c === null || beta === 0 ? scaled : sw.add(scaled, times(c, beta));
}

/** Integers times a fraction are computed in float64 and truncated. */
function times(x: sw.Tensor, factor: number): sw.Tensor {
  if (factor === 1) return x;
  return isIntegerType(x.dtype) && !Number.isInteger(factor)
    ? sw.mul(x.to("float64"), factor).to(x.dtype)
    : sw.mul(x, factor);
}

export const products: OperatorTable = {
  MatMul: (call) => sw.matmul(call.tensor(0), call.tensor(1)),
  Gemm: gemm,
  Einsum: (call) => sw.einsum(call.string("equation").replaceAll(/\s/g, ""), call.tensors()),
  Det(call) {
    const x = call.tensor(0);
    const isHalf = x.dtype === "float16" || x.dtype === "bfloat16";
    return sw.linalg.det(isHalf ? x.to("float32") : x).to(x.dtype);
  },
};
