/**
 * Convolutions and their transposes over one, two or three axes. Borders other than zeros are added by padding first.
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
import { Layer } from "./module.ts";
import { type DTypeOption, uniformParameter } from "./parameter.ts";
import { shown } from "./print.ts";

type PerAxis = number | readonly number[];

/** What stands around the input. */
export type PaddingMode = "zeros" | "reflect" | "replicate" | "circular";

export interface ConvLayerOptions extends DTypeOption {
  /** How far windows are apart: 1 unless given. */
  readonly stride?: PerAxis | undefined;
  /** Elements added on both sides of each axis, 0 unless given; "same" keeps the size. */
  readonly padding?: PerAxis | "same" | "valid" | undefined;
  /** How far the elements of a window are apart: 1 unless given. */
  readonly dilation?: PerAxis | undefined;
  /** Parts that the channels are divided into, each with filters of its own: 1 unless given. */
  readonly groups?: number | undefined;
  /** Whether a bias is added: true unless given. */
  readonly bias?: boolean | undefined;
  /** What is added around the input: zeros unless given. */
  readonly paddingMode?: PaddingMode | undefined;
}

const names = { 1: "[N, C, L]", 2: "[N, C, H, W]", 3: "[N, C, D, H, W]" } as const;
const perAxis = (who: string, name: string, given: PerAxis, axes: number): readonly number[] => {
  const list = typeof given === "number" ? new Array<number>(axes).fill(given) : given;
  if (Array.isArray(list) && list.length === axes) return list;
  throw new ShapeError(`${who}: ${name} has ${axes} numbers, or is one for all axes; got ${shown(given)}`);
};
const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);

/** What all convolutions are: channels, a kernel, a weight and a bias. */
abstract class ConvLayer extends Layer {
  readonly inChannels: number;
  readonly outChannels: number;
  readonly kernelSize: readonly number[];
  /** [outChannels, inChannels / groups, ...kernel]; of a transpose [inChannels, outChannels / groups, ...kernel]. */
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
      checkSize(this.who, x, x.rank - axes - 1, this.inChannels, "That axis holds the channels.");
  }
}

abstract class ConvNd extends ConvLayer {
  private readonly options: Parameters<typeof conv2d>[3];
  private readonly border: readonly number[] | null = null;
  private readonly paddingMode: PaddingMode;

  constructor(
    axes: 1 | 2 | 3,
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
        `${this.who}: padding is a size, one for each axis, "same" or "valid", got "${padding}"`,
      );
    if (padding === "same" && perAxis(this.who, "stride", stride, axes).some((step) => step !== 1))
      throw new StridewiseError(
        `${this.who}: padding "same" is not supported for strided convolutions, got stride ${shown(stride)}. Give the number of elements that are added on both sides`,
      );
    this.paddingMode = paddingMode;
    const isBordered = paddingMode !== "zeros" && padding !== "valid";
    if (isBordered) {
      const reach = perAxis(this.who, "dilation", dilation, axes).map(
        (step, axis) => step * (this.kernelSize[axis] - 1),
      );
      const around = padding === "same" ? null : perAxis(this.who, "padding", padding, axes);
      // Pairs for the last axis first, as pad takes them.
      this.border = reach
        .map((all, axis) => {
          const before = around === null ? all >> 1 : around[axis];
          return [before, around === null ? all - before : before];
        })
        .reverse()
        .flat();
    }
    this.options = { stride, padding: isBordered ? 0 : padding, dilation, groups };
  }

  protected abstract readonly op: typeof conv2d;

  forward(x: Tensor): Tensor {
    this.check(x);
    const input =
      this.border === null || this.paddingMode === "zeros" ? x : pad(x, this.border, { mode: this.paddingMode });
    return this.op(input, this.weight, this.bias, this.options);
  }
}

/** The convolution of signals [N, C, L]. */
export class Conv1d extends ConvNd {
  constructor(inChannels: number, outChannels: number, kernelSize: PerAxis, options: ConvLayerOptions = {}) {
    super(1, inChannels, outChannels, kernelSize, options);
  }
  protected get op(): typeof conv1d {
    return conv1d;
  }
}

/** The convolution of images [N, C, H, W]. */
export class Conv2d extends ConvNd {
  constructor(inChannels: number, outChannels: number, kernelSize: PerAxis, options: ConvLayerOptions = {}) {
    super(2, inChannels, outChannels, kernelSize, options);
  }
  protected get op(): typeof conv2d {
    return conv2d;
  }
}

/** The convolution of volumes [N, C, D, H, W]. */
export class Conv3d extends ConvNd {
  constructor(inChannels: number, outChannels: number, kernelSize: PerAxis, options: ConvLayerOptions = {}) {
    super(3, inChannels, outChannels, kernelSize, options);
  }
  protected get op(): typeof conv3d {
    return conv3d;
  }
}

export interface ConvTransposeLayerOptions extends Omit<ConvLayerOptions, "padding" | "paddingMode"> {
  /** How far windows reach over the edges: 0 unless given. */
  readonly padding?: PerAxis | undefined;
  /** Added to one side of the result: 0 unless given. */
  readonly outputPadding?: PerAxis | undefined;
}

abstract class ConvTransposeNd extends ConvLayer {
  private readonly options: Required<NonNullable<Parameters<typeof convTranspose2d>[3]>>;

  constructor(
    axes: 1 | 2 | 3,
    inChannels: number,
    outChannels: number,
    kernelSize: PerAxis,
    options: ConvTransposeLayerOptions,
  ) {
    super(axes, true, inChannels, outChannels, kernelSize, options);
    const { stride = 1, padding = 0, outputPadding = 0, dilation = 1, groups = 1 } = options;
    this.options = { stride, padding, outputPadding, dilation, groups };
  }

  protected abstract readonly op: typeof convTranspose2d;

  /** With an output size (of the last axes), the output padding that leads to it is taken. */
  forward(x: Tensor, outputSize?: readonly number[]): Tensor {
    this.check(x);
    const { options } = this;
    const given = outputSize === undefined ? options : { ...options, outputPadding: this.paddingFor(x, outputSize) };
    return this.op(x, this.weight, this.bias, given);
  }

  private paddingFor(x: Tensor, outputSize: readonly number[]): readonly number[] {
    const { who, axes, options } = this;
    const [stride, padding, dilation] = (["stride", "padding", "dilation"] as const).map((name) =>
      perAxis(who, name, options[name], axes),
    ) as [readonly number[], readonly number[], readonly number[]];
    const wanted = perAxis(who, "outputSize", outputSize.slice(-axes), axes);
    return wanted.map((size, axis) => {
      const step = stride[axis];
      const least =
        (x.shape[x.rank - axes + axis] - 1) * step -
        2 * padding[axis] +
        dilation[axis] * (this.kernelSize[axis] - 1) +
        1;
      if (size < least || size >= least + step)
        throw new ShapeError(
          `${who}: outputSize [${outputSize.join(", ")}] cannot be reached: axis ${axis} can be ${least} to ${least + step - 1}. Leave it away for the least`,
        );
      return size - least;
    });
  }
}

/** The transpose of Conv1d: every element adds a filter to the result. */
export class ConvTranspose1d extends ConvTransposeNd {
  constructor(inChannels: number, outChannels: number, kernelSize: PerAxis, options: ConvTransposeLayerOptions = {}) {
    super(1, inChannels, outChannels, kernelSize, options);
  }
  protected get op(): typeof convTranspose1d {
    return convTranspose1d;
  }
}

/** The transpose of Conv2d: every element adds a filter to the result. */
export class ConvTranspose2d extends ConvTransposeNd {
  constructor(inChannels: number, outChannels: number, kernelSize: PerAxis, options: ConvTransposeLayerOptions = {}) {
    super(2, inChannels, outChannels, kernelSize, options);
  }
  protected get op(): typeof convTranspose2d {
    return convTranspose2d;
  }
}

/** The transpose of Conv3d: every element adds a filter to the result. */
export class ConvTranspose3d extends ConvTransposeNd {
  constructor(inChannels: number, outChannels: number, kernelSize: PerAxis, options: ConvTransposeLayerOptions = {}) {
    super(3, inChannels, outChannels, kernelSize, options);
  }
  protected get op(): typeof convTranspose3d {
    return convTranspose3d;
  }
}
