/**
 * Padding of axes at both ends, or cropping where a number is negative. The numbers are pairs, before and after, for the last axis
 * first, as in PyTorch.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { exactValue } from "../../kernel/checked-value.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import type { Value } from "../../storage/dtype.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { lowerFillAll } from "../../tensor/lowering.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { indicesLike } from "../composite/tensors-like.ts";
import { structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import * as views from "../views.ts";
import { rowIndices, scatterAddUnchecked } from "./gather-scatter.ts";
import type { MovesFunction } from "./movement-types.ts";
import { lowerRuns, type Run } from "./runs.ts";

/** The values of added elements. */
export type PadMode = "constant" | "reflect" | "replicate" | "circular";

type Ends = (size: number, before: number, after: number) => readonly Pick<Run, "first" | "step">[];

/** The runs of source elements before and after an axis; none for a constant. */
const ends: Readonly<Record<PadMode, Ends>> = {
  constant: () => [],
  reflect: (size, before) => [
    { first: before, step: -1 },
    { first: size - 2, step: -1 },
  ],
  replicate: (size) => [
    { first: 0, step: 0 },
    { first: size - 1, step: 0 },
  ],
  circular: (size, before) => [
    { first: size - before, step: 1 },
    { first: 0, step: 1 },
  ],
};

/** The runs of a padded axis: before it, its own elements, and after it, all clipped to the result. */
function runsFor(mode: PadMode, size: number, before: number, after: number): Run[] {
  const [front, back] = ends[mode](size, before, after);
  const runs: Run[] = [{ at: before, first: 0, count: size, step: 1 }];
  if (front !== undefined) runs.push({ ...front, at: 0, count: before });
  if (back !== undefined) runs.push({ ...back, at: before + size, count: after });
  return runs.map(({ at, first, count, step }) => {
    const skipped = Math.max(0, -at);
    const end = Math.min(at + count, before + size + after);
    return { at: at + skipped, first: first + skipped * step, count: end - at - skipped, step };
  });
}

/** The numbers before and after each axis. */
function padsOf(who: string, x: Tensor, pad: readonly number[]): readonly (readonly [number, number])[] {
  if (!Array.isArray(pad) || pad.some((size) => !Number.isSafeInteger(size)))
    throw new ShapeError(`${who}: pad must be a list of integers, got ${describeValue(pad)}`);
  if (pad.length % 2 !== 0) throw new ShapeError(`${who}: pad must have two numbers for each axis, got ${pad.length}`);
  if (pad.length > 2 * x.rank)
    throw new ShapeError(
      `${who}: pad must have at most two numbers for each axis, got ${pad.length} for ${x.rank} axes`,
    );
  return sizesOf(x).map((_, axis) => {
    const at = 2 * (x.rank - 1 - axis);
    return [pad[at] ?? 0, pad[at + 1] ?? 0];
  });
}

function paddedShape(who: string, x: Tensor, pad: readonly number[], mode: PadMode, value: Value = 0): number[] {
  if (!Object.hasOwn(ends, mode))
    throw new StridewiseError(
      `${who}: unknown mode ${describeValue(mode)}. The modes are ${Object.keys(ends).join(", ")}`,
    );
  if (mode !== "constant" && value !== 0)
    throw new StridewiseError(`${who}: mode ${mode} takes no value, got ${describeValue(value)}.`);
  const pads = padsOf(who, x, pad);
  const axes = pad.length / 2;
  if (mode !== "constant" && (axes < 1 || axes > 3 || (x.rank !== axes + 1 && x.rank !== axes + 2)))
    throw new ShapeError(
      `${who}: mode ${mode} pads the last k axes of a tensor with k + 1 or k + 2 axes (k = 1, 2 or 3), got k = ${axes} and ${x.rank} axes`,
    );
  return sizesOf(x).map((size, axis) => {
    const [before, after] = pads[axis];
    const max = Math.max(before, after);
    if (mode === "reflect" && max >= size && max > 0)
      throw new ShapeError(
        `${who}: padding must be smaller than the axis, got (${before}, ${after}) at axis ${axis} of ${showShape(x)}`,
      );
    if (mode === "circular" && max > size)
      throw new ShapeError(
        `${who}: padding (${before}, ${after}) wraps around more than once at axis ${axis} of size ${size}`,
      );
    const result = size + before + after;
    if (mode === "replicate" && size === 0 && result > 0)
      throw new ShapeError(`${who}: replicate padding needs at least one element, but axis ${axis} is empty`);
    if (result < 0)
      throw new ShapeError(
        `${who}: padding (${before}, ${after}) of axis ${axis} with size ${size} results in a negative size`,
      );
    return result;
  });
}

function lowerPadded(
  builder: ProgramBuilder,
  who: string,
  result: Tensor,
  x: Tensor,
  pad: readonly number[],
  mode: PadMode,
  value: Value,
): void {
  if (mode === "constant") lowerFillAll(builder, result, value, who);
  // Circular padding repeats the elements that remain after cropping.
  const cropped = mode === "circular" ? padsOf(who, x, pad).map((each) => each.map((by) => Math.min(by, 0))) : [];
  const source = cropped.reduce<Tensor>(
    (part, [before = 0, after = 0], axis) =>
      before + after === 0 ? part : narrow(part, axis, -before, sizeAt(x, axis) + before + after),
    x,
  );
  lowerRuns(
    builder,
    source,
    result,
    padsOf(who, x, pad).map(([before, after], axis) => {
      if (before === 0 && after === 0) return null;
      if (mode === "circular") return runsFor(mode, sizeAt(source, axis), Math.max(before, 0), Math.max(after, 0));
      return runsFor(mode, sizeAt(x, axis), before, after);
    }),
  );
}

export interface PadOptions extends OutOption {
  readonly mode?: PadMode | undefined;
  /** The value of added elements in mode "constant". Default: 0. */
  readonly value?: Value | undefined;
}

/** Crops the padding; if it was copied from the tensor, its gradient is added to the copied elements, axis by axis. */
const padGradient: GradientRule = (call) => {
  const [x, pad, options] = call.args as [Tensor, readonly number[], PadOptions?];
  const mode = options?.mode ?? "constant";
  if (mode === "constant")
    return ([g]) => [
      call.again(
        g,
        pad.map((by) => -by + 0),
      ) as Tensor,
    ];
  const shape = sizesOf(x);
  return ([ofResult]) => {
    let g = ofResult;
    for (let k = 0; 2 * k < pad.length; k++) {
      const axis = shape.length - 1 - k;
      const numbers = views.reshape(indicesLike(x, shape[axis]), [1, -1]);
      const indices = call.again(numbers, pad.slice(2 * k, 2 * k + 2), { mode }) as Tensor;
      const sizes = sizesOf(g);
      g = scatterAddUnchecked(g, axis, rowIndices(indices, axis, sizes), sizes.with(axis, shape[axis]));
    }
    return [g];
  };
};

/** Pads the last axes at both ends with a constant, or by reflecting, replicating or wrapping around the elements. `pad` lists both ends of the last axis first: [left, right, top, bottom]. */
export const pad: MovesFunction<[pad: readonly number[], options?: PadOptions]> = /* @__PURE__ */ structuredOp(
  "pad(x: Tensor, pad: int[]; mode, value)",
  "movement",
  {
    linear: "0,value",
    batch: "pad",
    infer: (x: Tensor, list: readonly number[], { mode = "constant", value = 0 }: PadOptions = {}) => ({
      shape: paddedShape("pad", x, list, mode, value),
      dtype: x.dtype,
      names: x.names,
    }),
    lower(builder, [result], x: Tensor, list: readonly number[], { mode = "constant", value = 0 }: PadOptions = {}) {
      lowerPadded(builder, "pad", result, x, list, mode, exactValue("pad", value, x.dtype));
    },
    gradient: padGradient,
  },
);

/** Pads the last axes at both ends with a constant. `pad` lists both ends of the last axis first. */
export const constantPadNd: MovesFunction<[pad: readonly number[], value?: Value, options?: OutOption]> =
  /* @__PURE__ */ structuredOp("constantPadNd(x: Tensor, pad: int[], ...)", "movement", {
    linear: "0,2",
    batch: "pad",
    infer: (x: Tensor, list: readonly number[]) => ({
      shape: paddedShape("constantPadNd", x, list, "constant"),
      dtype: x.dtype,
      names: x.names,
    }),
    lower(builder, [result], x: Tensor, list: readonly number[], value: Value = 0) {
      const checked = exactValue("constantPadNd", value, x.dtype);
      lowerPadded(builder, "constantPadNd", result, x, list, "constant", checked);
    },
    gradient: padGradient,
  });
