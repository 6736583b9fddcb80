/**
 * Writing along an axis by index: each element of the source goes to the place that the index at its coordinate says, in place of what
 * is there, added to it, or combined in another way. Where several go to one place they do so one after the other, always in
 * the same order.
 */

import { ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { exactValue } from "../../kernel/checked-value.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { differingDTypes } from "../dtype-errors.ts";
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
import { alongRule } from "./index-rules.ts";
import { withAxis } from "./indexed.ts";
import type { IndexTensor, TensorOrNumber } from "./movement-types.ts";
import { addGradient, combineGradient, scatterGradient } from "./write-gradient.ts";
import type { Writing } from "./writing.ts";

function checkShapes(who: string, x: Tensor, axis: Axis, index: Tensor, source: TensorOrNumber): void {
  checkTensor(who, index);
  const at = axisOf(who, x, axis);
  checkIndexDType(who, index);
  if (source instanceof Tensor && source.dtype !== x.dtype)
    throw differingDTypes(who, "x and src", x.dtype, source.dtype, `Convert it: src.to("${x.dtype}")`);
  if (!(source instanceof Tensor)) exactValue(who, source, x.dtype);
  if (index.size === 0) return;
  const [shape, sizes] = [raised(index), raised(x)];
  const given = source instanceof Tensor ? raised(source) : null;
  for (const [other, theirs] of Object.entries({ self: sizes, src: given ?? shape }))
    if (shape.length !== theirs.length)
      throw new ShapeError(`${who}: index must have as many axes as ${other}, got ${show(shape)} for ${show(theirs)}`);
  if (
    shape.some((size, d) => d !== at && size > sizes[d]) ||
    (given !== null && shape.some((size, d) => size > given[d]))
  )
    throw new ShapeError(
      `${who}: index ${show(shape)} must fit in ${show(sizes)} apart from axis ${at}${given === null ? "" : ` and to be smaller size than src ${show(given)}`}`,
    );
}

const raised = (t: Tensor): number[] => sizesOf(withAxis(t));

function prepared(who: string, x: Tensor, axis: Axis, index: Tensor, source: TensorOrNumber): Prepared {
  const target = withAxis(x);
  const at = axisOf(who, target, axis);
  const places = checkedIndices(who, withAxis(index), sizesOf(target)[at], alongRule(at));
  const shape = sizesOf(places);
  const near = source instanceof Tensor ? withAxis(source) : repeated(source, x.dtype, shape);
  const cut = shape.reduce((part, size, d) => (sizesOf(part)[d] === size ? part : narrow(part, d, 0, size)), near);
  return { target, axis: at, near: cut, places };
}

type ScatterOptions = OutOption & {
  /** How what is written is combined with what is there; without it, it takes its place. */
  readonly reduce?: "add" | "multiply" | undefined;
};
export type ScatterArguments = [axis: Axis, index: IndexTensor, src: TensorOrNumber, options?: ScatterOptions];

export const scattering: Writing<ScatterArguments> = {
  name: "scatter",
  batch: "alongIndex",
  gradient: scatterGradient,
  options: "reduce",
  check(x, axis, index, src, options) {
    const { reduce } = options ?? {};
    if (reduce !== undefined) checkCombining("scatter", reduce, x.dtype, ["add", "multiply"]);
    checkShapes("scatter", x, axis, index, src);
  },
  write(x, axis, index, src, options) {
    if (index.size === 0) return null;
    const reduce = options?.reduce;
    const move = reduce === undefined ? "set" : reduce === "add" ? "add" : "mul";
    return writeAlong(move, prepared("scatter", x, axis, index, src));
  },
};

export type ScatterAddArguments = [axis: Axis, index: IndexTensor, src: Tensor, options?: OutOption];

export const scatterAdding: Writing<ScatterAddArguments> = {
  name: "scatterAdd",
  linear: "0,3",
  batch: "alongIndex",
  gradient: /* @__PURE__ */ addGradient("element"),
  check(x, axis, index, src) {
    checkTensor("scatterAdd", src);
    checkShapes("scatterAdd", x, axis, index, src);
  },
  write: (x, axis, index, src) =>
    index.size === 0 ? null : writeAlong("add", prepared("scatterAdd", x, axis, index, src)),
};

export type ScatterReduceArguments = [
  axis: Axis,
  index: IndexTensor,
  src: Tensor,
  reduce: Combining,
  options?: CombiningOptions,
];

export const scatterCombining: Writing<ScatterReduceArguments> = {
  name: "scatterReduce",
  batch: "alongIndex",
  gradient: /* @__PURE__ */ combineGradient("element"),
  options: "includeSelf",
  check(x, axis, index, src, reduce) {
    checkTensor("scatterReduce", src);
    checkCombining("scatterReduce", reduce, x.dtype);
    checkShapes("scatterReduce", x, axis, index, src);
  },
  write(x, axis, index, src, reduce, options) {
    if (index.size === 0) return null;
    const all = prepared("scatterReduce", x, axis, index, src);
    return () => combineAlong(all, reduce, options?.includeSelf ?? true);
  },
};
