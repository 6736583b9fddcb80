/**
 * Writing along an axis by index: single elements (scatter), or whole rows (indexAdd and similar ops), replacing the elements of the
 * tensor, added to them, or combined with them. If several values go to one element, they are written in a fixed order.
 */

import { IndexError, ShapeError, StridewiseError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { exactValue } from "../../kernel/checked-value.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { noOrder } from "../../kernel/reduce/reductions.ts";
import type { IndexedMove } from "../../kernel/scatter.ts";
import { type DType, isComplexDType, isIntegerDType, type Value } from "../../storage/dtype.ts";
import { inferDType, resultType } from "../../storage/promotion.ts";
import { alongAxis, lowerAlong, withAxis } from "../../tensor/access/by-index.ts";
import { alongBounds, checkIndexDType, lowerIndexCheck, rowBounds } from "../../tensor/access/index-range.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { lowerContiguous, lowerFillAll, lowerTo, scratchTensor } from "../../tensor/lowering.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { expand } from "../../tensor/views/views-shape.ts";
import { differingDTypes } from "../dtype-errors.ts";
import { clampMin, div, floorDivide, mul } from "../elementwise/arithmetic.ts";
import type { ByIndex } from "../index-arguments.ts";
import { lowerOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import type { IndexTensor, Keeps, TensorOrNumber, Writes } from "./movement-types.ts";
import {
  addGradient,
  combineGradient,
  fillGradient,
  type ScatterReduction,
  scatterGradient,
  setGradient,
} from "./scatter-gradient.ts";
import { changedCopy, changeInPlace, type WriteOpDefinition } from "./writing.ts";

const moves: Readonly<Record<ScatterReduction, IndexedMove>> = {
  sum: "add",
  prod: "mul",
  mean: "add",
  amax: "max",
  amin: "min",
};

/** Throws if the value of `reduce` is unknown, or not defined for the dtype. */
function checkCombining(who: string, combining: unknown, dtype: DType, known = Object.keys(moves)): void {
  if (!known.includes(combining as ScatterReduction))
    throw new StridewiseError(
      `${who}: reduce must be ${known.slice(0, -1).join(", ")} or ${known.at(-1)}, got ${typeof combining === "string" ? combining : describeValue(combining)}.`,
    );
  if (isComplexDType(dtype) && (combining === "amax" || combining === "amin")) throw noOrder(who, combining, dtype);
}

interface CombiningOptions extends OutOption {
  /** Whether the elements of x take part; if false, they are replaced where something is written. Default: true. */
  readonly includeSelf?: boolean | undefined;
}

/** A number, or the element of a 0-d tensor, as a tensor of a shape, by strides of 0. */
function repeated(builder: ProgramBuilder, value: Value | Tensor, dtype: DType, shape: readonly number[]): Tensor {
  if (value instanceof Tensor) return expand(lowerTo(builder, value, dtype, "fill"), shape);
  const one = scratchTensor(builder, dtype, []);
  lowerFillAll(builder, one, value, "fill");
  return expand(one, shape);
}

/** The checked operands of a write along an axis; all have at least one axis. */
interface Prepared {
  readonly target: Tensor;
  readonly axis: number;
  readonly values: Tensor;
  readonly index: Tensor;
}

/** Returns the function that writes, adds or multiplies the values. */
const writeAlong =
  (builder: ProgramBuilder, move: IndexedMove, { target, axis, values, index }: Prepared): (() => void) =>
  () =>
    lowerAlong(builder, move, target, axis, values, index, true);

/** Adds steps that combine the values with the elements of the target. */
function combineAlong(
  builder: ProgramBuilder,
  { target, axis, values, index }: Prepared,
  combining: ScatterReduction,
  includeSelf: boolean,
): void {
  const { dtype } = target;
  const shape = sizesOf(values);
  if (!includeSelf) {
    const isOrdered = combining === "amax" || combining === "amin";
    const start = isOrdered ? values : repeated(builder, combining === "prod" ? 1 : 0, dtype, shape);
    lowerAlong(builder, "set", target, axis, start, index);
  }
  lowerAlong(builder, moves[combining], target, axis, values, index);
  if (combining !== "mean") return;
  const counts = scratchTensor(builder, "int64", sizesOf(target));
  lowerFillAll(builder, counts, includeSelf ? 1 : 0, "mean");
  lowerAlong(builder, "add", counts, axis, repeated(builder, 1, "int64", shape), index);
  lowerOp(builder, clampMin, counts, 1, { out: counts });
  lowerOp(builder, isIntegerDType(dtype) ? floorDivide : div, target, counts, { out: target });
}

const sizesWithAxis = (t: Tensor): number[] => sizesOf(withAxis(t));

/** Throws unless index and source fit a tensor whose single elements are written. */
function checkElements(who: string, x: Tensor, axis: Axis, index: Tensor, source: TensorOrNumber): void {
  checkTensor(who, index);
  const at = axisOf(who, x, axis);
  checkIndexDType(who, index);
  if (!(source instanceof Tensor)) exactValue(who, source, x.dtype);
  else if (source.dtype !== x.dtype)
    throw differingDTypes(who, "x and src", x.dtype, source.dtype, `Convert it: src.to("${x.dtype}")`);
  if (index.size === 0) return;
  const [shape, sizes] = [sizesWithAxis(index), sizesWithAxis(x)];
  const src = source instanceof Tensor ? sizesWithAxis(source) : null;
  for (const [other, theirs] of Object.entries({ x: sizes, src: src ?? shape }))
    if (shape.length !== theirs.length)
      throw new ShapeError(`${who}: index must have as many axes as ${other}, got ${show(shape)} for ${show(theirs)}`);
  if (shape.some((size, d) => (d !== at && size > sizes[d]) || (src !== null && size > src[d])))
    throw new ShapeError(
      `${who}: index ${show(shape)} must not be larger than x ${show(sizes)} except along axis ${at}${src === null ? "" : `, nor than src ${show(src)}`}`,
    );
}

/** The operands of a write of single elements. */
function elements(
  builder: ProgramBuilder,
  who: string,
  x: Tensor,
  axis: Axis,
  index: Tensor,
  source: TensorOrNumber,
): Prepared {
  const target = withAxis(x);
  const at = axisOf(who, target, axis);
  lowerIndexCheck(builder, who, index, alongBounds(sizesOf(target)[at], at));
  const indices = withAxis(index);
  const shape = sizesOf(indices);
  const whole = source instanceof Tensor ? withAxis(source) : repeated(builder, source, x.dtype, shape);
  const values = shape.reduce((part, size, d) => (sizesOf(part)[d] === size ? part : narrow(part, d, 0, size)), whole);
  return { target, axis: at, values, index: indices };
}

type ScatterOptions = OutOption & {
  /** The operation that combines values with the elements of x. Without it, values replace elements. */
  readonly reduce?: "add" | "multiply" | undefined;
};
type ScatterArguments = [axis: Axis, index: IndexTensor, src: TensorOrNumber, options?: ScatterOptions];

const scattering: WriteOpDefinition<ScatterArguments> = {
  name: "scatter",
  parameters: "axis: any, index: Index, ",
  batch: "alongIndex",
  gradient: scatterGradient,
  options: "reduce",
  check(x, axis, index, src, options) {
    const { reduce } = options ?? {};
    if (reduce !== undefined) checkCombining("scatter", reduce, x.dtype, ["add", "multiply"]);
    checkElements("scatter", x, axis, index, src);
  },
  write(builder, x, axis, index, src, options) {
    if (index.size === 0) return null;
    const reduce = options?.reduce;
    const move = reduce === undefined ? "set" : reduce === "add" ? "add" : "mul";
    return writeAlong(builder, move, elements(builder, "scatter", x, axis, index, src));
  },
};

type ScatterAddArguments = [axis: Axis, index: IndexTensor, src: Tensor, options?: OutOption];

const scatterAdding: WriteOpDefinition<ScatterAddArguments> = {
  name: "scatterAdd",
  parameters: "axis: any, index: Index, ",
  linear: "0,3",
  batch: "alongIndex",
  gradient: /* @__PURE__ */ addGradient("element"),
  check(x, axis, index, src) {
    checkTensor("scatterAdd", src);
    checkElements("scatterAdd", x, axis, index, src);
  },
  write: (builder, x, axis, index, src) =>
    index.size === 0 ? null : writeAlong(builder, "add", elements(builder, "scatterAdd", x, axis, index, src)),
};

type ScatterReduceArguments = [
  axis: Axis,
  index: IndexTensor,
  src: Tensor,
  reduce: ScatterReduction,
  options?: CombiningOptions,
];

const scatterCombining: WriteOpDefinition<ScatterReduceArguments> = {
  name: "scatterReduce",
  parameters: "axis: any, index: Index, ",
  batch: "alongIndex",
  gradient: /* @__PURE__ */ combineGradient("element"),
  options: "includeSelf",
  check(x, axis, index, src, reduce) {
    checkTensor("scatterReduce", src);
    checkCombining("scatterReduce", reduce, x.dtype);
    checkElements("scatterReduce", x, axis, index, src);
  },
  write(builder, x, axis, index, src, reduce, options) {
    if (index.size === 0) return null;
    const prepared = elements(builder, "scatterReduce", x, axis, index, src);
    return () => combineAlong(builder, prepared, reduce, options?.includeSelf ?? true);
  },
};

function checkRowIndex(who: string, x: Tensor, axis: Axis, index: Tensor): void {
  checkTensor(who, index);
  axisOf(who, x, axis);
  checkIndexDType(who, index);
  if (index.rank > 1) throw new IndexError(`${who}: index must have one axis, got shape ${showShape(index)}`);
}

/** Throws unless index and source fit a tensor whose rows are written. */
function checkRows(who: string, x: Tensor, axis: Axis, index: Tensor, source: Tensor): void {
  checkRowIndex(who, x, axis, index);
  checkTensor(who, source);
  if (source.dtype !== x.dtype)
    throw differingDTypes(who, "x and source", x.dtype, source.dtype, `Convert it: source.to("${x.dtype}")`);
  const at = axisOf(who, x, axis);
  const expected = x.rank === 0 ? [1] : sizesOf(x).with(at, index.size);
  const shape = sizesWithAxis(source);
  if (show(expected) !== show(shape))
    throw new ShapeError(
      `${who}: source must have shape ${show(expected)} for ${index.size} indices, got ${show(shape)}`,
    );
}

/** The operands of a write of rows. */
function rows(builder: ProgramBuilder, who: string, x: Tensor, axis: Axis, index: Tensor, source: Tensor): Prepared {
  const target = withAxis(x);
  const at = axisOf(who, target, axis);
  return { target, axis: at, values: withAxis(source), index: rowIndex(builder, who, target, at, index) };
}

/** Adds a check of the indices of rows, and returns them with the shape of the rows. */
function rowIndex(
  builder: ProgramBuilder,
  who: string,
  target: Tensor,
  at: number,
  index: Tensor,
  isNegativeAllowed = false,
): Tensor {
  const sizes = sizesOf(target);
  lowerIndexCheck(builder, who, index, rowBounds(sizes[at], isNegativeAllowed));
  return alongAxis(lowerContiguous(builder, index, who), at, sizes.with(at, index.size));
}

type RowArguments = [axis: Axis, index: IndexTensor, source: Tensor, options?: OutOption];
type AddOptions = OutOption & {
  /** The factor of the source. Default: 1. */
  readonly alpha?: number | undefined;
};
type RowAddArguments = [axis: Axis, index: IndexTensor, source: Tensor, options?: AddOptions];

/** Returns the source times a number, converted to its dtype, in the workspace. */
function lowerScaled(builder: ProgramBuilder, source: Tensor, alpha: number): Tensor {
  const { dtype } = source;
  const product = resultType({ dtype, bucket: "tensor" }, { dtype: inferDType(alpha), bucket: "number" });
  const scaled = scratchTensor(builder, product, sizesOf(source));
  lowerOp(builder, mul, source, alpha, { out: scaled });
  return lowerTo(builder, scaled, dtype, "indexAdd");
}

const rowAdding: WriteOpDefinition<RowAddArguments> = {
  name: "indexAdd",
  parameters: "axis: any, index: Index, ",
  linear: "0,3",
  batch: "rowIndex",
  gradient: /* @__PURE__ */ addGradient("row"),
  options: "alpha",
  check: (x, axis, index, source) => checkRows("indexAdd", x, axis, index, source),
  write(builder, x, axis, index, source, options) {
    const alpha = options?.alpha ?? 1;
    const scaled = alpha === 1 ? source : lowerScaled(builder, source, alpha);
    return writeAlong(builder, "add", rows(builder, "indexAdd", x, axis, index, scaled));
  },
};

const rowCopying: WriteOpDefinition<RowArguments> = {
  name: "indexCopy",
  parameters: "axis: any, index: Index, ",
  linear: "0,3",
  batch: "rowIndex",
  gradient: /* @__PURE__ */ setGradient("row"),
  check: (x, axis, index, source) => checkRows("indexCopy", x, axis, index, source),
  write: (builder, x, axis, index, source) =>
    writeAlong(builder, "set", rows(builder, "indexCopy", x, axis, index, source)),
};

type RowFillArguments = [axis: Axis, index: IndexTensor, value: Value | Tensor, options?: OutOption];

const rowFilling: WriteOpDefinition<RowFillArguments> = {
  name: "indexFill",
  parameters: "axis: any, index: Index, ",
  linear: "0,3",
  batch: "rowIndex",
  gradient: fillGradient,
  check(x, axis, index, value) {
    checkRowIndex("indexFill", x, axis, index);
    if (!(value instanceof Tensor)) exactValue("indexFill", value, x.dtype);
    else if (value.rank > 0)
      throw new ShapeError(`indexFill: value must be a number or a 0-d tensor, got ${value.rank} axes.`);
  },
  write(builder, x, axis, index, value) {
    if (index.size === 0) return null;
    const target = withAxis(x);
    const at = axisOf("indexFill", target, axis);
    const indices = rowIndex(builder, "indexFill", target, at, index, true);
    const values = repeated(builder, value, x.dtype, sizesOf(indices));
    return writeAlong(builder, "set", { target, axis: at, values, index: indices });
  },
};

type RowReduceArguments = [
  axis: Axis,
  index: IndexTensor,
  source: Tensor,
  reduce: Exclude<ScatterReduction, "sum">,
  options?: CombiningOptions,
];

const rowCombining: WriteOpDefinition<RowReduceArguments> = {
  name: "indexReduce",
  parameters: "axis: any, index: Index, ",
  batch: "rowIndex",
  gradient: /* @__PURE__ */ combineGradient("row"),
  options: "includeSelf",
  check(x, axis, index, source, reduce) {
    checkCombining("indexReduce", reduce, x.dtype, ["prod", "mean", "amax", "amin"]);
    checkRows("indexReduce", x, axis, index, source);
  },
  write(builder, x, axis, index, source, reduce, options) {
    const prepared = rows(builder, "indexReduce", x, axis, index, source);
    return () => combineAlong(builder, prepared, reduce, options?.includeSelf ?? true);
  },
};

/** Returns a copy of x with the elements of src, or a number, written along an axis at the given indices. For a matrix and axis 1: result[i][index[i][j]] = src[i][j]. */
export const scatter: Keeps<ByIndex<ScatterArguments>> = /* @__PURE__ */ changedCopy(scattering);
/** Writes the elements of src, or a number, along an axis at the given indices. */
export const scatter_: Writes<ByIndex<ScatterArguments>> = /* @__PURE__ */ changeInPlace(scattering);
/** Returns a copy of x with the elements of src added along an axis at the given indices. */
export const scatterAdd: Keeps<ByIndex<ScatterAddArguments>> = /* @__PURE__ */ changedCopy(scatterAdding);
/** Adds the elements of src along an axis at the given indices. */
export const scatterAdd_: Writes<ByIndex<ScatterAddArguments>> = /* @__PURE__ */ changeInPlace(scatterAdding);
/** Returns a copy of x with the elements of src combined along an axis at the given indices by sum, prod, mean, amax or amin. */
export const scatterReduce: Keeps<ByIndex<ScatterReduceArguments>> = /* @__PURE__ */ changedCopy(scatterCombining);
/** Combines the elements of src along an axis at the given indices by sum, prod, mean, amax or amin. */
export const scatterReduce_: Writes<ByIndex<ScatterReduceArguments>> = /* @__PURE__ */ changeInPlace(scatterCombining);
/** Returns a copy of x with the slices of source along the axis, times alpha, added to the slices at the given indices. */
export const indexAdd: Keeps<ByIndex<RowAddArguments>> = /* @__PURE__ */ changedCopy(rowAdding);
/** Adds the rows of source, times alpha, to the rows at the given indices. */
export const indexAdd_: Writes<ByIndex<RowAddArguments>> = /* @__PURE__ */ changeInPlace(rowAdding);
/** Returns a copy of x with the slices of source along the axis copied to the given indices. */
export const indexCopy: Keeps<ByIndex<RowArguments>> = /* @__PURE__ */ changedCopy(rowCopying);
/** Copies the rows of source to the given indices. */
export const indexCopy_: Writes<ByIndex<RowArguments>> = /* @__PURE__ */ changeInPlace(rowCopying);
/** Returns a copy of x with the slices along the axis at the given indices filled with one value. */
export const indexFill: Keeps<ByIndex<RowFillArguments>> = /* @__PURE__ */ changedCopy(rowFilling);
/** Fills the rows at the given indices with one value. */
export const indexFill_: Writes<ByIndex<RowFillArguments>> = /* @__PURE__ */ changeInPlace(rowFilling);
/** Returns a copy of x with the slices of source along the axis combined with the slices at the given indices by prod, mean, amax or amin. */
export const indexReduce: Keeps<ByIndex<RowReduceArguments>> = /* @__PURE__ */ changedCopy(rowCombining);
/** Combines the rows of source with the rows at the given indices by prod, mean, amax or amin. */
export const indexReduce_: Writes<ByIndex<RowReduceArguments>> = /* @__PURE__ */ changeInPlace(rowCombining);
