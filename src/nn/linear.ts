/**
 * Linear and bilinear layers, and the identity.
 */
import { bilinear, linear, type Tensor } from "../index.ts";
import { checkCounts, checkOptions, checkSize } from "./check-input.ts";
import { Layer, type Output } from "./module.ts";
import { type DTypeOption, uniformParameter } from "./parameter.ts";

export interface LinearOptions extends DTypeOption {
  /** Whether a bias is added. Default: true. */
  readonly bias?: boolean | undefined;
}

/** Applies x @ weight.T + bias to the last axis. */
export class Linear extends Layer {
  readonly inFeatures: number;
  readonly outFeatures: number;
  /** [outFeatures, inFeatures]. */
  weight: Tensor;
  /** [outFeatures]. */
  bias: Tensor | null;

  constructor(inFeatures: number, outFeatures: number, options: LinearOptions = {}) {
    super(inFeatures, outFeatures, options);
    checkCounts(this.who, { inFeatures, outFeatures });
    checkOptions(this.who, options, { bias: 0, dtype: 0 });
    const bound = 1 / Math.sqrt(inFeatures);
    this.inFeatures = inFeatures;
    this.outFeatures = outFeatures;
    this.weight = uniformParameter([outFeatures, inFeatures], bound, options.dtype);
    this.bias = options.bias === false ? null : uniformParameter([outFeatures], bound, options.dtype);
  }

  forward<X extends Tensor>(x: X): Output<X> {
    if (x?.shape?.[x.rank - 1] !== this.inFeatures)
      checkSize(
        this.who,
        x,
        -1,
        this.inFeatures,
        x?.rank > 2 && x.size === (x.shape[0] as number) * this.inFeatures ? "Flatten it first: new Flatten()" : "",
      );
    return linear(x, this.weight, this.bias);
  }
}

/** Applies x1.T @ weight @ x2 + bias to the last axes of two inputs, for each output feature. */
export class Bilinear extends Layer {
  readonly in1Features: number;
  readonly in2Features: number;
  readonly outFeatures: number;
  /** [outFeatures, in1Features, in2Features]. */
  weight: Tensor;
  /** [outFeatures]. */
  bias: Tensor | null;

  constructor(in1Features: number, in2Features: number, outFeatures: number, options: LinearOptions = {}) {
    super(in1Features, in2Features, outFeatures, options);
    checkCounts(this.who, { in1Features, in2Features, outFeatures });
    checkOptions(this.who, options, { bias: 0, dtype: 0 });
    const bound = 1 / Math.sqrt(in1Features);
    this.in1Features = in1Features;
    this.in2Features = in2Features;
    this.outFeatures = outFeatures;
    this.weight = uniformParameter([outFeatures, in1Features, in2Features], bound, options.dtype);
    this.bias = options.bias === false ? null : uniformParameter([outFeatures], bound, options.dtype);
  }

  forward(first: Tensor, second: Tensor): Tensor {
    checkSize(this.who, first, -1, this.in1Features);
    checkSize(this.who, second, -1, this.in2Features);
    return bilinear(first, second, this.weight, this.bias);
  }
}

/** Returns its input. */
export class Identity extends Layer {
  forward<T>(x: T): T {
    return x;
  }
}
