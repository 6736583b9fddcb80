/**
 * Dropout as layers: in training, elements or channels are dropped at random; otherwise the input is returned.
 */
import {
  alphaDropout,
  dropout,
  dropout1d,
  dropout2d,
  dropout3d,
  featureAlphaDropout,
  StridewiseError,
  type Tensor,
} from "../index.ts";
import { Layer, type Output } from "./module.ts";
import { shown } from "./print.ts";

/** A dropout layer. */
interface DropoutLayer extends Layer {
  /** The probability that an element or channel is dropped. */
  readonly p: number;
  forward<X extends Tensor>(x: X): Output<X>;
}

/** A class to extend, of layers that apply a dropout op. */
function dropoutOf(op: typeof dropout): new (p?: number) => DropoutLayer {
  return class extends Layer {
    readonly p: number;

    constructor(p = 0.5) {
      super(p);
      if (typeof p !== "number" || !(p >= 0 && p <= 1))
        throw new StridewiseError(
          `${this.constructor.name}: dropout probability has to be between 0 and 1, but got ${shown(p)}. Pass a fraction such as 0.1`,
        );
      this.p = p;
    }

    forward<X extends Tensor>(x: X): Output<X> {
      return this.training && this.p > 0 ? op(x, this.p, { training: true }) : x;
    }
  };
}

/** Sets each element to 0 with probability p, and divides the others by 1 - p. */
export class Dropout extends /* @__PURE__ */ dropoutOf(dropout) {}
/** Sets whole channels of signals to 0 with probability p, and divides the others by 1 - p. */
export class Dropout1d extends /* @__PURE__ */ dropoutOf(dropout1d) {}
/** Sets whole channels of images to 0 with probability p, and divides the others by 1 - p. */
export class Dropout2d extends /* @__PURE__ */ dropoutOf(dropout2d) {}
/** Sets whole channels of volumes to 0 with probability p, and divides the others by 1 - p. */
export class Dropout3d extends /* @__PURE__ */ dropoutOf(dropout3d) {}
/** Sets elements to the lowest value of SELU with probability p, then scales and shifts all to keep mean and variance. */
export class AlphaDropout extends /* @__PURE__ */ dropoutOf(alphaDropout) {}
/** AlphaDropout of whole channels. */
export class FeatureAlphaDropout extends /* @__PURE__ */ dropoutOf(featureAlphaDropout) {}
