/**
 * Search: insertion indices of values in sorted boundaries, and membership. Operands are converted to their common dtype first.
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
import { type IndexDType, indexDType } from "../indices.ts";
import { fresh, type Result } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { show } from "../shape-rules.ts";
import { checkReal, denseOf, elementsIn, writeIndices, writeTo } from "./dense-elements.ts";
import { routineOp } from "./routine-op.ts";
import { isin as isAmong, searchSortedRows } from "./sort.ts";
import { takeRows } from "./values.ts";

type Operand = Tensor | number;

/** Returns two operands as dense tensors of the same dtype. */
function together(who: string, a: Operand, b: Operand): [a: Tensor, b: Tensor] {
  const inOne = (x: number, dtype: DType): Tensor => {
    const one = fresh(dtype, []);
    fillUnchecked(one, x, who);
    return one;
  };
  const dtypeOf = (x: Operand, other: Operand): DType => {
    if (x instanceof Tensor) return x.dtype;
    const dtype = (other as Tensor).dtype;
    if (isFloatDType(dtype)) return dtype;
    // A number that the integer dtype does not represent would be truncated or wrap around.
    const isHeld = Number.isInteger(x) && Number(elementsIn(inOne(x, dtype), who)[0]) === x;
    return isHeld ? dtype : "float64";
  };
  const dtype = computedAs(promoteTypes(dtypeOf(a, b), dtypeOf(b, a)));
  const dense = (x: Operand): Tensor => (x instanceof Tensor ? denseOf(x, null, dtype) : inOne(x, dtype));
  return [dense(a), dense(b)];
}

const shapeOfOperand = (x: Operand): readonly number[] => (x instanceof Tensor ? sizesOf(x) : []);

/** The options of searches. */
export interface SearchOptions extends OutOption {
  /** Returns the last insertion index, after boundaries that equal the value, instead of the first. */
  readonly right?: boolean | undefined;
}
export interface SearchsortedOptions extends SearchOptions {
  /** "right" is the same as right: true. */
  readonly side?: "left" | "right" | undefined;
  /** The indices that sort the boundaries, as returned by argsort. */
  readonly sorter?: Tensor | undefined;
}
interface SearchArguments {
  readonly bounds: Tensor;
  readonly values: Operand;
  readonly right: boolean;
  readonly side?: string | null;
  readonly sorter?: Tensor | null;
}

function inferSearch({ bounds, values, right, side = null, sorter = null }: SearchArguments): Result {
  const who = "searchsorted";
  checkReal(who, bounds);
  if (values instanceof Tensor) checkReal(who, values);
  else if (typeof values === "object") checkTensor(who, values);
  const [b, v] = [sizesOf(bounds), shapeOfOperand(values)];
  if (v.length === 0 ? b.length !== 1 : b.length === 0)
    throw new ShapeError(`${who}: boundaries must have one axis for a scalar value, got ${b.length}`);
  if (b.length !== 1 && (b.length !== v.length || b.slice(0, -1).some((size, d) => size !== v[d])))
    throw new ShapeError(
      `${who}: boundaries must have one axis, or match all axes of the values but the last, got ${show(b)} for values ${show(v)}`,
    );
  if (side !== null && side !== "left" && side !== "right")
    throw new StridewiseError(`${who}: side must be 'left' or 'right', got ${side}`);
  if (right && side === "left") throw new StridewiseError(`${who}: side is "left" and right is true. Pass one of them`);
  if (sorter !== null) checkSorter(sorter, b);
  return { dtype: indexDType, shape: v, isIndex: true };
}

function checkSorter(sorter: Tensor, b: readonly number[]): void {
  checkTensor("searchsorted", sorter);
  if (showShape(sorter) !== show(b))
    throw new ShapeError(
      `searchsorted: boundaries and sorter must have the same shape, got ${show(b)} and ${showShape(sorter)}`,
    );
  if (sorter.dtype !== indexDType && sorter.dtype !== "int64")
    throw new DTypeError(`searchsorted: sorter must be int32 or int64, as argsort returns it, got ${sorter.dtype}`);
}

/** Returns the boundaries in the order of the sorter. */
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

function fillSearch([result]: readonly Tensor[], args: SearchArguments): void {
  const who = "searchsorted";
  const [dense, values] = together(who, args.bounds, args.values);
  const n = sizeAt(dense, dense.rank - 1);
  const rows =
    dense.rank === 1
      ? 1
      : sizesOf(dense)
          .slice(0, -1)
          .reduce((a, b) => a * b, 1);
  const bounds = args.sorter == null ? dense : ordered(dense, args.sorter, rows, n);
  const indices = new Int32Array(values.size);
  const right = args.right || args.side === "right";
  if (indices.length > 0)
    searchSortedRows(elementsIn(bounds, who), rows, n, elementsIn(values, who), values.size / rows, right, indices);
  writeIndices(indices, result, null, who);
}

type Indices = Tensor<Shape, IndexDType>;
/** The type of searchsorted. */
export interface Searchsorted extends OpFunction {
  (sortedSequence: Tensor, values: Tensor | number, options?: SearchsortedOptions): Indices;
}
/** Returns the indices at which inserting the values keeps sorted rows sorted: before equal elements, or with `right` after them. */
export const searchsorted: Searchsorted = /* @__PURE__ */ routineOp(
  "searchsorted(bounds, values; right = false, side = null, sorter = null)",
  inferSearch,
  fillSearch,
  { batch: "searchsorted" },
);

/** The type of bucketize. */
export interface Bucketize extends OpFunction {
  (x: Tensor | number, boundaries: Tensor, options?: SearchOptions): Indices;
}
/** Returns the index of each element's bucket among sorted boundaries: the number of boundaries below it, or with `right` at or below it. */
export const bucketize: Bucketize = /* @__PURE__ */ routineOp<Bucketize, SearchArguments>(
  "bucketize(values, bounds; right = false)",
  (args) => {
    checkReal("bucketize", args.bounds);
    if (args.bounds.rank !== 1)
      throw new ShapeError(`bucketize: boundaries must have one axis, got ${args.bounds.rank}`);
    return inferSearch(args);
  },
  fillSearch,
  { batch: "withList" },
);

/** The options of isin. */
export interface IsinOptions extends OutOption {
  /** Accepted for compatibility with PyTorch; it makes no difference here. */
  readonly assumeUnique?: boolean | undefined;
  /** Returns true for elements that are not among the test elements. */
  readonly invert?: boolean | undefined;
}
/** The type of isin. */
export interface Isin extends OpFunction {
  /** Returns true where an element is among the test elements; false for NaN. */
  <X extends Tensor>(elements: X, testElements: Tensor | number, options?: IsinOptions): Tensor<X["shape"], "bool">;
  /** Returns true where an element is among the test elements; false for NaN. */
  (elements: number, testElements: Tensor, options?: IsinOptions): Tensor<[], "bool">;
}
interface IsinArguments {
  readonly elements: Operand;
  readonly testElements: Operand;
  readonly invert: boolean;
}
/** Returns true where an element is among the test elements; false for NaN. */
export const isin: Isin = /* @__PURE__ */ routineOp<Isin, IsinArguments>(
  "isin(elements, testElements; assumeUnique = false, invert = false)",
  ({ elements, testElements }) => {
    for (const x of [elements, testElements]) if (typeof x !== "number") checkReal("isin", x);
    return { dtype: "bool", shape: shapeOfOperand(elements) };
  },
  ([result], { elements, testElements, invert }) => {
    const [values, among] = together("isin", elements, testElements);
    writeTo(result, "bool", null, "isin", (dense) => {
      const mask = elementsIn(dense, "isin", true) as Uint8Array;
      isAmong(elementsIn(values, "isin"), elementsIn(among, "isin"), mask);
      if (invert) for (let i = 0; i < mask.length; i++) mask[i]! ^= 1;
    });
  },
  { batch: "withList" },
);
