/**
 * Sorting, and selection by order: the largest elements, the k-th, the median, the most frequent.
 * Each op picks indices along one axis and gathers the values. All are stable, and NaN is the largest number.
 */
import { IndexError, ShapeError, StridewiseError } from "../../base/errors.ts";
import { execute } from "../../kernel/program/run-program.ts";
import { isFloatDType } from "../../storage/dtype.ts";
import type { Storage } from "../../storage/storage.ts";
import { lowerAlong } from "../../tensor/access/by-index.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import type { OpFacts } from "../../tensor/dispatch/facts.ts";
import type { Backward, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { reducedNames } from "../../tensor/names.ts";
import { storageOf, type Tensor } from "../../tensor/tensor.ts";
import type { CheckedAxis } from "../../tensor/types/shape-faults.ts";
import type { PlaceOf, Rank, Replaced, Shape } from "../../tensor/types/types.ts";
import { div } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { type IndexDType, indexDType } from "../indices.ts";
import { scatterAddUnchecked } from "../movement/gather-scatter.ts";
import { reducedShape } from "../reduce/axes.ts";
import { mean, sum } from "../reduce/reduce.ts";
import type { KeepOption, ReducedShape } from "../reduce/reduce-types.ts";
import { shapeOf } from "../shape-rules.ts";
import { flatten, reshape, unsqueeze } from "../views.ts";
import { checkReal, denseOf, elementsIn, rowLength, writeIndices, writeTo } from "./dense-elements.ts";
import { isLongRow, sortedIndices } from "./long-sort.ts";
import { routineOfOps, routineOp, withNames } from "./routine-op.ts";
import { medianRows, modeRows, rankRows, topkRows } from "./select.ts";
import { argsortRows } from "./sort.ts";
import { takeRows, type Values } from "./values.ts";

/** Elements and their indices along the axis. */
export interface Picked<S extends Shape, X extends Tensor> {
  readonly values: Tensor<S, X["dtype"]>;
  readonly indices: Tensor<S, IndexDType>;
}
/** Existing tensors for both results. */
export interface PickedOut {
  readonly out?: { readonly values: Tensor; readonly indices: Tensor } | undefined;
}
interface AxisArguments {
  readonly x: Tensor;
  readonly axis: Axis;
}

/** The gradient of an op with values and indices as results: it goes to the picked elements. */
function pickGradient({ x, axis }: { readonly x: Tensor; readonly axis: Axis }, call: RecordedCall): Backward {
  const [shape, at] = [sizesOf(x), axisOf("sort", x, axis)];
  const indices = call.save(call.results[1]);
  const whole = (t: Tensor): Tensor => (t.rank < shape.length ? unsqueeze(t, at) : t);
  return ([g]) => [scatterAddUnchecked(whole(g), at, whole(indices()), shape)];
}

const isPicked = /* @__PURE__ */ map<OpFunction & ((x: Tensor, y: Tensor) => Tensor)>(
  "isPicked(x, y)",
  "(x == y) | ((x != x) & (y != y))",
);

/** The gradient of an op that picks one value along an axis: it is split equally among all elements with that value. */
function equalsGradient({ x, axis }: { readonly x: Tensor; readonly axis: Axis }, call: RecordedCall): Backward {
  const [at, all, value] = [axisOf("median", x, axis), call.save(x), call.saveResult()];
  return ([g]) => {
    const mask = isPicked(all(), unsqueeze(value(), at));
    const share = div(unsqueeze(g, at), sum(mask, at, { keepdims: true }));
    return [where(mask, share, 0)];
  };
}

/** The definition of an op that picks elements along an axis. */
interface Picking<G extends AxisArguments> extends Pick<OpFacts, "batch"> {
  /** Returns the number of elements picked from a row of n; null for one, whose axis is reduced. */
  per(args: G, n: number, axis: number): number | null;
  pick(args: G, values: Values, rows: number, n: number, indices: Int32Array): void;
  /** Returns the indices for long rows of a dense tensor by a kernel, in place of `pick`. */
  pickLong?(args: G, x: Tensor, n: number): Tensor;
}

/** Writes the elements that a tensor of indices picks along the last axis of x, which is `axis` of the results, and the indices. */
function writePicked(x: Tensor, picked: Tensor, axis: number, values: Tensor, indices: Tensor, who: string): void {
  writeTo(values, x.dtype, axis, who, (dense) => {
    const stored = (t: Tensor): { readonly storage: Storage } => ({ storage: storageOf(t, who) });
    execute([stored(dense)], [stored(x), stored(picked)], (builder) =>
      lowerAlong(builder, "take", x, x.rank - 1, dense, picked),
    );
  });
  writeTo(indices, indexDType, axis, who, (dense) => copyAll(picked, dense, who));
  picked.endWith("a copy for the length of one call");
}

function picking<F extends OpFunction, G extends AxisArguments & { readonly keepdims?: boolean }>(
  signature: string,
  { per, pick, pickLong, batch = "along 1=-1" }: Picking<G>,
  who = signature.slice(0, signature.indexOf("(")),
  gradient = pickGradient,
): F {
  const picks = routineOp<OpFunction, G>(
    signature,
    (args) => {
      const { x, keepdims = false } = args;
      checkReal(who, x);
      const axis = axisOf(who, x, args.axis);
      const shape = shapeOf(x);
      const count = per(args, rowLength(shape, axis), axis);
      const left =
        count === null ? reducedShape(shape, [axis], keepdims) : shape.map((n, d) => (d === axis ? count : n));
      const names = reducedNames(x, [axis], count !== null || keepdims);
      return [
        { dtype: x.dtype, shape: left, names },
        { dtype: indexDType, shape: left, names, isIndex: true },
      ];
    },
    ([values, indices], args) => {
      const axis = axisOf(who, args.x, args.axis);
      const x = denseOf(args.x, axis);
      const n = rowLength(shapeOf(args.x), axis);
      const count = per(args, n, axis);
      if (values.size === 0) return;
      if (pickLong !== undefined && isLongRow(n)) {
        writePicked(x, pickLong(args, x, n), axis, values, indices, who);
        return;
      }
      const picked = new Int32Array(values.size);
      const rows = x.size / n;
      pick(args, elementsIn(x, who), rows, n, picked);
      const countAxis = count === null ? null : axis;
      writeTo(values, x.dtype, countAxis, who, (dense) => {
        takeRows(elementsIn(x, who), rows, n, picked, picked.length / rows, elementsIn(dense, who, true));
      });
      writeIndices(picked, indices, countAxis, who);
    },
    { gradient, batch },
  );
  return withNames<F>(picks, ["values", "indices"]);
}

/** The options of sorts. */
export interface SortOptions {
  /** Sorts in descending order. */
  readonly descending?: boolean | undefined;
  /** Keeps the order of equal elements, which sorts here always do. */
  readonly stable?: boolean | undefined;
}
/** The type of sort. */
export interface Sort extends OpFunction {
  /** Returns the elements sorted along an axis, by default the last and in ascending order, and their indices. */
  <X extends Tensor>(x: X, options?: SortOptions & PickedOut): Picked<X["shape"], X>;
  /** Returns the elements sorted along an axis, by default the last and in ascending order, and their indices. */
  <X extends Tensor, const A extends Axis>(
    x: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: SortOptions & PickedOut,
  ): Picked<X["shape"], X>;
  readonly method: {
    /** Returns the elements sorted along an axis, by default the last and in ascending order, and their indices. */
    <X extends Tensor>(this: X, options?: SortOptions & PickedOut): Picked<X["shape"], X>;
    /** Returns the elements sorted along an axis, by default the last and in ascending order, and their indices. */
    <X extends Tensor, const A extends Axis>(
      this: X,
      axis: CheckedAxis<X["shape"], A>,
      options?: SortOptions & PickedOut,
    ): Picked<X["shape"], X>;
  };
}
/** Returns the elements sorted along an axis, by default the last and in ascending order, and their indices. */
export const sort: Sort = /* @__PURE__ */ picking<Sort, AxisArguments & Required<SortOptions>>(
  "sort(x, axis = -1; descending = false, stable = false)",
  {
    per: (_, n) => n,
    pick: ({ descending }, values, rows, n, indices) => argsortRows(values, rows, n, descending === true, indices),
    pickLong: ({ descending }, x, n) => sortedIndices(x, n, "sort", descending === true),
  },
);

/** The type of argsort. */
export interface Argsort extends OpFunction {
  /** Returns the indices that sort the elements along an axis, by default the last and in ascending order. */
  <X extends Tensor>(x: X, options?: SortOptions): Tensor<X["shape"], IndexDType>;
  /** Returns the indices that sort the elements along an axis, by default the last and in ascending order. */
  <X extends Tensor, const A extends Axis>(
    x: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: SortOptions,
  ): Tensor<X["shape"], IndexDType>;
  readonly method: {
    /** Returns the indices that sort the elements along an axis, by default the last and in ascending order. */
    <X extends Tensor>(this: X, options?: SortOptions): Tensor<X["shape"], IndexDType>;
    /** Returns the indices that sort the elements along an axis, by default the last and in ascending order. */
    <X extends Tensor, const A extends Axis>(
      this: X,
      axis: CheckedAxis<X["shape"], A>,
      options?: SortOptions,
    ): Tensor<X["shape"], IndexDType>;
  };
}
/** Returns the indices that sort the elements along an axis, by default the last and in ascending order. */
export const argsort: Argsort = /* @__PURE__ */ routineOfOps(
  "argsort(x, axis = -1; descending = false, stable = false)",
  ({ x, axis, descending }: AxisArguments & SortOptions) => sort(x, axis, { descending }).indices,
);

/** The type of msort. */
export interface Msort extends OpFunction {
  <X extends Tensor>(x: X): Tensor<X["shape"], X["dtype"]>;
  readonly method: <X extends Tensor>(this: X) => Tensor<X["shape"], X["dtype"]>;
}
/** Returns the elements sorted along the first axis in ascending order. */
export const msort: Msort = /* @__PURE__ */ routineOfOps("msort(x)", ({ x }: AxisArguments) => sort(x, 0).values);

/** The options of topk. */
export interface TopkOptions extends PickedOut {
  /** Picks the largest elements, otherwise the smallest. Default: true. */
  readonly largest?: boolean | undefined;
  /** Sorts the result, otherwise elements keep their order. Default: true. */
  readonly sorted?: boolean | undefined;
}
/** The shape of the k largest elements along an axis. */
type TopkShape<S extends Shape, A, K extends number> =
  number extends Rank<S> ? Shape : S extends readonly [] ? [] : Replaced<S, PlaceOf<S, A>, K>;
/** The type of topk. */
export interface Topk extends OpFunction {
  /** Returns the k largest or smallest elements along an axis, by default the last, and their indices. */
  <X extends Tensor, const K extends number>(
    x: X,
    k: K,
    options?: TopkOptions,
  ): Picked<TopkShape<X["shape"], -1, K>, X>;
  /** Returns the k largest or smallest elements along an axis, by default the last, and their indices. */
  <X extends Tensor, const K extends number, const A extends Axis>(
    x: X,
    k: K,
    axis: CheckedAxis<X["shape"], A>,
    options?: TopkOptions,
  ): Picked<TopkShape<X["shape"], A, K>, X>;
  readonly method: {
    /** Returns the k largest or smallest elements along an axis, by default the last, and their indices. */
    <X extends Tensor, const K extends number>(
      this: X,
      k: K,
      options?: TopkOptions,
    ): Picked<TopkShape<X["shape"], -1, K>, X>;
    /** Returns the k largest or smallest elements along an axis, by default the last, and their indices. */
    <X extends Tensor, const K extends number, const A extends Axis>(
      this: X,
      k: K,
      axis: CheckedAxis<X["shape"], A>,
      options?: TopkOptions,
    ): Picked<TopkShape<X["shape"], A, K>, X>;
  };
}
interface TopkArguments extends AxisArguments {
  readonly k: number;
  readonly largest: boolean;
  readonly sorted: boolean;
}
/** Returns the k largest or smallest elements along an axis, by default the last, and their indices. */
export const topk: Topk = /* @__PURE__ */ picking<Topk, TopkArguments>(
  "topk(x, k, axis = -1; largest = true, sorted = true)",
  {
    batch: "along 2=-1",
    per({ k }, n) {
      if (Number.isInteger(k) && k >= 0 && k <= n) return k;
      throw new ShapeError(`topk: k must be from 0 to ${n}, the size of the axis, got ${k}`);
    },
    pick: ({ largest, sorted }, values, rows, n, indices) =>
      // The element of a 0-d tensor is picked even if k is 0.
      topkRows(values, rows, n, indices.length / rows, largest, sorted, indices),
  },
);

/** The options of ops that pick one element. */
export interface PickOptions extends PickedOut, KeepOption {}
type Along<X extends Tensor, A, O> = Picked<ReducedShape<X["shape"], A, O>, X>;

/** Throws if the axis is empty. */
function checkElements(who: string, n: number, axis: number): null {
  if (n > 0) return null;
  throw new IndexError(`${who}: axis ${axis} must not be empty. Check the size first`);
}

/** The type of kthvalue. */
export interface Kthvalue extends OpFunction {
  <X extends Tensor, const O extends PickOptions | undefined = undefined>(
    x: X,
    k: number,
    options?: O,
  ): Along<X, -1, O>;
  <X extends Tensor, const A extends Axis, const O extends PickOptions | undefined = undefined>(
    x: X,
    k: number,
    axis: CheckedAxis<X["shape"], A>,
    options?: O,
  ): Along<X, A, O>;
  readonly method: {
    <X extends Tensor, const O extends PickOptions | undefined = undefined>(
      this: X,
      k: number,
      options?: O,
    ): Along<X, -1, O>;
    <X extends Tensor, const A extends Axis, const O extends PickOptions | undefined = undefined>(
      this: X,
      k: number,
      axis: CheckedAxis<X["shape"], A>,
      options?: O,
    ): Along<X, A, O>;
  };
}
/** Returns the k-th smallest element along an axis, counted from 1, and its index. */
export const kthvalue: Kthvalue = /* @__PURE__ */ picking<Kthvalue, AxisArguments & { readonly k: number }>(
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
  <X extends Tensor, const O extends PickOptions | undefined = undefined>(x: X, options?: O): Along<X, -1, O>;
  <X extends Tensor, const A extends Axis, const O extends PickOptions | undefined = undefined>(
    x: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: O,
  ): Along<X, A, O>;
  readonly method: {
    <X extends Tensor, const O extends PickOptions | undefined = undefined>(this: X, options?: O): Along<X, -1, O>;
    <X extends Tensor, const A extends Axis, const O extends PickOptions | undefined = undefined>(
      this: X,
      axis: CheckedAxis<X["shape"], A>,
      options?: O,
    ): Along<X, A, O>;
  };
}
/** Returns the most frequent element along an axis (the smallest if several are equally frequent), and its index. */
export const mode: ModeOf = /* @__PURE__ */ picking<ModeOf, AxisArguments>("mode(x, axis = -1; keepdims = false)", {
  per: (_, n, axis) => checkElements("mode", n, axis),
  pick: (_, values, rows, n, indices) => modeRows(values, rows, n, indices),
});

/** The type of medians. */
export interface Median extends OpFunction {
  /** Returns the median of all elements, the lower of the two middle ones if their number is even. */
  <X extends Tensor, const O extends Pick<PickOptions, "keepdims"> | undefined = undefined>(
    x: X,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], undefined, O>, X["dtype"]>;
  /** Returns the medians along an axis, the lower of the two middle elements if their number is even, and their indices. */
  <X extends Tensor, const A extends Axis, const O extends PickOptions | undefined = undefined>(
    x: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: O,
  ): Along<X, A, O>;
  readonly method: {
    /** Returns the median of all elements, the lower of the two middle ones if their number is even. */
    <X extends Tensor, const O extends Pick<PickOptions, "keepdims"> | undefined = undefined>(
      this: X,
      options?: O,
    ): Tensor<ReducedShape<X["shape"], undefined, O>, X["dtype"]>;
    /** Returns the medians along an axis, the lower of the two middle elements if their number is even, and their indices. */
    <X extends Tensor, const A extends Axis, const O extends PickOptions | undefined = undefined>(
      this: X,
      axis: CheckedAxis<X["shape"], A>,
      options?: O,
    ): Along<X, A, O>;
  };
}
interface MedianArguments {
  readonly x: Tensor;
  readonly axis: Axis | null;
  readonly keepdims: boolean;
  readonly out: PickedOut["out"];
}

function medianOp(name: "median" | "nanmedian"): Median {
  const spec: Picking<AxisArguments> = {
    batch: "along 1",
    per: (_, n, axis) => checkElements(name, n, axis),
    pick: (_, values, rows, n, indices) => medianRows(values, rows, n, name === "nanmedian", indices),
  };
  const pickBy = (kind: string, gradient?: typeof pickGradient) =>
    picking<OpFunction, AxisArguments>(
      `${name}${kind}(x, axis; keepdims = false)`,
      spec,
      name,
      gradient,
    ) as unknown as (x: Tensor, axis: Axis, options?: PickOptions) => Picked<Shape, Tensor>;
  const [along, ofAll] = [pickBy("Along"), pickBy("OfAll", equalsGradient)];
  return routineOfOps(
    `${name}(x, axis = null; keepdims = false, out = null)`,
    ({ x, axis, keepdims, out }: MedianArguments) => {
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
        throw new ShapeError(`${name}: x must not be empty for integers, got shape ${showShape(x)}`);
      // The mean of no floats is NaN, and so is their median.
      return mean(x, undefined, { keepdims });
    },
  );
}
/** Returns the median of all elements, or the medians along an axis and their indices. For an even number of elements it is the lower of the two middle ones. */
export const median: Median = /* @__PURE__ */ medianOp("median");
/** Returns the median of all elements that are not NaN, or the medians along an axis and their indices. */
export const nanmedian: Median = /* @__PURE__ */ medianOp("nanmedian");

/** The ops that are methods of tensors. */
export default [sort, argsort, msort, topk, kthvalue, mode, median, nanmedian];
