/**
 * Search: the place of values among sorted boundaries, and whether elements are among others. Functions only, no methods.
 * Operands of different dtypes are brought to their common one first.
 */
import { IndexError, ShapeError, StridewiseError } from "../../base/errors.ts";
import { computedAs, type DType, DTypeError, isFloatDType } from "../../storage/dtype.ts";
import { promoteTypes } from "../../storage/promotion.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { fillUnchecked } from "../../tensor/in-place.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { fresh, type Result } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { type PositionDType, positionDType } from "../positions.ts";
import { show } from "../shape-rules.ts";
import { checkReal, denseOf, elementsIn, writePositions, writeTo } from "./dense-elements.ts";
import { routineOp } from "./routine-op.ts";
import { isin as isAmong, searchSortedRows } from "./search-sorted.ts";
import { takeRows } from "./values.ts";

type Operand = Tensor | number;

/** Two operands as dense tensors of one dtype. */
function together(who: string, a: Operand, b: Operand): [a: Tensor, b: Tensor] {
  const inOne = (x: number, dtype: DType): Tensor => {
    const one = fresh(dtype, []);
    fillUnchecked(one, x, who);
    return one;
  };
  const dtypeOf = (x: Operand, other: Operand): DType => {
    if (x instanceof Tensor) return x.dtype;
    const met = (other as Tensor).dtype;
    if (isFloatDType(met)) return met;
    // What an integer dtype does not give back would be cut off or wrap in it.
    const isHeld = Number.isInteger(x) && Number(elementsIn(inOne(x, met), who)[0]) === x;
    return isHeld ? met : "float64";
  };
  const dtype = computedAs(promoteTypes(dtypeOf(a, b), dtypeOf(b, a)));
  const dense = (x: Operand): Tensor => (x instanceof Tensor ? denseOf(x, null, dtype) : inOne(x, dtype));
  return [dense(a), dense(b)];
}

const shapeOfOperand = (x: Operand): readonly number[] => (x instanceof Tensor ? sizesOf(x) : []);

/** How boundaries are searched. */
export interface SearchOptions extends OutOption {
  /** Counts boundaries that equal the value, too. */
  readonly right?: boolean | undefined;
}
export interface SearchsortedOptions extends SearchOptions {
  /** The same in words. */
  readonly side?: "left" | "right" | undefined;
  /** The order in which the boundaries are sorted, as argsort gives it. */
  readonly sorter?: Tensor | undefined;
}
interface Given {
  readonly bounds: Tensor;
  readonly values: Operand;
  readonly right: boolean;
  readonly side?: string | null;
  readonly sorter?: Tensor | null;
}

function inferSearch({ bounds, values, right, side = null, sorter = null }: Given): Result {
  const who = "searchsorted";
  checkReal(who, bounds);
  if (values instanceof Tensor) checkReal(who, values);
  else if (typeof values === "object") checkTensor(who, values);
  const [b, v] = [sizesOf(bounds), shapeOfOperand(values)];
  if (v.length === 0 ? b.length !== 1 : b.length === 0)
    throw new ShapeError(`${who}: a scalar value needs boundaries with one axis, got ${b.length}`);
  if (b.length !== 1 && (b.length !== v.length || b.slice(0, -1).some((size, d) => size !== v[d])))
    throw new ShapeError(
      `${who}: boundaries have one axis, or all sizes but the last of the values, got ${show(b)} for values ${show(v)}`,
    );
  if (side !== null && side !== "left" && side !== "right")
    throw new StridewiseError(`${who}: side can only be 'left' or 'right' but got ${side}`);
  if (right && side === "left") throw new StridewiseError(`${who}: side is "left" and right is true. Give one of them`);
  if (sorter !== null) checkSorter(sorter, b);
  return { dtype: positionDType, shape: v, isIndex: true };
}

function checkSorter(sorter: Tensor, b: readonly number[]): void {
  checkTensor("searchsorted", sorter);
  if (showShape(sorter) !== show(b))
    throw new ShapeError(
      `searchsorted: boundaries and sorter must have the same shape, got ${show(b)} and ${showShape(sorter)}`,
    );
  if (sorter.dtype !== positionDType && sorter.dtype !== "int64")
    throw new DTypeError(`searchsorted: sorter must be int32 or int64, as argsort returns it, got ${sorter.dtype}`);
}

/** The boundaries in the order that the sorter gives. */
function ordered(bounds: Tensor, sorter: Tensor, rows: number, n: number): Tensor {
  const order = elementsIn(denseOf(sorter, null, "int32"), "searchsorted").slice() as Int32Array;
  const wrong = order.find((at) => at < 0 || at >= n);
  if (wrong !== undefined)
    throw new IndexError(`searchsorted: sorter index out of range, ${wrong} is not in [0, ${n - 1}]`);
  const result = fresh(bounds.dtype, sizesOf(bounds));
  const who = "searchsorted";
  takeRows(elementsIn(bounds, who), rows, n, order, n, elementsIn(result, who, true));
  return result;
}

function fillSearch([result]: readonly Tensor[], given: Given): void {
  const who = "searchsorted";
  const [dense, values] = together(who, given.bounds, given.values);
  const n = sizeAt(dense, dense.rank - 1);
  const rows =
    dense.rank === 1
      ? 1
      : sizesOf(dense)
          .slice(0, -1)
          .reduce((a, b) => a * b, 1);
  const bounds = given.sorter == null ? dense : ordered(dense, given.sorter, rows, n);
  const places = new Int32Array(values.size);
  const right = given.right || given.side === "right";
  if (places.length > 0)
    searchSortedRows(elementsIn(bounds, who), rows, n, elementsIn(values, who), values.size / rows, right, places);
  writePositions(places, result, null, who);
}

type Found = Tensor<Shape, PositionDType, "none">;
/** The type of searchsorted. */
export interface Searchsorted extends OpFunction {
  (sortedSequence: Tensor, values: Tensor | number, options?: SearchsortedOptions): Found;
}
/** Where values would be inserted into sorted rows so that these stay sorted. */
export const searchsorted: Searchsorted = /* @__PURE__ */ routineOp(
  "searchsorted(bounds, values; right = false, side = null, sorter = null)",
  inferSearch,
  fillSearch,
  { batch: "searchsorted" },
);

/** The type of bucketize. */
export interface Bucketize extends OpFunction {
  (x: Tensor | number, boundaries: Tensor, options?: SearchOptions): Found;
}
/** Which of the buckets between sorted boundaries each element falls into. */
export const bucketize: Bucketize = /* @__PURE__ */ routineOp<Bucketize, Given>(
  "bucketize(values, bounds; right = false)",
  (given) => {
    checkReal("bucketize", given.bounds);
    if (given.bounds.rank !== 1)
      throw new ShapeError(`bucketize: boundaries tensor must be 1 dimension, but got dim(${given.bounds.rank})`);
    return inferSearch(given);
  },
  fillSearch,
  { batch: "withList" },
);

/** How elements are looked for. */
export interface IsinOptions extends OutOption {
  /** Says that no element occurs twice; here it makes no difference. */
  readonly assumeUnique?: boolean | undefined;
  /** True for those that are not among the others. */
  readonly invert?: boolean | undefined;
}
/** The type of isin. */
export interface Isin extends OpFunction {
  /** True where an element is among the test elements; NaN is not. */
  <X extends Tensor>(
    elements: X,
    testElements: Tensor | number,
    options?: IsinOptions,
  ): Tensor<X["shape"], "bool", "none">;
  /** True where an element is among the test elements; NaN is not. */
  (elements: number, testElements: Tensor, options?: IsinOptions): Tensor<[], "bool", "none">;
}
interface IsinGiven {
  readonly elements: Operand;
  readonly testElements: Operand;
  readonly invert: boolean;
}
/** True where an element is among the test elements; NaN is not. */
export const isin: Isin = /* @__PURE__ */ routineOp<Isin, IsinGiven>(
  "isin(elements, testElements; assumeUnique = false, invert = false)",
  ({ elements, testElements }) => {
    for (const x of [elements, testElements]) if (typeof x !== "number") checkReal("isin", x);
    return { dtype: "bool", shape: shapeOfOperand(elements) };
  },
  ([result], { elements, testElements, invert }) => {
    const [values, among] = together("isin", elements, testElements);
    writeTo(result, "bool", null, "isin", (dense) => {
      const answers = elementsIn(dense, "isin", true) as Uint8Array;
      isAmong(elementsIn(values, "isin"), elementsIn(among, "isin"), answers);
      if (invert) for (let i = 0; i < answers.length; i++) answers[i]! ^= 1;
    });
  },
  { batch: "withList" },
);
