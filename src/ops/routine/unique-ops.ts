/**
 * The distinct elements of a tensor, or its distinct slices along an axis: all of them in ascending order, or one of each run of equal
 * neighbors; and set operations on the elements of two tensors. The shape of a result depends on the elements.
 */
import { IndexError, ShapeError } from "../../base/errors.ts";
import { item } from "../../tensor/access/access.ts";
import { elementsWhere } from "../../tensor/access/true-elements.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { contiguous, to } from "../../tensor/clone.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { fillUnchecked } from "../../tensor/in-place.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { movedim } from "../../tensor/views/views-axes.ts";
import { eq, isnan, ne } from "../elementwise/comparison.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { freeing } from "../freeing.ts";
import type { IndexDType } from "../indices.ts";
import { cat } from "../movement/join.ts";
import { maskedSelect } from "../movement/masked-select.ts";
import { fresh } from "../op.ts";
import type { Promote } from "../op-types.ts";
import { sum } from "../reduce/reduce.ts";
import { narrow, reshape } from "../views.ts";
import { checkReal, denseOf, elementsIn, indexTensor } from "./dense-elements.ts";
import { isLongRow, sortedIndices, sortedValues } from "./long-sort.ts";
import { routineOfValues } from "./routine-op.ts";
import { isin } from "./search-ops.ts";
import { uniqueRows } from "./unique.ts";
import { bitsOf, takeRows } from "./values.ts";

/** The options of unique. */
export interface UniqueOptions {
  /** Returns the index in the output of each element, too. */
  readonly returnInverse?: boolean | undefined;
  /** Returns the number of occurrences of each, too. */
  readonly returnCounts?: boolean | undefined;
  /** Compares slices along this axis instead of elements. */
  readonly axis?: Axis | undefined;
  /** Sorts the output, which is always the case here. */
  readonly sorted?: boolean | undefined;
}

/** The distinct elements, with the other requested results. */
export type UniqueParts<X extends Tensor, O> = {
  readonly output: Tensor<Shape, X["dtype"]>;
} & (O extends { readonly returnInverse: true } ? { readonly inverseIndices: Tensor<Shape, IndexDType> } : object) &
  (O extends { readonly returnCounts: true } ? { readonly counts: Tensor<Shape, "int64"> } : object);
type Distinct<X extends Tensor, O> = O extends { readonly returnInverse: true } | { readonly returnCounts: true }
  ? UniqueParts<X, O>
  : Tensor<Shape, X["dtype"]>;
/** The type of unique. */
export interface Unique extends OpFunction {
  <X extends Tensor, const O extends UniqueOptions = object>(x: X, options?: O): Distinct<X, O>;
  readonly method: <X extends Tensor, const O extends UniqueOptions = object>(this: X, options?: O) => Distinct<X, O>;
}
interface UniqueArguments {
  readonly x: Tensor;
  readonly returnInverse: boolean;
  readonly returnCounts: boolean;
  readonly axis: Axis | null;
}

function rowAxis(who: string, x: Tensor, axis: Axis): number {
  if (x.rank === 0) throw new IndexError(`${who}: x has no axis ${axis}; its shape is []`);
  const at = axisOf(who, x, axis);
  if (sizesOf(x).some((size, d) => size === 0 && d !== at))
    throw new ShapeError(`${who}: only the given axis may have size 0, got shape ${showShape(x)}`);
  return at;
}

/** Returns the first row of each group, as a tensor with the rows along its first axis. */
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

const temporary = "a copy for the length of one call";

/** Returns the distinct elements of a long dense tensor in ascending order: those that differ from the one before them. */
function distinctElements(who: string, dense: Tensor): Tensor {
  const count = dense.size;
  const sorted = sortedValues(reshape(dense, [count]), count, who);
  const isFirst = fresh("bool", [count]);
  fillUnchecked(narrow(isFirst, 0, 0, 1), true, who);
  const part = (t: Tensor, start: number): Tensor => narrow(t, 0, start, count - 1);
  ne(part(sorted, 1), part(sorted, 0), { out: part(isFirst, 1) });
  const result = elementsWhere(sorted, isFirst, who);
  for (const t of [sorted, isFirst]) t.endWith(temporary);
  return result;
}

function distinct(
  who: string,
  isConsecutive: boolean,
  { x, returnInverse, returnCounts, axis }: UniqueArguments,
): unknown {
  checkReal(who, x);
  const at = axis === null ? null : rowAxis(who, x, axis);
  const dense = at === null ? denseOf(x) : contiguous(denseOf(movedim(x, at, 0)));
  const [rows, ...rest] = at === null ? [x.size] : (sizesOf(dense) as [number, ...number[]]);
  const n = rest.reduce((size, next) => size * next, 1);
  const isLong = at === null && !isConsecutive && isLongRow(rows);
  if (isLong && !returnInverse && !returnCounts) return to(distinctElements(who, dense), x.dtype);
  const order = isLong ? sortedIndices(reshape(dense, [rows]), rows, who) : null;
  const sorted = order === null ? null : (elementsIn(order, who).slice() as Int32Array);
  order?.endWith(temporary);
  const { first, inverse, counts } = uniqueRows(elementsIn(dense, who), rows, n, isConsecutive, sorted);
  const values = to(pickRows(who, dense, first, n, [first.length, ...rest]), x.dtype);
  const output = at === null ? values : movedim(values, 0, at);
  if (!returnInverse && !returnCounts) return output;
  return {
    output,
    ...(returnInverse && { inverseIndices: indexTensor(inverse, at === null ? sizesOf(x) : [rows]) }),
    ...(returnCounts && { counts: indexTensor(counts, [counts.length], "int64") }),
  };
}

/** Returns the distinct elements, or the distinct slices along an axis, in ascending order. With returnInverse or returnCounts, returns { output, inverseIndices, counts }. */
export const unique: Unique = /* @__PURE__ */ routineOfValues(
  "unique(x; sorted = true, returnInverse = false, returnCounts = false, axis = null)",
  (args: UniqueArguments) => distinct("unique", false, args),
);
/** Removes consecutive duplicates: keeps the first of each run of equal elements, or of equal slices along an axis. With returnInverse or returnCounts, returns { output, inverseIndices, counts }. */
export const uniqueConsecutive: Unique = /* @__PURE__ */ routineOfValues(
  "uniqueConsecutive(x; returnInverse = false, returnCounts = false, axis = null)",
  (args: UniqueArguments) => distinct("uniqueConsecutive", true, args),
);

/** The type of set operations in the common dtype. */
export interface SetOfBoth extends OpFunction {
  <A extends Tensor, B extends Tensor>(x: A, other: B): Tensor<[number], Promote<A["dtype"], B["dtype"]>>;
}
/** The type of setdiff1d. */
export interface SetOfFirst extends OpFunction {
  <A extends Tensor>(x: A, other: Tensor): Tensor<[number], A["dtype"]>;
}
interface SetArguments {
  readonly x: Tensor;
  readonly other: Tensor;
}

const flat = (t: Tensor): Tensor => reshape(t, [t.size]);

/** Returns the distinct elements in ascending order, with at most one NaN, at the end. */
function distinctOnce(x: Tensor): Tensor {
  const elements = unique(x);
  return narrow(elements, 0, 0, elements.size - Math.max(Number(item(sum(isnan(elements)))) - 1, 0));
}

/** Returns the elements that `count` of the two sets have. */
function inExactly(count: 1 | 2, { x, other }: SetArguments): Tensor {
  const { output, counts } = unique(cat([distinctOnce(x), distinctOnce(other)]), { returnCounts: true });
  return maskedSelect(output, eq(counts, count));
}

function setOp<F extends OpFunction>(name: string, compute: (args: SetArguments) => Tensor): F {
  const checked = (args: SetArguments): Tensor => {
    checkTensor(name, args.x);
    checkTensor(name, args.other);
    return compute(args);
  };
  return routineOfValues(`${name}(x, other)`, freeing(checked) as typeof checked);
}

/** Returns the distinct elements of both tensors in ascending order. */
export const union1d: SetOfBoth = /* @__PURE__ */ setOp("union1d", ({ x, other }) =>
  distinctOnce(cat([flat(x), flat(other)])),
);
/** Returns the distinct elements that are in both tensors, in ascending order. */
export const intersect1d: SetOfBoth = /* @__PURE__ */ setOp("intersect1d", (args) => inExactly(2, args));
/** Returns the distinct elements that are in exactly one of the tensors, in ascending order. */
export const setxor1d: SetOfBoth = /* @__PURE__ */ setOp("setxor1d", (args) => inExactly(1, args));
/** Returns the distinct elements of x that are not in other, in ascending order. */
export const setdiff1d: SetOfFirst = /* @__PURE__ */ setOp("setdiff1d", ({ x, other }) => {
  const elements = distinctOnce(x);
  return maskedSelect(elements, isin(elements, other, { invert: true }));
});
