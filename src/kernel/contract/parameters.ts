/**
 * The common parts of the kernels of products: parameters, launches and tables.
 * The buffers are out, a and b, and the mode list is the batch. Each kernel has its own sizes.
 */
import { getOrCompute } from "../../base/lazy.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import { type DType, dtypes, isComplexDType } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { call, cast, loadScalar, type Scalar } from "../ir/scalar.ts";
import { loop } from "../ir/statements.ts";
import { loopSymbol, sizeSymbol } from "../ir/symbols.ts";
import { shortName } from "../map/short-name.ts";
import type { Buffer, LaunchRequest } from "../program/builder.ts";
import { KernelTable } from "../program/kernels.ts";
import type { Product, StridedMatrix } from "./product.ts";

/** Returns the symbols of a kernel by name: those of its sizes, and of its loops and indices. */
export function symbolsOf(sizes: readonly SizeParameter[]): (name: string) => Expr {
  const symbols = new Map(sizes.map((size) => [size.name, sizeSymbol(size)]));
  return (name) => getOrCompute(symbols, name, loopSymbol);
}

/** The names of the offsets of out, a and b in the batch. */
export const offsets = ["out_at", "a_at", "b_at"];

/** Products of complex numbers are not fused: x * conj(x) has an imaginary part of exactly 0. */
export const fusingOf = (dtype: DType): Pick<Kernel, "mayFuseProducts"> =>
  isComplexDType(dtype) ? {} : { mayFuseProducts: true };

/** The parameters of a kernel that reads and writes out, a and b in place. */
export function parametersOf(
  dtype: DType,
  accumulates: boolean,
  sizes: readonly SizeParameter[],
  [a, b]: readonly [a: DType, b: DType] = [dtype, dtype],
): Pick<Kernel, "mayFuseProducts" | "buffers" | "scalars" | "sizes" | "modes"> {
  return {
    ...fusingOf(dtype),
    buffers: [
      { name: "out", dtype, access: accumulates ? "readwrite" : "write" },
      { name: "a", dtype: a, access: "read" },
      { name: "b", dtype: b, access: "read" },
    ],
    scalars: [],
    sizes,
    modes: [{ name: "batch", buffers: ["out", "a", "b"] }],
  };
}

/** A loop over the blocks of k, each from `low` to `high`. */
export function overBlocks(k: Expr, span: Expr, body: (low: Expr, high: Expr) => Statement[]): Statement {
  const low = loopSymbol("block_k").mul(span);
  return loop("serial", "block_k", constant(0), k.ceilDiv(span), body(low, k.min(low.add(span))));
}

/** The value stored at an index of out: the sum, or with `accumulates` the sum plus the previous value. */
export function storedSum(dtype: DType, accumulates: boolean, index: Expr, sum: Scalar): Scalar {
  return cast(dtype, accumulates ? call("add", cast(sum.dtype, loadScalar(dtype, "out", index)), sum) : sum);
}

/** The buffer that starts at the first element of a matrix. */
export const bufferOf = ({ storage, start }: StridedMatrix, dtype: DType): Buffer => ({
  storage,
  start,
  itemsize: dtypes[dtype].itemsize,
});

/** The dtypes of the factors of a product. */
export const factorTypesOf = ({ dtype, factors }: Product): readonly [a: DType, b: DType] => factors ?? [dtype, dtype];

/** The name of a kernel, which has the dtypes of factors that are converted to that of the sums. */
export function kernelName(
  dtype: DType,
  kind: string,
  count: number,
  factors: readonly [a: DType, b: DType],
  isLong: boolean,
): string {
  const others = factors.every((each) => each === dtype) ? [] : factors.map(shortName);
  return [shortName(dtype), "matmul", kind, count, ...others, ...(isLong ? ["long"] : [])].join("_");
}

/** The common arguments of the launches of a product: the three matrices as buffers, and the batch as mode list. */
export function overMatrices(product: Product): Pick<LaunchRequest, "buffers" | "modes"> {
  const { dtype, out, a, b, batch } = product;
  const [aType, bType] = factorTypesOf(product);
  return { buffers: [bufferOf(out, dtype), bufferOf(a, aType), bufferOf(b, bType)], modes: [batch] };
}

/** The kernels of one algorithm for products, by dtype, or by the dtypes of the output and of the factors. */
export type Tables = Map<string, KernelTable>;

/** The kernels for one dtype, or for several ones. */
export const tableOf = (tables: Tables, dtype: string): KernelTable =>
  getOrCompute(tables, dtype, () => new KernelTable());
