/**
 * Layers that change shapes: flatten and unflatten, padding, upsampling, shuffles of channels and pixels, windows as columns.
 */
import { channelShuffle, fold, interpolate, pad, pixelShuffle, pixelUnshuffle, type Tensor, unfold } from "../index.ts";
import { layerOf, type OpLayerClass } from "./layer-of.ts";
import { Layer, type Output } from "./module.ts";

/** Flattens the axes from start to end into one. By default, all axes after the batch. */
export class Flatten extends Layer {
  readonly startAxis: number;
  readonly endAxis: number;

  constructor(startAxis = 1, endAxis = -1) {
    super(...(startAxis === 1 && endAxis === -1 ? [] : [startAxis, endAxis]));
    this.startAxis = startAxis;
    this.endAxis = endAxis;
  }

  forward<X extends Tensor>(x: X): Output<X> {
    return (x as Output<X>).flatten(this.startAxis, this.endAxis);
  }
}

/** Splits one axis into several. */
export class Unflatten extends Layer {
  readonly axis: number;
  readonly sizes: readonly number[];

  constructor(axis: number, sizes: readonly number[]) {
    super(axis, sizes);
    this.axis = axis;
    this.sizes = sizes;
  }

  forward<X extends Tensor>(x: X): Output<X> {
    return x.unflatten(this.axis, this.sizes);
  }
}

/** Resizes signals, images or volumes. */
export class Upsample extends /* @__PURE__ */ layerOf<[x: Tensor], [options: Parameters<typeof interpolate>[1]]>(
  interpolate,
) {}

type Images = [x: Tensor];
type Size = number | readonly number[];

/** A class to extend, of layers that pad images. */
function padOf<S extends [value?: number]>(
  mode: "constant" | "reflect" | "replicate" | "circular",
): OpLayerClass<Images, [padding: Size, ...S]> {
  return class extends Layer {
    private readonly border: readonly number[];
    private readonly options: Parameters<typeof pad>[2];

    constructor(padding: Size, ...[value]: S) {
      super(padding, value);
      this.border = typeof padding === "number" ? [padding, padding, padding, padding] : padding;
      this.options = value === undefined ? { mode } : { mode, value };
    }

    forward<X extends Tensor>(x: X): Output<X> {
      return pad(x, this.border, this.options);
    }
  };
}

/** Pads images with zeros: one number, or [left, right, top, bottom]. */
export class ZeroPad2d extends /* @__PURE__ */ padOf<[]>("constant") {}
/** Pads images with a constant: one number, or [left, right, top, bottom]. */
export class ConstantPad2d extends /* @__PURE__ */ padOf<[value: number]>("constant") {}
/** Pads images by reflection at their edges. */
export class ReflectionPad2d extends /* @__PURE__ */ padOf<[]>("reflect") {}
/** Pads images by repeating their edges. */
export class ReplicationPad2d extends /* @__PURE__ */ padOf<[]>("replicate") {}
/** Pads images periodically, from the opposite edge. */
export class CircularPad2d extends /* @__PURE__ */ padOf<[]>("circular") {}

/** Rearranges channels into pixels: factor times the height and width. */
export class PixelShuffle extends /* @__PURE__ */ layerOf<Images, [factor: number]>(pixelShuffle) {}
/** Rearranges pixels into channels: the inverse of PixelShuffle. */
export class PixelUnshuffle extends /* @__PURE__ */ layerOf<Images, [factor: number]>(pixelUnshuffle) {}
/** Interleaves the channels of groups. */
export class ChannelShuffle extends /* @__PURE__ */ layerOf<Images, [groups: number]>(channelShuffle) {}
/** Extracts the windows of images as columns. */
export class Unfold extends /* @__PURE__ */ layerOf<
  Images,
  [kernelSize: Size, options?: NonNullable<Parameters<typeof unfold>[2]>]
>(unfold) {}
/** Sums columns into images, each at its window: the transpose of Unfold. */
export class Fold extends /* @__PURE__ */ layerOf<
  Images,
  [outputSize: Size, kernelSize: Size, options?: NonNullable<Parameters<typeof fold>[3]>]
>(fold) {}
