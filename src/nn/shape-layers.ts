/**
 * Layers that change shapes: axes made one, one axis made several, channels dealt to pixels, borders, other sizes, windows as columns.
 */
import { channelShuffle, fold, interpolate, pad, pixelShuffle, pixelUnshuffle, type Tensor, unfold } from "../index.ts";
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

type UpsampleOptions = Parameters<typeof interpolate>[1];

/** Images, signals or volumes of another size. */
export class Upsample extends Layer {
  private readonly options: UpsampleOptions;

  constructor(options: UpsampleOptions) {
    super(options);
    this.options = options;
  }

  forward(x: Tensor): Tensor {
    return interpolate(x, this.options);
  }
}

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

/** Channels dealt to pixels: factor times as high and wide. */
export class PixelShuffle extends Layer {
  private readonly factor: number;

  constructor(upscaleFactor: number) {
    super(upscaleFactor);
    this.factor = upscaleFactor;
  }

  forward(x: Tensor): Tensor {
    return pixelShuffle(x, this.factor);
  }
}

/** Pixels dealt to channels: the inverse of PixelShuffle. */
export class PixelUnshuffle extends Layer {
  private readonly factor: number;

  constructor(downscaleFactor: number) {
    super(downscaleFactor);
    this.factor = downscaleFactor;
  }

  forward(x: Tensor): Tensor {
    return pixelUnshuffle(x, this.factor);
  }
}

/** Channels of the groups in turn. */
export class ChannelShuffle extends Layer {
  private readonly groups: number;

  constructor(groups: number) {
    super(groups);
    this.groups = groups;
  }

  forward(x: Tensor): Tensor {
    return channelShuffle(x, this.groups);
  }
}

/** The windows of images as columns. */
export class Unfold extends Layer {
  private readonly given: Parameters<typeof unfold> extends [unknown, ...infer Rest] ? Rest : never;

  constructor(kernelSize: number | readonly number[], options: Parameters<typeof unfold>[2] = {}) {
    super(kernelSize, options);
    this.given = [kernelSize, options];
  }

  forward(x: Tensor): Tensor {
    return unfold(x, ...this.given);
  }
}

/** Images as sums of columns, each added at its window. */
export class Fold extends Layer {
  private readonly given: Parameters<typeof fold> extends [unknown, ...infer Rest] ? Rest : never;

  constructor(
    outputSize: number | readonly number[],
    kernelSize: number | readonly number[],
    options: Parameters<typeof fold>[3] = {},
  ) {
    super(outputSize, kernelSize, options);
    this.given = [outputSize, kernelSize, options];
  }

  forward(x: Tensor): Tensor {
    return fold(x, ...this.given);
  }
}
