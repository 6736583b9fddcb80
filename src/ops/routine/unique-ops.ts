/**
 * The distinct elements of a tensor, or its distinct parts along an axis: all of them in ascending order, or each run of equal neighbours.
 * The shape of the result depends on the elements.
 */
import { IndexError, ShapeError } from "../../base/errors.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { contiguous, to } from "../../tensor/clone.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { movedim } from "../../tensor/views/views-axes.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { fresh } from "../op.ts";
import type { PositionDType } from "../positions.ts";
import { checkReal, denseOf, elementsIn, positionsTensor } from "./dense-elements.ts";
import { routineOfValues } from "./routine-op.ts";
import { uniqueRows } from "./unique.ts";
import { bitsOf, takeRows } from "./values.ts";

/** What is asked for. */
export interface UniqueOptions {
  /** Says where each element went. */
  readonly returnInverse?: boolean | undefined;
  /** Says how often each occurs. */
  readonly returnCounts?: boolean | undefined;
  /** Compares the parts along this axis, not elements. */
  readonly axis?: Axis | undefined;
  /** In ascending order; here the elements always are. */
  readonly sorted?: boolean | undefined;
}

/** What was distinct, with what was asked for. */
export type UniqueParts<X extends Tensor, O> = {
  readonly output: Tensor<Shape, X["dtype"], "none">;
} & (O extends { readonly returnInverse: true }
  ? { readonly inverseIndices: Tensor<Shape, PositionDType, "none"> }
  : object) &
  (O extends { readonly returnCounts: true } ? { readonly counts: Tensor<Shape, "int64", "none"> } : object);
type Distinct<X extends Tensor, O> = O extends { readonly returnInverse: true } | { readonly returnCounts: true }
  ? UniqueParts<X, O>
  : Tensor<Shape, X["dtype"], "none">;
/** The type of unique. */
export interface Unique extends OpFunction {
  <X extends Tensor, const O extends UniqueOptions = object>(x: X, options?: O): Distinct<X, O>;
  readonly method: <X extends Tensor, const O extends UniqueOptions = object>(this: X, options?: O) => Distinct<X, O>;
}
interface Given {
  readonly x: Tensor;
  readonly returnInverse: boolean;
  readonly returnCounts: boolean;
  readonly axis: Axis | null;
}

function rowAxis(who: string, x: Tensor, axis: Axis): number {
  if (x.rank === 0) throw new IndexError(`${who}: the tensor has no axis ${axis}, it has none`);
  const at = axisOf(who, x, axis);
  if (sizesOf(x).some((size, d) => size === 0 && d !== at))
    throw new ShapeError(`${who}: axes of size 0 are possible only at axis, the shape is ${showShape(x)}`);
  return at;
}

/** The first row of each group, as a tensor with the rows along its first axis. */
function pickRows(who: string, dense: Tensor, first: Int32Array, n: number, shape: readonly number[]): Tensor {
  const result = fresh(dense.dtype, shape);
  const values = elementsIn(dense, who);
  const out = elementsIn(result, who, true);
  if (n === 1) takeRows(values, 1, values.length, first, first.length, out);
  else {
    const [from, target] = [bitsOf(values), bitsOf(out)];
    const words = (n * from.length) / values.length;
    for (let g = 0; g < first.length; g++)
      target.set(from.subarray(first[g]! * words, (first[g]! + 1) * words) as Uint8Array, g * words);
  }
  return result;
}

function distinct(who: string, isConsecutive: boolean, { x, returnInverse, returnCounts, axis }: Given): unknown {
  checkReal(who, x);
  const at = axis === null ? null : rowAxis(who, x, axis);
  const dense = at === null ? denseOf(x) : contiguous(denseOf(movedim(x, at, 0)));
  const [rows, ...rest] = at === null ? [x.size] : (sizesOf(dense) as [number, ...number[]]);
  const n = rest.reduce((size, next) => size * next, 1);
  const { first, inverse, counts } = uniqueRows(elementsIn(dense, who), rows, n, isConsecutive);
  const found = to(pickRows(who, dense, first, n, [first.length, ...rest]), x.dtype);
  const output = at === null ? found : movedim(found, 0, at);
  if (!returnInverse && !returnCounts) return output;
  return {
    output,
    ...(returnInverse && { inverseIndices: positionsTensor(inverse, at === null ? sizesOf(x) : [rows]) }),
    ...(returnCounts && { counts: positionsTensor(counts, [counts.length], "int64") }),
  };
}

/** The distinct elements in ascending order, or parts along an axis; if asked where each went or how often each occurs, { output, inverseIndices, counts }. */
export const unique: Unique = /* @__PURE__ */ routineOfValues(
  "unique(x; sorted = true, returnInverse = false, returnCounts = false, axis = null)",
  (given: Given) => distinct("unique", false, given),
);
/** The first element of each run of equal neighbours, or part along an axis; if asked where each went or how long runs are, { output, inverseIndices, counts }. */
export const uniqueConsecutive: Unique = /* @__PURE__ */ routineOfValues(
  "uniqueConsecutive(x; returnInverse = false, returnCounts = false, axis = null)",
  (given: Given) => distinct("uniqueConsecutive", true, given),
);
