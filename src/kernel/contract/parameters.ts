/**
 * What the kernels of products have in common: their parameters, what their launches share, and where they are kept.
 * The buffers are out, a and b; the mode list is the batch; sizes are each kernel's own.
 */
import { remember } from "../../base/remember.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { call, cast, loadScalar, type Scalar } from "../ir/scalar.ts";
import { loopSymbol, sizeSymbol } from "../ir/symbols.ts";
import type { Buffer, LaunchRequest } from "../program/builder.ts";
import { KernelTable } from "../program/kernels.ts";
import type { Matrix, Product } from "./product.ts";

const largest = 2 ** 31 - 1;

/** A size parameter that is at least `min`. */
export const sizeFrom = (name: string, min: number): SizeParameter => ({ name, min, max: largest });

/** A stride parameter. */
export const anyStride = (name: string): SizeParameter => ({ name, min: -largest - 1, max: largest });

/** The symbols of a kernel by name: of its sizes, and of its loops and indices. */
export function symbolsOf(sizes: readonly SizeParameter[]): (name: string) => Expr {
  const symbols = new Map(sizes.map((size) => [size.name, sizeSymbol(size)]));
  return (name) => remember(symbols, name, loopSymbol);
}

/** The parameters of a kernel over out, a and b where they lie. */
export function parametersOf(
  dtype: DType,
  accumulates: boolean,
  sizes: readonly SizeParameter[],
): Pick<Kernel, "buffers" | "scalars" | "sizes" | "modes"> {
  return {
    buffers: [
      { name: "out", dtype, access: accumulates ? "readwrite" : "write" },
      { name: "a", dtype, access: "read" },
      { name: "b", dtype, access: "read" },
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

/** What is stored at an index of out for a sum: it, or it and what is there. */
export function storedSum(dtype: DType, accumulates: boolean, index: Expr, sum: Scalar): Scalar {
  return cast(dtype, accumulates ? call("add", cast(sum.dtype, loadScalar(dtype, "out", index)), sum) : sum);
}

/** The buffer that starts with a matrix. */
export const bufferOf = ({ storage, start }: Matrix, dtype: DType): Buffer => ({
  storage,
  start,
  itemsize: dtypes[dtype].itemsize,
});

/** What the launches of a product have in common: the three matrices as buffers, and the batch as mode list. */
export const overMatrices = ({ dtype, out, a, b, batch }: Product): Pick<LaunchRequest, "buffers" | "modes"> => ({
  buffers: [out, a, b].map((matrix) => bufferOf(matrix, dtype)),
  modes: [batch],
});

/** The kernels of one way to compute products, by dtype. */
export type Tables = Map<DType, KernelTable>;

/** The kernels for one dtype. */
export const tableOf = (tables: Tables, dtype: DType): KernelTable => remember(tables, dtype, () => new KernelTable());
