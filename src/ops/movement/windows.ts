/**
 * Sliding windows of images: unfold copies every window into a column, fold adds the columns up to an image.
 * Both loop over the elements of a window; each is one strided copy or sum.
 */
import { ShapeError } from "../../base/errors.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll, lowerFillAll, lowerThrough } from "../../tensor/lowering.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { unsqueeze } from "../../tensor/views/views-axes.ts";
import { narrow, select, slice } from "../../tensor/views/views-parts.ts";
import { unflatten } from "../../tensor/views/views-shape.ts";
import { add } from "../elementwise/arithmetic.ts";
import { lowerOp, structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import type { MovesFunction } from "./movement-types.ts";

/** One number for both axes, or one for each. */
export type Pair = number | readonly [number, number] | readonly number[];

export interface SlidingOptions extends OutOption {
  readonly dilation?: Pair | undefined;
  readonly padding?: Pair | undefined;
  readonly stride?: Pair | undefined;
}

/** The windows along one axis. */
interface Windows {
  readonly kernel: number;
  readonly dilation: number;
  readonly padding: number;
  readonly stride: number;
  /** The size of the axis, and the number of windows. */
  readonly size: number;
  readonly count: number;
}

function windowsOf(who: string, sizes: readonly number[], kernel: Pair, options: SlidingOptions = {}): Windows[] {
  const pair = (what: string, value: Pair, min: number): readonly number[] => {
    const list = Array.isArray(value) ? value : [value, value];
    if (list.length !== 2 || list.some((n) => !Number.isSafeInteger(n) || n < min))
      throw new ShapeError(
        `${who}: ${what} must be an integer of at least ${min}, or two of them, got ${describeValue(value)}`,
      );
    return list;
  };
  const kernels = pair("kernelSize", kernel, 1);
  const dilations = pair("dilation", options.dilation ?? 1, 1);
  const paddings = pair("padding", options.padding ?? 0, 0);
  const strides = pair("stride", options.stride ?? 1, 1);
  return sizes.map((size, k) => {
    const window = { kernel: kernels[k], dilation: dilations[k], padding: paddings[k] };
    const stride = strides[k];
    const count = Math.floor((size + 2 * window.padding - window.dilation * (window.kernel - 1) - 1) / stride) + 1;
    if (count < 1)
      throw new ShapeError(
        `${who}: a window of ${window.kernel} elements with dilation ${window.dilation} does not fit an axis of size ${size} with padding ${window.padding}`,
      );
    return { ...window, stride, size, count };
  });
}

/** The windows whose element `k` is not in the padding: the index of the first such element, the first window, and their number. */
function inside({ size, count, stride, padding, dilation }: Windows, k: number) {
  const start = k * dilation - padding;
  const first = start < 0 ? Math.ceil(-start / stride) : 0;
  const last = Math.min(count - 1, Math.floor((size - 1 - start) / stride));
  return { at: start + first * stride, first, count: Math.max(0, last - first + 1), step: stride };
}

/** Calls `use` with matching parts of the image and of the columns for each element of a window. */
function eachElement(
  image: Tensor,
  columns: Tensor,
  [rows, across]: readonly [Windows, Windows],
  use: (image: Tensor, column: Tensor) => void,
): void {
  // columns: [batch, channels, kernel rows, kernel columns, window rows, window columns]
  const split = unflatten(unflatten(columns, 2, [rows.count, across.count]), 1, [
    sizeAt(image, 1),
    rows.kernel,
    across.kernel,
  ]);
  const cut = (t: Tensor, axis: number, part: ReturnType<typeof inside>): Tensor =>
    slice(t, axis, part.at, part.at + (part.count - 1) * part.step + 1, part.step);
  for (let i = 0; i < rows.kernel; i++)
    for (let j = 0; j < across.kernel; j++) {
      const [vertical, horizontal] = [inside(rows, i), inside(across, j)];
      if (vertical.count === 0 || horizontal.count === 0) continue;
      const column = select(select(split, 3, j), 2, i);
      use(
        cut(cut(image, 2, vertical), 3, horizontal),
        narrow(narrow(column, 2, vertical.first, vertical.count), 3, horizontal.first, horizontal.count),
      );
    }
}

function imageWindows(x: Tensor, kernel: Pair, options?: SlidingOptions): [Windows, Windows] {
  if (x.rank !== 3 && x.rank !== 4)
    throw new ShapeError(`unfold: expected 3 axes, or 4 with a batch, got ${showShape(x)}`);
  return windowsOf("unfold", sizesOf(x).slice(-2), kernel, options) as [Windows, Windows];
}

const batched = (t: Tensor, rank: number): Tensor => (t.rank < rank ? unsqueeze(t, 0) : t);

/** Extracts sliding windows of an image [batch, channels, height, width] as columns [batch, channels * window size, windows]. The method `x.unfold(axis, size, step)` is PyTorch's `Tensor.unfold`, a view of windows along one axis. */
export const unfold: MovesFunction<[kernelSize: Pair, options?: SlidingOptions]> = /* @__PURE__ */ structuredOp(
  "unfold(x: Tensor, kernelSize: ints; dilation, padding, stride)",
  "movement",
  {
    id: "windows.unfold",
    linear: "0",
    batch: "folded 3",
    infer(x: Tensor, kernel: Pair, options?: SlidingOptions) {
      const [rows, across] = imageWindows(x, kernel, options);
      const channels = sizeAt(x, x.rank - 3);
      const shape = [channels * rows.kernel * across.kernel, rows.count * across.count];
      return { dtype: x.dtype, shape: x.rank === 4 ? [sizeAt(x, 0), ...shape] : shape };
    },
    lower(builder, [result], x: Tensor, kernel: Pair, options?: SlidingOptions) {
      const windows = imageWindows(x, kernel, options);
      if (windows.some(({ padding }) => padding > 0)) lowerFillAll(builder, result, 0, "unfold");
      if (x.size === 0) return;
      eachElement(batched(x, 4), batched(result, 3), windows, (image, column) => {
        lowerCopyAll(builder, image, column, "unfold");
      });
    },
    gradient({ args: [x, kernel, options] }) {
      const image = sizesOf(x as Tensor).slice(-2);
      return ([g]) => [fold(g, image, kernel as Pair, options as SlidingOptions)];
    },
  },
);

function columnWindows(x: Tensor, outputSize: Pair, kernel: Pair, options?: SlidingOptions): [Windows, Windows] {
  if (x.rank !== 2 && x.rank !== 3)
    throw new ShapeError(`fold: expected 2 axes, or 3 with a batch, got ${showShape(x)}`);
  const sizes = typeof outputSize === "number" ? [outputSize, outputSize] : outputSize;
  if (sizes.length !== 2)
    throw new ShapeError(`fold: outputSize must be a number or two of them, got [${[...sizes].join(", ")}]`);
  const windows = windowsOf("fold", sizes, kernel, options) as [Windows, Windows];
  const [rows, across] = windows;
  const [height, width] = sizesOf(x).slice(-2) as [number, number];
  if (height % (rows.kernel * across.kernel) !== 0)
    throw new ShapeError(
      `fold: ${height} rows must be divisible by the elements of a window, (${rows.kernel}, ${across.kernel}).`,
    );
  if (width !== rows.count * across.count)
    throw new ShapeError(
      `fold: expected ${rows.count} * ${across.count} = ${rows.count * across.count} columns for windows of (${rows.kernel}, ${across.kernel}) in (${sizes.join(", ")}), got ${width}.`,
    );
  return windows;
}

/** Combines columns of sliding windows into an image by summing overlapping elements: the adjoint of unfold. */
export const fold: MovesFunction<[outputSize: Pair, kernelSize: Pair, options?: SlidingOptions]> =
  /* @__PURE__ */ structuredOp(
    "fold(x: Tensor, outputSize: ints, kernelSize: ints; dilation, padding, stride)",
    "movement",
    {
      linear: "0",
      batch: "folded 2",
      infer(x: Tensor, outputSize: Pair, kernel: Pair, options?: SlidingOptions) {
        const [rows, across] = columnWindows(x, outputSize, kernel, options);
        const channels = sizeAt(x, x.rank - 2) / (rows.kernel * across.kernel);
        const shape = [channels, rows.size, across.size];
        return { dtype: x.dtype, shape: x.rank === 3 ? [sizeAt(x, 0), ...shape] : shape };
      },
      lower(builder, [result], x: Tensor, outputSize: Pair, kernel: Pair, options?: SlidingOptions) {
        const windows = columnWindows(x, outputSize, kernel, options);
        lowerThrough(builder, result, x.dtype, true, "fold", (target) => {
          lowerFillAll(builder, target, 0, "fold");
          if (x.size === 0) return;
          eachElement(batched(target, 4), batched(x, 3), windows, (image, column) => {
            lowerOp(builder, add, image, column, { out: image });
          });
        });
      },
      gradient:
        ({ args: [, , kernel, options] }) =>
        ([g]) => [unfold(g, kernel as Pair, options as SlidingOptions)],
    },
  );
