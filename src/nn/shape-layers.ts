/**
 * Layers that change shapes: axes made one, one axis made several, channels dealt to pixels, borders, other sizes, windows as columns.
 */
import { channelShuffle, fold, interpolate, pad, pixelShuffle, pixelUnshuffle, type Tensor, unfold } from "../index.ts";
import { layerOf } from "./layer-of.ts";
import { Layer } from "./module.ts";

/** Makes the axes from start to end one; the batch axis stays unless told otherwise. */
export class Flatten extends Layer {
  readonly startAxis: number;
  readonly endAxis: number;

  constructor(startAxis = 1, endAxis = -1) {
    super(...(startAxis === 1 && endAxis === -1 ? [] : [startAxis, endAxis]));
    this.startAxis = startAxis;
    this.endAxis = endAxis;
  }

  forward(x: Tensor): Tensor {
    return x.flatten(this.startAxis, this.endAxis);
  }
}

/** Makes one axis several. */
export class Unflatten extends Layer {
  readonly axis: number;
  readonly sizes: readonly number[];

  constructor(axis: number, sizes: readonly number[]) {
    super(axis, sizes);
    this.axis = axis;
    this.sizes = sizes;
  }

  forward(x: Tensor): Tensor {
    return x.unflatten(this.axis, this.sizes);
  }
}

/** Images, signals or volumes of another size. */
export class Upsample extends /* @__PURE__ */ layerOf<[x: Tensor], [options: Parameters<typeof interpolate>[1]]>(
  interpolate,
) {}

/** A layer that adds borders to the last axes. */
abstract class Pad extends Layer {
  private readonly around: readonly number[];
  private readonly options: Parameters<typeof pad>[2];

  constructor(
    axes: number,
    padding: number | readonly number[],
    mode: "constant" | "reflect" | "replicate" | "circular",
    value?: number,
  ) {
    super(...(value === undefined ? [padding] : [padding, value]));
    this.around = typeof padding === "number" ? new Array<number>(2 * axes).fill(padding) : padding;
    this.options = value === undefined ? { mode } : { mode, value };
  }

  forward(x: Tensor): Tensor {
    return pad(x, this.around, this.options);
  }
}

/** Zeros around images: one number, or [left, right, top, bottom]. */
export class ZeroPad2d extends Pad {
  constructor(padding: number | readonly number[]) {
    super(2, padding, "constant");
  }
}

/** A constant around images: one number, or [left, right, top, bottom]. */
export class ConstantPad2d extends Pad {
  constructor(padding: number | readonly number[], value: number) {
    super(2, padding, "constant", value);
  }
}

/** Images reflected at their edges. */
export class ReflectionPad2d extends Pad {
  constructor(padding: number | readonly number[]) {
    super(2, padding, "reflect");
  }
}

/** Images whose edges are repeated. */
export class ReplicationPad2d extends Pad {
  constructor(padding: number | readonly number[]) {
    super(2, padding, "replicate");
  }
}

/** Images that go on at the other side. */
export class CircularPad2d extends Pad {
  constructor(padding: number | readonly number[]) {
    super(2, padding, "circular");
  }
}

type Images = [x: Tensor];
type Size = number | readonly number[];

/** Channels dealt to pixels: factor times as high and wide. */
export class PixelShuffle extends /* @__PURE__ */ layerOf<Images, [factor: number]>(pixelShuffle) {}
/** Pixels dealt to channels: the inverse of PixelShuffle. */
export class PixelUnshuffle extends /* @__PURE__ */ layerOf<Images, [factor: number]>(pixelUnshuffle) {}
/** Channels of the groups in turn. */
export class ChannelShuffle extends /* @__PURE__ */ layerOf<Images, [groups: number]>(channelShuffle) {}
/** The windows of images as columns. */
export class Unfold extends /* @__PURE__ */ layerOf<
  Images,
  [kernelSize: Size, options?: NonNullable<Parameters<typeof unfold>[2]>]
>(unfold) {}
/** Images as sums of columns, each added at its window. */
export class Fold extends /* @__PURE__ */ layerOf<
  Images,
  [outputSize: Size, kernelSize: Size, options?: NonNullable<Parameters<typeof fold>[3]>]
>(fold) {}
