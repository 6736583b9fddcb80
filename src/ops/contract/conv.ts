/**
 * The public convolutions over one, two or three axes, and their transposes: with a bias, options, and with or without a batch axis.
 * `convolution.ts` computes them.
 */
import { ShapeError } from "../../base/errors.ts";
import { computedAs, type DType, DTypeError } from "../../storage/dtype.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { add } from "../elementwise/arithmetic.ts";
import { compositeOp } from "../op.ts";
import { shapeOf, show } from "../shape-rules.ts";
import { reshape, squeeze, to, unsqueeze } from "../views.ts";
import type { Conv, ConvTranspose, WindowRank } from "./contract-types.ts";
import { convolution, convolutionTransposed, transposedSizes } from "./convolution.ts";
import { perAxis } from "./windows.ts";

export interface ConvOptions {
  /** The distance between windows. Default: 1. */
  readonly stride?: number | readonly number[];
  /** Zeros added to both ends of each axis; "same" keeps the size, "valid" adds none. Default: 0. */
  readonly padding?: number | readonly number[] | "same" | "valid";
  /** The distance between elements of a window. Default: 1. */
  readonly dilation?: number | readonly number[];
  /** The number of groups of channels, each with its own filters. Default: 1. */
  readonly groups?: number;
}
export interface ConvTransposeOptions extends Omit<ConvOptions, "padding"> {
  /** The number of elements by which windows extend over the edges. Default: 0. */
  readonly padding?: number | readonly number[];
  /** The size added to one side of the result. Default: 0. */
  readonly outputPadding?: number | readonly number[];
}

function checkConv(
  name: string,
  axes: number,
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null | undefined,
  groups: number,
): DType {
  if (weight.rank !== axes + 2)
    throw new ShapeError(
      `${name}: weight must be [outputs, inputs / groups, ${["k", "kh, kw", "kd, kh, kw"][axes - 1]}], got ${showShape(weight)}`,
    );
  if (x.rank !== axes + 2 && x.rank !== axes + 1)
    throw new ShapeError(`${name}: expected ${axes + 1} axes, or ${axes + 2} with a batch, got ${showShape(x)}`);
  if (shapeOf(weight).slice(2).includes(0))
    throw new ShapeError(`${name}: kernel sizes must be at least 1, got a weight ${showShape(weight)}.`);
  if (!Number.isInteger(groups) || groups < 1)
    throw new ShapeError(`${name}: groups must be a positive integer, got ${describeValue(groups)}`);
  if (sizeAt(weight, 0) % groups !== 0)
    throw new ShapeError(
      `${name}: the first size of weight must be divisible by groups=${groups}, got ${showShape(weight)}`,
    );
  for (const t of bias == null ? [weight] : [weight, bias])
    if (t.dtype !== x.dtype)
      throw new DTypeError(
        `${name}: input (${x.dtype}) and ${t === weight ? "weight" : "bias"} (${t.dtype}) must have the same dtype. Convert one: to("${x.dtype}")`,
      );
  return x.dtype;
}

/** Adds the bias, and removes the batch axis if the input has none. */
function finished(
  name: string,
  result: Tensor,
  weight: Tensor,
  bias: Tensor | null | undefined,
  axes: number,
  isBatched: boolean,
): Tensor {
  const channels = sizeAt(result, 1);
  if (bias != null && (bias.rank !== 1 || bias.size !== channels))
    throw new ShapeError(`${name}: weight ${showShape(weight)} needs a bias [${channels}], got ${showShape(bias)}`);
  const whole = bias == null ? result : add(result, reshape(bias, [bias.size, ...new Array<number>(axes).fill(1)]));
  return isBatched ? whole : squeeze(whole, 0);
}

function conv<N extends WindowRank>(axes: N): Conv<ConvOptions, N> {
  const name = `conv${axes}d`;
  return compositeOp(
    `${name}(x: Tensor, weight: Tensor, bias?: Tensor; stride, padding, dilation, groups)`,
    (x: Tensor, weight: Tensor, bias?: Tensor | null, options: ConvOptions = {}) => {
      const { padding = 0, groups = 1 } = options;
      const dtype = checkConv(name, axes, x, weight, bias, groups);
      const stride = perAxis(name, "stride", options.stride ?? 1, axes, 1);
      const dilation = perAxis(name, "dilation", options.dilation ?? 1, axes, 1);
      const kernel = sizesOf(weight).slice(2);
      const pads = paddingOf(name, padding, kernel, stride, dilation);
      const isBatched = x.rank === axes + 2;
      const batch = isBatched ? x : unsqueeze(x, 0);
      const windows = { kernel, stride, dilation, ...pads };
      const result = convolution(to(batch, computedAs(dtype)), to(weight, computedAs(dtype)), windows, groups);
      return finished(name, to(result, dtype), weight, bias, axes, isBatched);
    },
    "contract",
  );
}

function paddingOf(
  name: string,
  padding: ConvOptions["padding"],
  kernel: readonly number[],
  stride: readonly number[],
  dilation: readonly number[],
): { before: number[]; after: number[] } {
  if (padding === "valid") return { before: kernel.map(() => 0), after: kernel.map(() => 0) };
  if (padding === "same") {
    if (stride.some((step) => step !== 1))
      throw new ShapeError(
        `${name}: padding "same" is not supported for strided convolutions, got stride ${show(stride)}`,
      );
    const all = kernel.map((size, axis) => dilation[axis] * (size - 1));
    return { before: all.map((size) => size >> 1), after: all.map((size) => size - (size >> 1)) };
  }
  const each = perAxis(name, "padding", padding ?? 0, kernel.length);
  return { before: each, after: each };
}

function convTranspose<N extends WindowRank>(axes: N): ConvTranspose<ConvTransposeOptions, N> {
  const name = `convTranspose${axes}d`;
  return compositeOp(
    `${name}(x: Tensor, weight: Tensor, bias?: Tensor; stride, padding, outputPadding, dilation, groups)`,
    (x: Tensor, weight: Tensor, bias?: Tensor | null, options: ConvTransposeOptions = {}) => {
      const { groups = 1 } = options;
      const dtype = checkConv(name, axes, x, weight, bias, groups);
      const stride = perAxis(name, "stride", options.stride ?? 1, axes, 1);
      const dilation = perAxis(name, "dilation", options.dilation ?? 1, axes, 1);
      const padding = perAxis(name, "padding", options.padding ?? 0, axes);
      const more = perAxis(name, "outputPadding", options.outputPadding ?? 0, axes);
      const isBatched = x.rank === axes + 2;
      const batch = isBatched ? x : unsqueeze(x, 0);
      const windows = { kernel: sizesOf(weight).slice(2), stride, dilation, before: padding, after: padding };
      const [sizes, counts] = [sizesOf(batch).slice(2), transposedSizes(sizesOf(batch), windows, more)];
      if (counts.some((count) => (count as number) < 1))
        throw new ShapeError(
          `${name}: the output size (${counts.join(" x ")}) of an input (${sizes.join(" x ")}) is too small. Use less padding`,
        );
      if (more.some((size, axis) => size >= Math.max(stride[axis], dilation[axis])))
        throw new ShapeError(
          `${name}: outputPadding must be smaller than stride or dilation, got ${show(more)}, ${show(stride)} and ${show(dilation)}`,
        );
      const result = convolutionTransposed(
        to(batch, computedAs(dtype)),
        to(weight, computedAs(dtype)),
        windows,
        groups,
        more,
      );
      return finished(name, to(result, dtype), weight, bias, axes, isBatched);
    },
    "contract",
  );
}

/** Applies a convolution to signals [N, C, L] or [C, L] with filters [outputs, C / groups, k]. */
export const conv1d: Conv<ConvOptions, 1> = /* @__PURE__ */ conv(1);
/** Applies a convolution to images [N, C, H, W] or [C, H, W] with filters [outputs, C / groups, kh, kw]. */
export const conv2d: Conv<ConvOptions, 2> = /* @__PURE__ */ conv(2);
/** Applies a convolution to volumes [N, C, D, H, W] or [C, D, H, W] with filters [outputs, C / groups, kd, kh, kw]. */
export const conv3d: Conv<ConvOptions, 3> = /* @__PURE__ */ conv(3);
/** Applies a transposed convolution to signals [N, C, L] or [C, L] with filters [C, outputs / groups, k]. */
export const convTranspose1d: ConvTranspose<ConvTransposeOptions, 1> = /* @__PURE__ */ convTranspose(1);
/** Applies a transposed convolution to images [N, C, H, W] or [C, H, W] with filters [C, outputs / groups, kh, kw]. */
export const convTranspose2d: ConvTranspose<ConvTransposeOptions, 2> = /* @__PURE__ */ convTranspose(2);
/** Applies a transposed convolution to volumes [N, C, D, H, W] or [C, D, H, W] with filters [C, outputs / groups, kd, kh, kw]. */
export const convTranspose3d: ConvTranspose<ConvTransposeOptions, 3> = /* @__PURE__ */ convTranspose(3);
