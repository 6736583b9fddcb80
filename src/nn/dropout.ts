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

abstract class Dropping extends Layer {
  /** The probability with which something is dropped. */
  readonly p: number;

  constructor(p = 0.5) {
    super(p);
    if (!(p >= 0 && p <= 1))
      throw new StridewiseError(
        `${this.constructor.name}: dropout probability has to be between 0 and 1, but got ${p}`,
      );
    this.p = p;
  }

  protected abstract readonly op: typeof dropout;

  forward(x: Tensor): Tensor {
    return this.training && this.p > 0 ? this.op(x, this.p, { training: true }) : x;
  }
}

/** Each element set to 0 with probability p, the others divided by 1 - p. */
export class Dropout extends Dropping {
  protected get op(): typeof dropout {
    return dropout;
  }
}
/** Whole channels of signals set to 0 with probability p, the others divided by 1 - p. */
export class Dropout1d extends Dropping {
  protected get op(): typeof dropout {
    return dropout1d;
  }
}
/** Whole channels of images set to 0 with probability p, the others divided by 1 - p. */
export class Dropout2d extends Dropping {
  protected get op(): typeof dropout {
    return dropout2d;
  }
}
/** Whole channels of volumes set to 0 with probability p, the others divided by 1 - p. */
export class Dropout3d extends Dropping {
  protected get op(): typeof dropout {
    return dropout3d;
  }
}
/** Elements set to the lowest value of selu, then all scaled and shifted so that mean and variance stay. */
export class AlphaDropout extends Dropping {
  protected get op(): typeof dropout {
    return alphaDropout;
  }
}
/** AlphaDropout of whole channels. */
export class FeatureAlphaDropout extends Dropping {
  protected get op(): typeof dropout {
    return featureAlphaDropout;
  }
}
