/** Reductions. Axes are an attribute in old versions and an input in new ones; results have the type of the input. */
import * as sw from "../../index.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { type Call, isIntegerType } from "../call.ts";
import type { OperatorTable } from "../operator.ts";

/** A reduction as three steps: of each element, over axes, and of each result. */
interface Reduction {
  readonly before?: (x: sw.Tensor) => sw.Tensor;
  readonly over: (x: sw.Tensor, axes: readonly number[], keepdims: boolean) => sw.Tensor;
  readonly after?: (x: sw.Tensor) => sw.Tensor;
  /** True if integers are computed in float64 and truncated. */
  readonly isFloat?: boolean;
}

function reduction({ before, over, after, isFloat = false }: Reduction, inputSince = 18) {
  return (call: Call): sw.Tensor => {
    const input = call.tensor(0);
    const x = isFloat && isIntegerType(input.dtype) ? input.to("float64") : input;
    const listed = call.version >= inputSince ? call.optionalNumbers(1) : call.ints("axes", null);
    const isEmpty = (listed ?? []).length === 0;
    const prepared = before === undefined ? x : before(x);
    const keepdims = call.int("keepdims", 1) !== 0;
    const isKept = isEmpty && call.int("noop_with_empty_axes", 0) !== 0;
    const axes = (isEmpty ? x.shape.map((_, axis) => axis) : (listed as number[])).map((axis) =>
      call.axis(axis, x.ndim),
    );
    const reduced = isKept || axes.length === 0 ? prepared : over(prepared, axes, keepdims);
    return (after === undefined ? reduced : after(reduced)).to(input.dtype);
  };
}

const sum: Reduction["over"] = (x, axes, keepdims) => sw.sum(x, axes, { keepdims, dtype: x.dtype as DType });

/** The largest or smallest elements. The result over no elements is the neutral element: an infinity, or the end of a range. */
const extreme =
  (isMax: boolean): Reduction["over"] =>
  (x, axes, keepdims) => {
    if (!axes.some((axis) => x.shape[axis] === 0)) return (isMax ? sw.amax : sw.amin)(x, axes, { keepdims });
    const shape = x.shape.flatMap((size, axis) => (axes.includes(axis) ? (keepdims ? [1] : []) : [size]));
    return sw.full(shape, endOf(x.dtype as DType, isMax), { dtype: x.dtype as DType });
  };

/** The smallest value of a dtype, or the largest. */
function endOf(dtype: DType, isSmallest: boolean): number | bigint | boolean {
  if (dtype === "bool") return !isSmallest;
  if (dtypes[dtype].category !== "integer") return isSmallest ? -Infinity : Infinity;
  const bits = BigInt(dtypes[dtype].itemsize * 8);
  const isSigned = dtype.startsWith("int");
  if (isSmallest) return isSigned ? -(1n << (bits - 1n)) : 0n;
  return (1n << (isSigned ? bits - 1n : bits)) - 1n;
}

const square = (x: sw.Tensor): sw.Tensor => sw.mul(x, x);

export const reduceOperators: OperatorTable = {
  ReduceSum: reduction({ over: sum }, 13),
  ReduceMean: reduction({ over: (x, axes, keepdims) => sw.mean(x, axes, { keepdims }), isFloat: true }),
  ReduceMax: reduction({ over: extreme(true) }),
  ReduceMin: reduction({ over: extreme(false) }),
  ReduceProd: reduction({ over: (x, axes, keepdims) => sw.prod(x, axes, { keepdims, dtype: x.dtype as DType }) }),
  ReduceL1: reduction({ before: (x) => sw.abs(x), over: sum }),
  ReduceL2: reduction({ before: square, over: sum, after: (x) => sw.sqrt(x), isFloat: true }),
  ReduceLogSum: reduction({ over: sum, after: (x) => sw.log(x), isFloat: true }),
  ReduceLogSumExp: reduction({ over: (x, axes, keepdims) => sw.logsumexp(x, axes, { keepdims }), isFloat: true }),
  ReduceSumSquare: reduction({ before: square, over: sum }),
};
