/**
 * Dropout as layers: in training elements or channels are dropped at random, else inputs go through.
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
import { Layer } from "./module.ts";
import { shown } from "./print.ts";

/** A layer that drops something. */
interface Dropping extends Layer {
  /** The probability with which something is dropped. */
  readonly p: number;
  forward(x: Tensor): Tensor;
}

/** A class to extend, of layers that drop by an op. */
function dropping(op: typeof dropout): new (p?: number) => Dropping {
  return class extends Layer {
    readonly p: number;

    constructor(p = 0.5) {
      super(p);
      if (typeof p !== "number" || !(p >= 0 && p <= 1))
        throw new StridewiseError(
          `${this.constructor.name}: dropout probability has to be between 0 and 1, but got ${shown(p)}. Give a share, as 0.1`,
        );
      this.p = p;
    }

    forward(x: Tensor): Tensor {
      return this.training && this.p > 0 ? op(x, this.p, { training: true }) : x;
    }
  };
}

/** Each element set to 0 with probability p, the others divided by 1 - p. */
export class Dropout extends /* @__PURE__ */ dropping(dropout) {}
/** Whole channels of signals set to 0 with probability p, the others divided by 1 - p. */
export class Dropout1d extends /* @__PURE__ */ dropping(dropout1d) {}
/** Whole channels of images set to 0 with probability p, the others divided by 1 - p. */
export class Dropout2d extends /* @__PURE__ */ dropping(dropout2d) {}
/** Whole channels of volumes set to 0 with probability p, the others divided by 1 - p. */
export class Dropout3d extends /* @__PURE__ */ dropping(dropout3d) {}
/** Elements set to the lowest value of selu, then all scaled and shifted so that mean and variance stay. */
export class AlphaDropout extends /* @__PURE__ */ dropping(alphaDropout) {}
/** AlphaDropout of whole channels. */
export class FeatureAlphaDropout extends /* @__PURE__ */ dropping(featureAlphaDropout) {}
