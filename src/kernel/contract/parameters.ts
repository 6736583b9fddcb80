/**
 * What the kernels of products have in common: their parameters, how these are set in a call, and where their programs are kept.
 * The buffers are out, a and b; the mode list is the batch; sizes are each kernel's own.
 */
import { remember } from "../../base/remember.ts";
import { constant, type Expr } from "../../expr/expr.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import type { Memory } from "../../storage/memory.ts";
import type { KernelCall } from "../backend.ts";
import type { Kernel, SizeParameter, Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { call, cast, loadScalar, type Scalar } from "../ir/scalar.ts";
import { loopSymbol, sizeSymbol } from "../ir/symbols.ts";
import { presentCall } from "../launch/call.ts";
import { ProgramTable } from "../launch/programs.ts";
import type { Product } from "./product.ts";

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

/** The present call over buffers that begin at a byte of a memory, with these sizes in the order in which the kernel lists them. */
export function callOver(
  buffers: readonly (readonly [memory: Memory, address: number])[],
  sizes: readonly number[],
): KernelCall {
  const call = presentCall();
  buffers.forEach(([memory, address], k) => {
    call.memories[k] = memory;
    call.addresses[k] = address;
  });
  for (let at = 0; at < sizes.length; at++) call.sizes[at] = sizes[at] as number;
  return call;
}

/** The present call with the three matrices as its buffers, the batch as its mode list, and these sizes. */
export function placeCall({ dtype, out, a, b, batch }: Product, sizes: readonly number[]): KernelCall {
  const { itemsize } = dtypes[dtype];
  const call = callOver(
    [out, a, b].map(({ memory, start }) => [memory, start * itemsize]),
    sizes,
  );
  call.modes[0] = batch as number[];
  return call;
}

/** The programs of one way to compute products, by dtype. */
export type Tables = Map<DType, ProgramTable>;

/** The programs for one dtype. */
export const tableOf = (tables: Tables, dtype: DType): ProgramTable =>
  remember(tables, dtype, () => new ProgramTable());
