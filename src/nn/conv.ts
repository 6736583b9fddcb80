/**
 * Convolutions and transposed convolutions over one, two or three axes. Padding modes other than zeros pad the input first.
 */
import {
  conv1d,
  conv2d,
  conv3d,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
  pad,
  ShapeError,
  StridewiseError,
  type Tensor,
} from "../index.ts";
import { checkCounts, checkDivides, checkOptions, checkRank, checkSize } from "./check-input.ts";
import { Layer, type Output } from "./module.ts";
import { type DTypeOption, uniformParameter } from "./parameter.ts";
import { shown } from "./print.ts";

type PerAxis = number | readonly number[];

/** The values around the input. */
export type PaddingMode = "zeros" | "reflect" | "replicate" | "circular";

export interface ConvLayerOptions extends DTypeOption {
  /** The distance between windows. Default: 1. */
  readonly stride?: PerAxis | undefined;
  /** The number of elements added to both sides of each axis; "same" keeps the size. Default: 0. */
  readonly padding?: PerAxis | "same" | "valid" | undefined;
  /** The distance between the elements of a window. Default: 1. */
  readonly dilation?: PerAxis | undefined;
  /** The number of groups of channels, each with its own filters. Default: 1. */
  readonly groups?: number | undefined;
  /** Whether a bias is added. Default: true. */
  readonly bias?: boolean | undefined;
  /** The values added around the input. Default: "zeros". */
  readonly paddingMode?: PaddingMode | undefined;
}

const names = { 1: "[N, C, L]", 2: "[N, C, H, W]", 3: "[N, C, D, H, W]" } as const;
const perAxis = (who: string, name: string, value: PerAxis, axes: number): readonly number[] => {
  const list = typeof value === "number" ? new Array<number>(axes).fill(value) : value;
  if (Array.isArray(list) && list.length === axes) return list;
  throw new ShapeError(`${who}: ${name} must be a number or a list of ${axes}, got ${shown(value)}`);
};
const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);

/** The base class of convolutions: channels, a kernel, a weight and a bias. */
abstract class ConvLayer extends Layer {
  readonly inChannels: number;
  readonly outChannels: number;
  readonly kernelSize: readonly number[];
  /** [outChannels, inChannels / groups, ...kernel]; if transposed, [inChannels, outChannels / groups, ...kernel]. */
  weight: Tensor;
  /** [outChannels]. */
  bias: Tensor | null;
  protected readonly axes: 1 | 2 | 3;

  constructor(
    axes: 1 | 2 | 3,
    isTransposed: boolean,
    inChannels: number,
    outChannels: number,
    kernelSize: PerAxis,
    options: Omit<ConvLayerOptions, "padding" | "paddingMode"> & DTypeOption,
  ) {
    super(inChannels, outChannels, kernelSize, options);
    checkCounts(this.who, { inChannels, outChannels });
    const shared = { stride: 0, padding: 0, dilation: 0, groups: 0, bias: 0, dtype: 0 } as const;
    if (isTransposed) checkOptions<ConvTransposeLayerOptions>(this.who, options, { ...shared, outputPadding: 0 });
    else checkOptions<ConvLayerOptions>(this.who, options, { ...shared, paddingMode: 0 });
    const { groups = 1 } = options;
    checkDivides(this.who, "inChannels", inChannels, "groups", groups);
    checkDivides(this.who, "outChannels", outChannels, "groups", groups);
    this.axes = axes;
    this.inChannels = inChannels;
    this.outChannels = outChannels;
    this.kernelSize = perAxis(this.who, "kernelSize", kernelSize, axes);
    for (const size of this.kernelSize) checkCounts(this.who, { kernelSize: size });
    const [rows, columns] = isTransposed ? [inChannels, outChannels / groups] : [outChannels, inChannels / groups];
    const bound = 1 / Math.sqrt(columns * product(this.kernelSize));
    this.weight = uniformParameter([rows, columns, ...this.kernelSize], bound, options.dtype);
    this.bias = options.bias === false ? null : uniformParameter([outChannels], bound, options.dtype);
  }

  protected check(x: Tensor): void {
    const { axes } = this;
    if (x?.rank !== axes + 2) checkRank(this.who, x, [axes + 1, axes + 2], `${names[axes]}, or one sample of it`);
    if (x.shape[x.rank - axes - 1] !== this.inChannels)
      checkSize(this.who, x, x.rank - axes - 1, this.inChannels, "This is the axis of channels.");
  }
}

abstract class ConvNd extends ConvLayer {
  private readonly options: Parameters<typeof conv2d>[3];
  private readonly border: readonly number[] | null = null;
  private readonly paddingMode: PaddingMode;
  private readonly op: typeof conv2d;

  constructor(
    axes: 1 | 2 | 3,
    op: typeof conv2d,
    inChannels: number,
    outChannels: number,
    kernelSize: PerAxis,
    options: ConvLayerOptions,
  ) {
    super(axes, false, inChannels, outChannels, kernelSize, options);
    const { stride = 1, padding = 0, dilation = 1, groups = 1, paddingMode = "zeros" } = options;
    if (!["zeros", "reflect", "replicate", "circular"].includes(paddingMode))
      throw new StridewiseError(
        `${this.who}: paddingMode must be one of zeros, reflect, replicate, circular, got ${shown(paddingMode)}`,
      );
    if (typeof padding === "string" && padding !== "same" && padding !== "valid")
      throw new StridewiseError(
        `${this.who}: padding must be a number, a number per axis, "same" or "valid", got "${padding}"`,
      );
    if (padding === "same" && perAxis(this.who, "stride", stride, axes).some((step) => step !== 1))
      throw new StridewiseError(
        `${this.who}: padding "same" is not supported for strided convolutions, got stride ${shown(stride)}. Pass the number of elements to add to both sides`,
      );
    this.op = op;
    this.paddingMode = paddingMode;
    const isBordered = paddingMode !== "zeros" && padding !== "valid";
    if (isBordered) {
      const reach = perAxis(this.who, "dilation", dilation, axes).map(
        (step, axis) => step * (this.kernelSize[axis] - 1),
      );
      const pads = padding === "same" ? null : perAxis(this.who, "padding", padding, axes);
      // pad takes the pair of the last axis first.
      this.border = reach
        .map((all, axis) => {
          const before = pads === null ? all >> 1 : pads[axis];
          return [before, pads === null ? all - before : before];
        })
        .reverse()
        .flat();
    }
    this.options = { stride, padding: isBordered ? 0 : padding, dilation, groups };
  }

  forward<X extends Tensor>(x: X): Output<X> {
    this.check(x);
    const input =
      this.border === null || this.paddingMode === "zeros" ? x : pad(x, this.border, { mode: this.paddingMode });
    return this.op(input, this.weight, this.bias, this.options);
  }
}

type ConvClass<O, Instance> = new (
  inChannels: number,
  outChannels: number,
  kernelSize: PerAxis,
  options?: O,
) => Instance;

/** A class to extend, of convolutions over this number of axes. */
const convOf = (axes: 1 | 2 | 3, op: typeof conv2d): ConvClass<ConvLayerOptions, ConvNd> =>
  class extends ConvNd {
    constructor(inChannels: number, outChannels: number, kernelSize: PerAxis, options: ConvLayerOptions = {}) {
      super(axes, op, inChannels, outChannels, kernelSize, options);
    }
  };

/** The convolution of signals [N, C, L]. */
export class Conv1d extends /* @__PURE__ */ convOf(1, conv1d) {}
/** The convolution of images [N, C, H, W]. */
export class Conv2d extends /* @__PURE__ */ convOf(2, conv2d) {}
/** The convolution of volumes [N, C, D, H, W]. */
export class Conv3d extends /* @__PURE__ */ convOf(3, conv3d) {}

export interface ConvTransposeLayerOptions extends Omit<ConvLayerOptions, "padding" | "paddingMode"> {
  /** The number of elements removed from both sides of the result. Default: 0. */
  readonly padding?: PerAxis | undefined;
  /** The number of elements added to one side of the result. Default: 0. */
  readonly outputPadding?: PerAxis | undefined;
}

abstract class ConvTransposeNd extends ConvLayer {
  private readonly options: Required<NonNullable<Parameters<typeof convTranspose2d>[3]>>;
  private readonly op: typeof convTranspose2d;

  constructor(
    axes: 1 | 2 | 3,
    op: typeof convTranspose2d,
    inChannels: number,
    outChannels: number,
    kernelSize: PerAxis,
    options: ConvTransposeLayerOptions,
  ) {
    super(axes, true, inChannels, outChannels, kernelSize, options);
    const { stride = 1, padding = 0, outputPadding = 0, dilation = 1, groups = 1 } = options;
    this.op = op;
    this.options = { stride, padding, outputPadding, dilation, groups };
  }

  /** An output size (of the last axes) determines the output padding. */
  forward<X extends Tensor>(x: X, outputSize?: readonly number[]): Output<X> {
    this.check(x);
    const options =
      outputSize === undefined ? this.options : { ...this.options, outputPadding: this.paddingFor(x, outputSize) };
    return this.op(x, this.weight, this.bias, options);
  }

  private paddingFor(x: Tensor, outputSize: readonly number[]): readonly number[] {
    const { who, axes, options } = this;
    const [stride, padding, dilation] = (["stride", "padding", "dilation"] as const).map((name) =>
      perAxis(who, name, options[name], axes),
    ) as [readonly number[], readonly number[], readonly number[]];
    return perAxis(who, "outputSize", outputSize.slice(-axes), axes).map((size, axis) => {
      const step = stride[axis];
      const min =
        (x.shape[x.rank - axes + axis] - 1) * step -
        2 * padding[axis] +
        dilation[axis] * (this.kernelSize[axis] - 1) +
        1;
      if (size < min || size >= min + step)
        throw new ShapeError(
          `${who}: outputSize [${outputSize.join(", ")}] is not possible: axis ${axis} can be ${min} to ${min + step - 1}. Omit it for the smallest`,
        );
      return size - min;
    });
  }
}

/** A class to extend, of transposed convolutions over this number of axes. */
const convTransposeOf = (
  axes: 1 | 2 | 3,
  op: typeof convTranspose2d,
): ConvClass<ConvTransposeLayerOptions, ConvTransposeNd> =>
  class extends ConvTransposeNd {
    constructor(inChannels: number, outChannels: number, kernelSize: PerAxis, options: ConvTransposeLayerOptions = {}) {
      super(axes, op, inChannels, outChannels, kernelSize, options);
    }
  };

/** The transposed convolution of signals: every element adds a filter to the result. */
export class ConvTranspose1d extends /* @__PURE__ */ convTransposeOf(1, convTranspose1d) {}
/** The transposed convolution of images: every element adds a filter to the result. */
export class ConvTranspose2d extends /* @__PURE__ */ convTransposeOf(2, convTranspose2d) {}
/** The transposed convolution of volumes: every element adds a filter to the result. */
export class ConvTranspose3d extends /* @__PURE__ */ convTransposeOf(3, convTranspose3d) {}
