/**
 * Sorting, and the elements that a sort would put at some place: the largest, the k-th, the median, the most frequent.
 * Each picks positions along one axis; values are fetched from there. All are stable, NaN is the largest.
 */

import { IndexError, ShapeError, StridewiseError } from "../../base/errors.ts";
import { isFloatDType } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import type { OpFacts } from "../../tensor/dispatch/facts.ts";
import { showShape } from "../../tensor/geometry.ts";
import { reducedNames } from "../../tensor/names.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { type PositionDType, positionDType } from "../positions.ts";
import { reducedShape } from "../reduce/axes.ts";
import { mean } from "../reduce/reduce.ts";
import type { ReducedShape } from "../reduce/reduce-types.ts";
import { shapeOf } from "../shape-rules.ts";
import { flatten, reshape } from "../views.ts";
import { checkReal, denseOf, elementsIn, rowLength, writePositions, writeTo } from "./dense-elements.ts";
import { modeRows } from "./mode.ts";
import { routineOfOps, routineOp, withNames } from "./routine-op.ts";
import { medianRows, rankRows, topkRows } from "./select.ts";
import { argsortRows } from "./sort.ts";
import { equalsGradient, pickGradient } from "./sort-gradient.ts";
import { takeRows, type Values } from "./values.ts";

/** Elements and their places along the axis. */
export interface Picked<S extends Shape, X extends Tensor> {
  readonly values: Tensor<S, X["dtype"], "none">;
  readonly indices: Tensor<S, PositionDType, "none">;
}
/** Existing tensors for both results. */
export interface PickedOut {
  readonly out?: { readonly values: Tensor; readonly indices: Tensor } | undefined;
}
interface Given {
  readonly x: Tensor;
  readonly axis: Axis;
}

/** What a pick along an axis is. */
interface Picking<G extends Given> extends Pick<OpFacts, "batch"> {
  /** How many elements of a row of n are picked; null for one, whose axis goes away. */
  per(given: G, n: number, axis: number): number | null;
  pick(given: G, values: Values, rows: number, n: number, indices: Int32Array): void;
}

function picking<F extends OpFunction, G extends Given & { readonly keepdims?: boolean }>(
  signature: string,
  { per, pick, batch = "along 1=-1" }: Picking<G>,
  who = signature.slice(0, signature.indexOf("(")),
  gradient = pickGradient,
): F {
  const picks = routineOp<OpFunction, G>(
    signature,
    (given) => {
      const { x, keepdims = false } = given;
      checkReal(who, x);
      const axis = axisOf(who, x, given.axis);
      const shape = shapeOf(x);
      const count = per(given, rowLength(shape, axis), axis);
      const left =
        count === null ? reducedShape(shape, [axis], keepdims) : shape.map((n, d) => (d === axis ? count : n));
      const names = reducedNames(x, [axis], count !== null || keepdims);
      return [
        { dtype: x.dtype, shape: left, names },
        { dtype: positionDType, shape: left, names, isIndex: true },
      ];
    },
    ([values, indices], given) => {
      const axis = axisOf(who, given.x, given.axis);
      const x = denseOf(given.x, axis);
      const n = rowLength(shapeOf(given.x), axis);
      const count = per(given, n, axis);
      const picked = new Int32Array(values.size);
      if (picked.length === 0) return;
      const rows = x.size / n;
      pick(given, elementsIn(x, who), rows, n, picked);
      const kept = count === null ? null : axis;
      writeTo(values, x.dtype, kept, who, (dense) => {
        takeRows(elementsIn(x, who), rows, n, picked, picked.length / rows, elementsIn(dense, who, true));
      });
      writePositions(picked, indices, kept, who);
    },
    { gradient, batch },
  );
  return withNames<F>(picks, ["values", "indices"]);
}

/** How a sort goes. */
export interface SortOptions {
  /** The largest first. */
  readonly descending?: boolean | undefined;
  /** Equal elements keep their order; here they always do. */
  readonly stable?: boolean | undefined;
}
/** The type of sort. */
export interface Sort extends OpFunction {
  /** The elements in ascending or descending order along an axis, the last unless given, and where they were. */
  <X extends Tensor>(x: X, options: SortOptions & PickedOut): Picked<X["shape"], X>;
  /** The elements in ascending or descending order along an axis, the last unless given, and where they were. */
  <X extends Tensor>(x: X, axis?: Axis, options?: SortOptions & PickedOut): Picked<X["shape"], X>;
  readonly method: {
    /** The elements in ascending or descending order along an axis, the last unless given, and where they were. */
    <X extends Tensor>(this: X, options: SortOptions & PickedOut): Picked<X["shape"], X>;
    /** The elements in ascending or descending order along an axis, the last unless given, and where they were. */
    <X extends Tensor>(this: X, axis?: Axis, options?: SortOptions & PickedOut): Picked<X["shape"], X>;
  };
}
/** The elements in ascending or descending order along an axis, the last unless given, and where they were. */
export const sort: Sort = /* @__PURE__ */ picking<Sort, Given & Required<SortOptions>>(
  "sort(x, axis = -1; descending = false, stable = false)",
  {
    per: (_, n) => n,
    pick: ({ descending }, values, rows, n, indices) => argsortRows(values, rows, n, descending === true, indices),
  },
);

/** The type of argsort. */
export interface Argsort extends OpFunction {
  /** Where the elements are that a sort puts at each place along an axis, the last unless given. */
  <X extends Tensor>(x: X, options: SortOptions): Tensor<X["shape"], PositionDType, "none">;
  /** Where the elements are that a sort puts at each place along an axis, the last unless given. */
  <X extends Tensor>(x: X, axis?: Axis, options?: SortOptions): Tensor<X["shape"], PositionDType, "none">;
  readonly method: {
    /** Where the elements are that a sort puts at each place along an axis, the last unless given. */
    <X extends Tensor>(this: X, options: SortOptions): Tensor<X["shape"], PositionDType, "none">;
    /** Where the elements are that a sort puts at each place along an axis, the last unless given. */
    <X extends Tensor>(this: X, axis?: Axis, options?: SortOptions): Tensor<X["shape"], PositionDType, "none">;
  };
}
/** Where the elements are that a sort puts at each place along an axis, the last unless given. */
export const argsort: Argsort = /* @__PURE__ */ routineOfOps(
  "argsort(x, axis = -1; descending = false, stable = false)",
  ({ x, axis, descending }: Given & SortOptions) => sort(x, axis, { descending }).indices,
);

/** The type of msort. */
export interface Msort extends OpFunction {
  <X extends Tensor>(x: X): Tensor<X["shape"], X["dtype"], "none">;
  readonly method: <X extends Tensor>(this: X) => Tensor<X["shape"], X["dtype"], "none">;
}
/** The elements in ascending order along the first axis. */
export const msort: Msort = /* @__PURE__ */ routineOfOps("msort(x)", ({ x }: Given) => sort(x, 0).values);

/** Which elements topk picks. */
export interface TopkOptions extends PickedOut {
  /** The largest, which is usual, or the smallest. */
  readonly largest?: boolean | undefined;
  /** The best first, which is usual; else in the order they have in the tensor. */
  readonly sorted?: boolean | undefined;
}
/** The type of topk. */
export interface Topk extends OpFunction {
  /** The k largest or smallest elements along an axis, the last unless given, and where they are. */
  <X extends Tensor>(x: X, k: number, options: TopkOptions): Picked<Shape, X>;
  /** The k largest or smallest elements along an axis, the last unless given, and where they are. */
  <X extends Tensor>(x: X, k: number, axis?: Axis, options?: TopkOptions): Picked<Shape, X>;
  readonly method: {
    /** The k largest or smallest elements along an axis, the last unless given, and where they are. */
    <X extends Tensor>(this: X, k: number, options: TopkOptions): Picked<Shape, X>;
    /** The k largest or smallest elements along an axis, the last unless given, and where they are. */
    <X extends Tensor>(this: X, k: number, axis?: Axis, options?: TopkOptions): Picked<Shape, X>;
  };
}
interface TopkGiven extends Given {
  readonly k: number;
  readonly largest: boolean;
  readonly sorted: boolean;
}
/** The k largest or smallest elements along an axis, the last unless given, and where they are. */
export const topk: Topk = /* @__PURE__ */ picking<Topk, TopkGiven>(
  "topk(x, k, axis = -1; largest = true, sorted = true)",
  {
    batch: "along 2=-1",
    per({ k }, n) {
      if (Number.isInteger(k) && k >= 0 && k <= n) return k;
      throw new ShapeError(`topk: k must be from 0 to ${n}, the size of the axis, got ${k}`);
    },
    pick: ({ largest, sorted }, values, rows, n, indices) =>
      // Of a tensor without axes its element is picked, k = 0 or not.
      topkRows(values, rows, n, indices.length / rows, largest, sorted, indices),
  },
);

/** How picks of one element are shaped. */
export interface PickOptions extends PickedOut {
  /** Leaves an axis of size 1 in the place of the one that is searched. */
  readonly keepdims?: boolean | undefined;
}
type Along<X extends Tensor, A, O> = Picked<ReducedShape<X["shape"], A, O>, X>;

/** Refuses an axis without elements. */
function checkElements(who: string, n: number, axis: number): null {
  if (n > 0) return null;
  throw new IndexError(`${who}: axis ${axis} must not be empty. Check the size first`);
}

/** The type of kthvalue. */
export interface Kthvalue extends OpFunction {
  <X extends Tensor, const A extends Axis = -1, const O extends PickOptions | undefined = undefined>(
    x: X,
    k: number,
    axis?: A,
    options?: O,
  ): Along<X, A, O>;
  readonly method: <X extends Tensor, const A extends Axis = -1, const O extends PickOptions | undefined = undefined>(
    this: X,
    k: number,
    axis?: A,
    options?: O,
  ) => Along<X, A, O>;
}
/** The k-th smallest element along an axis, counted from 1, and where it is. */
export const kthvalue: Kthvalue = /* @__PURE__ */ picking<Kthvalue, Given & { readonly k: number }>(
  "kthvalue(x, k, axis = -1; keepdims = false)",
  {
    batch: "along 2=-1",
    per({ k }, n, axis) {
      checkElements("kthvalue", n, axis);
      if (Number.isInteger(k) && k >= 1 && k <= n) return null;
      throw new ShapeError(`kthvalue: k must be from 1 to ${n}, the size of axis ${axis}, got ${k}`);
    },
    pick: ({ k }, values, rows, n, indices) => rankRows(values, rows, n, k - 1, indices),
  },
);

/** The type of mode. */
export interface ModeOf extends OpFunction {
  <X extends Tensor, const A extends Axis = -1, const O extends PickOptions | undefined = undefined>(
    x: X,
    axis?: A,
    options?: O,
  ): Along<X, A, O>;
  readonly method: <X extends Tensor, const A extends Axis = -1, const O extends PickOptions | undefined = undefined>(
    this: X,
    axis?: A,
    options?: O,
  ) => Along<X, A, O>;
}
/** The most frequent element along an axis, the smallest of several, and where it is. */
export const mode: ModeOf = /* @__PURE__ */ picking<ModeOf, Given>("mode(x, axis = -1; keepdims = false)", {
  per: (_, n, axis) => checkElements("mode", n, axis),
  pick: (_, values, rows, n, indices) => modeRows(values, rows, n, indices),
});

/** The type of medians. */
export interface Median extends OpFunction {
  /** The median of all elements: of an even number the lower of the two in the middle. */
  <X extends Tensor, const O extends Pick<PickOptions, "keepdims"> | undefined = undefined>(
    x: X,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], undefined, O>, X["dtype"], "none">;
  /** The medians along an axis, of an even number the lower of the two in the middle, and where they are. */
  <X extends Tensor, const A extends Axis, const O extends PickOptions | undefined = undefined>(
    x: X,
    axis: A,
    options?: O,
  ): Along<X, A, O>;
  readonly method: {
    /** The median of all elements: of an even number the lower of the two in the middle. */
    <X extends Tensor, const O extends Pick<PickOptions, "keepdims"> | undefined = undefined>(
      this: X,
      options?: O,
    ): Tensor<ReducedShape<X["shape"], undefined, O>, X["dtype"], "none">;
    /** The medians along an axis, of an even number the lower of the two in the middle, and where they are. */
    <X extends Tensor, const A extends Axis, const O extends PickOptions | undefined = undefined>(
      this: X,
      axis: A,
      options?: O,
    ): Along<X, A, O>;
  };
}
interface MedianGiven {
  readonly x: Tensor;
  readonly axis: Axis | null;
  readonly keepdims: boolean;
  readonly out: PickedOut["out"];
}

function medianOp(name: "median" | "nanmedian"): Median {
  const spec: Picking<Given> = {
    batch: "along 1",
    per: (_, n, axis) => checkElements(name, n, axis),
    pick: (_, values, rows, n, indices) => medianRows(values, rows, n, name === "nanmedian", indices),
  };
  const pickBy = (kind: string, gradient?: typeof pickGradient) =>
    picking<OpFunction, Given>(`${name}${kind}(x, axis; keepdims = false)`, spec, name, gradient) as unknown as (
      x: Tensor,
      axis: Axis,
      options?: PickOptions,
    ) => Picked<Shape, Tensor>;
  const [along, ofAll] = [pickBy("Along"), pickBy("OfAll", equalsGradient)];
  return routineOfOps(
    `${name}(x, axis = null; keepdims = false, out = null)`,
    ({ x, axis, keepdims, out }: MedianGiven) => {
      if (axis !== null) return along(x, axis, { keepdims, out: out ?? undefined });
      checkReal(name, x);
      if (out !== null)
        throw new StridewiseError(`${name}: there is no option out without an axis. Copy the result: copy_(...)`);
      if (x.size > 0) {
        const { values } = ofAll(flatten(x, 0, -1), 0);
        const shape = shapeOf(x).map(() => 1);
        return keepdims ? reshape(values, shape) : values;
      }
      if (!isFloatDType(x.dtype))
        throw new ShapeError(`${name}: integers have no median where there are none, the shape is ${showShape(x)}`);
      // The mean of no floats is NaN, and so is their median.
      return mean(x, undefined, { keepdims });
    },
  );
}
/** The median, the lower one of two: of all elements, or along an axis with where it is. */
export const median: Median = /* @__PURE__ */ medianOp("median");
/** The median of the elements that are no NaN: of all, or along an axis with where it is. */
export const nanmedian: Median = /* @__PURE__ */ medianOp("nanmedian");

/** The ops that are methods of tensors. */
export default [sort, argsort, msort, topk, kthvalue, mode, median, nanmedian];
