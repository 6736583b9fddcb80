/**
 * Padding: elements added at both ends of axes, or taken away where a number is negative. The numbers come in pairs, before and behind,
 * for the last axis first, as in PyTorch.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { exactValue } from "../../kernel/checked-value.ts";
import type { Value } from "../../storage/dtype.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { fillUnchecked } from "../../tensor/in-place.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { padGradient } from "./layout-gradient.ts";
import type { MovesFunction } from "./movement-types.ts";
import { copyRuns, type Run } from "./runs.ts";

/** What stands where the tensor has no elements. */
export type PadMode = "constant" | "reflect" | "replicate" | "circular";

type Ends = (size: number, before: number, behind: number) => readonly Pick<Run, "first" | "step">[];

/** Which elements of an axis stand before and behind it; none for a constant. */
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

/** The runs of a padded axis: what stands before it, its elements, what stands behind, all cut to the size of the result. */
function runsFor(mode: PadMode, size: number, before: number, behind: number): Run[] {
  const [front, back] = ends[mode](size, before, behind);
  const runs: Run[] = [{ at: before, first: 0, count: size, step: 1 }];
  if (front !== undefined) runs.push({ ...front, at: 0, count: before });
  if (back !== undefined) runs.push({ ...back, at: before + size, count: behind });
  return runs.map(({ at, first, count, step }) => {
    const skipped = Math.max(0, -at);
    const end = Math.min(at + count, before + size + behind);
    return { at: at + skipped, first: first + skipped * step, count: end - at - skipped, step };
  });
}

/** Numbers before and behind of each axis. */
function padsOf(who: string, x: Tensor, pad: readonly number[]): readonly (readonly [number, number])[] {
  if (!Array.isArray(pad) || pad.some((size) => !Number.isSafeInteger(size)))
    throw new ShapeError(`${who}: the padding is a list of integers, got ${String(pad)}`);
  if (pad.length % 2 !== 0) throw new ShapeError(`${who}: takes two numbers for each axis, got ${pad.length}`);
  if (pad.length > 2 * x.rank)
    throw new ShapeError(`${who}: takes at most two numbers for each axis, got ${pad.length} for ${x.rank} axes`);
  return sizesOf(x).map((_, axis) => {
    const at = 2 * (x.rank - 1 - axis);
    return [pad[at] ?? 0, pad[at + 1] ?? 0];
  });
}

function paddedShape(who: string, x: Tensor, pad: readonly number[], mode: PadMode, value: Value = 0): number[] {
  if (!Object.hasOwn(ends, mode))
    throw new StridewiseError(
      `${who}: there is no mode ${String(mode)}; the modes are ${Object.keys(ends).join(", ")}`,
    );
  if (mode !== "constant" && value !== 0)
    throw new StridewiseError(`${who}: mode ${mode} takes no value, got ${describeValue(value)}.`);
  const pads = padsOf(who, x, pad);
  const axes = pad.length / 2;
  if (mode !== "constant" && (axes < 1 || axes > 3 || (x.rank !== axes + 1 && x.rank !== axes + 2)))
    throw new ShapeError(
      `${who}: ${mode} takes the last 1, 2 or 3 axes of a tensor with one or two more, got ${axes} of ${x.rank}`,
    );
  return sizesOf(x).map((size, axis) => {
    const [before, behind] = pads[axis];
    const most = Math.max(before, behind);
    if (mode === "reflect" && most >= size && most > 0)
      throw new ShapeError(
        `${who}: padding must be smaller than the axis, got (${before}, ${behind}) at axis ${axis} of ${showShape(x)}`,
      );
    if (mode === "circular" && most > size)
      throw new ShapeError(
        `${who}: padding (${before}, ${behind}) wraps around more than once at axis ${axis} of size ${size}`,
      );
    const result = size + before + behind;
    if (result < 0 || (mode === "replicate" && size === 0 && result > 0))
      throw new ShapeError(
        `${who}: padding ${before} and ${behind} of axis ${axis} with size ${size} gives a negative size`,
      );
    return result;
  });
}

function fillPadded(who: string, result: Tensor, x: Tensor, pad: readonly number[], mode: PadMode, value: Value): void {
  if (mode === "constant") fillUnchecked(result, value, who);
  // What circular padding repeats is what negative numbers leave.
  const cropped = mode === "circular" ? padsOf(who, x, pad).map((each) => each.map((by) => Math.min(by, 0))) : [];
  const source = cropped.reduce<Tensor>(
    (part, [before = 0, behind = 0], axis) =>
      before + behind === 0 ? part : narrow(part, axis, -before, sizeAt(x, axis) + before + behind),
    x,
  );
  copyRuns(
    source,
    result,
    padsOf(who, x, pad).map(([before, behind], axis) => {
      if (before === 0 && behind === 0) return null;
      if (mode === "circular") return runsFor(mode, sizeAt(source, axis), Math.max(before, 0), Math.max(behind, 0));
      return runsFor(mode, sizeAt(x, axis), before, behind);
    }),
  );
}

export interface PadOptions extends OutOption {
  readonly mode?: PadMode | undefined;
  /** What stands in the added places in mode "constant"; 0 if nothing is said. */
  readonly value?: Value | undefined;
}

/** The tensor with elements added at both ends of its last axes: a constant, reflected, the outermost repeated, or from the other end. */
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
    fill([result], x: Tensor, list: readonly number[], { mode = "constant", value = 0 }: PadOptions = {}) {
      fillPadded("pad", result, x, list, mode, exactValue("pad", value, x.dtype));
    },
    gradient: padGradient,
  },
);

/** The tensor with a constant added at both ends of its last axes. */
export const constantPadNd: MovesFunction<[pad: readonly number[], value?: Value, options?: OutOption]> =
  /* @__PURE__ */ structuredOp("constantPadNd(x: Tensor, pad: int[], ...)", "movement", {
    linear: "0,2",
    batch: "pad",
    infer: (x: Tensor, list: readonly number[]) => ({
      shape: paddedShape("constantPadNd", x, list, "constant"),
      dtype: x.dtype,
      names: x.names,
    }),
    fill([result], x: Tensor, list: readonly number[], value: Value = 0) {
      const checked = exactValue("constantPadNd", value, x.dtype);
      fillPadded("constantPadNd", result, x, list, "constant", checked);
    },
    gradient: padGradient,
  });
