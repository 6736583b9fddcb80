/**
 * Writing whole rows of an axis by a list of indices: row k of the source goes to row index[k] of the tensor, in place of it, added to
 * it, or combined with it in another way.
 */
import { IndexError, ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { exactValue } from "../../kernel/checked-value.ts";
import type { Value } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { contiguous, to } from "../../tensor/clone.ts";
import { scalarOf } from "../../tensor/elements.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { differingDTypes } from "../dtype-errors.ts";
import { mul } from "../elementwise/arithmetic.ts";
import type { OutOption } from "../op-types.ts";
import {
  type Combining,
  type CombiningOptions,
  checkCombining,
  combineAlong,
  type Prepared,
  repeated,
  writeAlong,
} from "./combine.ts";
import { checkedIndices, checkIndexDType } from "./index-range.ts";
import { rowRule } from "./index-rules.ts";
import { alongAxis, withAxis } from "./indexed.ts";
import type { IndexTensor } from "./movement-types.ts";
import { addGradient, combineGradient, fillGradient, setGradient } from "./write-gradient.ts";
import type { Writing } from "./writing.ts";

function checkIndex(who: string, x: Tensor, axis: Axis, index: Tensor): void {
  checkTensor(who, index);
  axisOf(who, x, axis);
  checkIndexDType(who, index);
  if (index.rank > 1) throw new IndexError(`${who}: index must have one axis, got shape ${showShape(index)}`);
}

function checkRows(who: string, x: Tensor, axis: Axis, index: Tensor, source: Tensor): void {
  checkIndex(who, x, axis, index);
  checkTensor(who, source);
  if (source.dtype !== x.dtype)
    throw differingDTypes(who, "x and source", x.dtype, source.dtype, `Convert it: source.to("${x.dtype}")`);
  const at = axisOf(who, x, axis);
  const wanted = x.rank === 0 ? [1] : sizesOf(x).with(at, index.size);
  const given = source.rank === 0 ? [1] : sizesOf(source);
  if (wanted.length !== given.length || wanted.some((size, d) => size !== given[d]))
    throw new ShapeError(
      `${who}: source must have shape ${show(wanted)} for ${index.size} indices, got ${show(given)}`,
    );
}

/** Everything that writing rows needs, checked. */
function rows(who: string, x: Tensor, axis: Axis, index: Tensor, source: Tensor | Value, rule = rowRule()): Prepared {
  const target = withAxis(x);
  const at = axisOf(who, target, axis);
  const sizes = sizesOf(target);
  const places = contiguous(checkedIndices(who, index, sizes[at], rule));
  const shape = sizes.with(at, index.size);
  const near = source instanceof Tensor ? withAxis(source) : repeated(source, x.dtype, shape);
  return { target, axis: at, near, places: alongAxis(places, at, shape) };
}

export type RowArguments = [axis: Axis, index: IndexTensor, source: Tensor, options?: OutOption];
type AddOptions = OutOption & {
  /** A number that the source is multiplied by. */
  readonly alpha?: number | undefined;
};
export type RowAddArguments = [axis: Axis, index: IndexTensor, source: Tensor, options?: AddOptions];

export const rowAdding: Writing<RowAddArguments> = {
  name: "indexAdd",
  linear: "0,3",
  batch: "rowIndex",
  gradient: /* @__PURE__ */ addGradient("row"),
  options: "alpha",
  check: (x, axis, index, source) => checkRows("indexAdd", x, axis, index, source),
  write(x, axis, index, source, options) {
    const alpha = options?.alpha ?? 1;
    const scaled = alpha === 1 ? source : to(mul(source, alpha), x.dtype);
    return writeAlong("add", rows("indexAdd", x, axis, index, scaled));
  },
};

export const rowCopying: Writing<RowArguments> = {
  name: "indexCopy",
  linear: "0,3",
  batch: "rowIndex",
  gradient: /* @__PURE__ */ setGradient("row"),
  check: (x, axis, index, source) => checkRows("indexCopy", x, axis, index, source),
  write: (x, axis, index, source) => writeAlong("set", rows("indexCopy", x, axis, index, source)),
};

export type RowFillArguments = [axis: Axis, index: IndexTensor, value: Value | Tensor, options?: OutOption];

export const rowFilling: Writing<RowFillArguments> = {
  name: "indexFill",
  linear: "0,3",
  batch: "rowIndex",
  gradient: fillGradient,
  check(x, axis, index, value) {
    checkIndex("indexFill", x, axis, index);
    if (value instanceof Tensor && value.rank > 0)
      throw new ShapeError(`indexFill: value must be a number or a tensor without axes, got ${value.rank} axes.`);
    if (!(value instanceof Tensor)) exactValue("indexFill", value, x.dtype);
  },
  write(x, axis, index, value) {
    if (index.size === 0) return null;
    return writeAlong("set", rows("indexFill", x, axis, index, scalarOf("indexFill", value), rowRule(true)));
  },
};

export type RowReduceArguments = [
  axis: Axis,
  index: IndexTensor,
  source: Tensor,
  reduce: Exclude<Combining, "sum">,
  options?: CombiningOptions,
];

export const rowCombining: Writing<RowReduceArguments> = {
  name: "indexReduce",
  batch: "rowIndex",
  gradient: /* @__PURE__ */ combineGradient("row"),
  options: "includeSelf",
  check(x, axis, index, source, reduce) {
    checkCombining("indexReduce", reduce, x.dtype, ["prod", "mean", "amax", "amin"]);
    checkRows("indexReduce", x, axis, index, source);
  },
  write(x, axis, index, source, reduce, options) {
    const all = rows("indexReduce", x, axis, index, source);
    return () => combineAlong(all, reduce, options?.includeSelf ?? true);
  },
};
