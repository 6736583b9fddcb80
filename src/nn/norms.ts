/**
 * Normalisations of each sample by itself: over its last axes, or over groups of its channels.
 */
import { groupNorm, layerNorm, localResponseNorm, rmsNorm, ShapeError, type Tensor } from "../index.ts";
import { checkCounts, checkDivides, checkOptions, checkSize, checkTensor } from "./check-input.ts";
import { layerOf } from "./layer-of.ts";
import { Layer } from "./module.ts";
import { shown } from "./print.ts";
import { constantParameter, type DTypeOption } from "./start.ts";

export interface RMSNormOptions extends DTypeOption {
  /** Added to the mean square: the distance of 1 to the next number unless given. */
  readonly eps?: number | undefined;
  /** Whether a weight is learned: true unless given. */
  readonly elementwiseAffine?: boolean | undefined;
}
export interface LayerNormOptions extends RMSNormOptions {
  /** Whether a bias is learned, too: true unless given. */
  readonly bias?: boolean | undefined;
}

/** The sizes of the axes that are normalised; there is at least one. */
function lastAxes(who: string, given: number | readonly number[]): readonly number[] {
  const shape = typeof given === "number" ? [given] : given;
  if (!Array.isArray(shape) || shape.length === 0)
    throw new ShapeError(
      `${who}: normalizedShape is the size of the last axis, or a list of sizes, got ${shown(given)}`,
    );
  for (const size of shape) checkCounts(who, { normalizedShape: size });
  return shape;
}

/** Refuses an input whose last axes are not those of the layer. */
function checkLast(who: string, x: Tensor, shape: readonly number[]): void {
  checkTensor(who, x);
  const last = x.shape.slice(x.rank - shape.length);
  if (x.rank >= shape.length && shape.every((size, axis) => size === last[axis])) return;
  if (shape.length === 1) checkSize(who, x, -1, shape[0] as number);
  throw new ShapeError(
    `${who}: the last axes of the input are not [${shape.join(", ")}]: it has the shape [${x.shape.join(", ")}].`,
  );
}

/** Each sample with mean 0 and variance 1 over the last axes, then times weight plus bias. */
export class LayerNorm extends Layer {
  readonly normalizedShape: readonly number[];
  weight: Tensor | null;
  bias: Tensor | null;
  private readonly options: { readonly eps: number };

  constructor(normalizedShape: number | readonly number[], options: LayerNormOptions = {}) {
    super(normalizedShape, options);
    checkOptions(this.who, options, { eps: 0, elementwiseAffine: 0, bias: 0, dtype: 0 });
    const { eps = 1e-5, elementwiseAffine = true, bias = true, dtype } = options;
    this.normalizedShape = lastAxes(this.who, normalizedShape);
    this.options = { eps };
    this.weight = elementwiseAffine ? constantParameter(this.normalizedShape, 1, dtype) : null;
    this.bias = elementwiseAffine && bias ? constantParameter(this.normalizedShape, 0, dtype) : null;
  }

  forward(x: Tensor): Tensor {
    checkLast(this.who, x, this.normalizedShape);
    return layerNorm(x, this.normalizedShape, this.weight, this.bias, this.options);
  }
}

/** Each sample divided by the root of its mean square over the last axes, then times weight. */
export class RMSNorm extends Layer {
  readonly normalizedShape: readonly number[];
  weight: Tensor | null;
  private readonly options: { readonly eps?: number };

  constructor(normalizedShape: number | readonly number[], options: RMSNormOptions = {}) {
    super(normalizedShape, options);
    checkOptions(this.who, options, { eps: 0, elementwiseAffine: 0, dtype: 0 });
    const { eps, elementwiseAffine = true, dtype } = options;
    this.normalizedShape = lastAxes(this.who, normalizedShape);
    this.options = eps === undefined ? {} : { eps };
    this.weight = elementwiseAffine ? constantParameter(this.normalizedShape, 1, dtype) : null;
  }

  forward(x: Tensor): Tensor {
    checkLast(this.who, x, this.normalizedShape);
    return rmsNorm(x, this.normalizedShape, this.weight, this.options);
  }
}

export interface GroupNormOptions extends DTypeOption {
  /** Added to the variance: 1e-5 unless given. */
  readonly eps?: number | undefined;
  /** Whether a weight and a bias are learned: true unless given. */
  readonly affine?: boolean | undefined;
}

/** Each group of channels of each sample with mean 0 and variance 1, then times weight plus bias of the channel. */
export class GroupNorm extends Layer {
  readonly numGroups: number;
  readonly numChannels: number;
  weight: Tensor | null;
  bias: Tensor | null;
  private readonly options: { readonly eps: number };

  constructor(numGroups: number, numChannels: number, options: GroupNormOptions = {}) {
    super(numGroups, numChannels, options);
    checkCounts(this.who, { numGroups, numChannels });
    checkDivides(this.who, "numChannels", numChannels, "numGroups", numGroups);
    checkOptions(this.who, options, { eps: 0, affine: 0, dtype: 0 });
    const { eps = 1e-5, affine = true, dtype } = options;
    this.numGroups = numGroups;
    this.numChannels = numChannels;
    this.options = { eps };
    this.weight = affine ? constantParameter([numChannels], 1, dtype) : null;
    this.bias = affine ? constantParameter([numChannels], 0, dtype) : null;
  }

  forward(x: Tensor): Tensor {
    checkSize(this.who, x, 1, this.numChannels, "That axis holds the channels.");
    return groupNorm(x, this.numGroups, this.weight, this.bias, this.options);
  }
}

export interface ResponseNormOptions {
  /** 1e-4 unless given. */
  readonly alpha?: number | undefined;
  /** 0.75 unless given. */
  readonly beta?: number | undefined;
  /** 1 unless given. */
  readonly k?: number | undefined;
}

/** Each channel divided by a power of the squares of its neighbours. */
export class LocalResponseNorm extends /* @__PURE__ */ layerOf<
  [x: Tensor],
  [size: number, options?: ResponseNormOptions]
>(localResponseNorm) {}
