/**
 * Dropout: in training, random elements or whole channels are set to 0, and the others are scaled to keep the mean. The alpha forms
 * use the lowest value of selu instead of 0, which keeps the variance, too.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { listOf } from "../../base/list-of.ts";
import type { RandomOptions } from "../../tensor/create/random.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { show } from "../shape-rules.ts";
import { expand, squeeze, unsqueeze } from "../views.ts";
import type { Part, SameShapeOp } from "./composite-types.ts";
import { checkFloat } from "./rows.ts";
import { randomLike } from "./tensors-like.ts";

interface DropoutOptions extends RandomOptions {
  /** If false, nothing is dropped. */
  readonly training?: boolean | undefined;
}
type Dropout = SameShapeOp<[p?: number, options?: DropoutOptions]>;

const dropped = /* @__PURE__ */ map<Part>("dropped(x, r, p, factor)", "r < p ? like(0, x) : like(x * factor, x)");
const alphaDropped = /* @__PURE__ */ map<Part>(
  "alphaDropped(x, r, p, factor, shift, low)",
  "like((r < p ? low : x * factor) + shift, x)",
);
/** The limit of selu for large negative numbers, without its sign. */
const alpha = 1.7580993408473766;

interface Form {
  readonly isAlpha?: boolean;
  /** Whole channels are dropped; a tensor of this many axes has no batch axis. */
  readonly features?: number;
}

function dropoutOf(name: string, { isAlpha = false, features }: Form): Dropout {
  return compositeOp(
    `${name}(x: Tensor, p; training, generator)`,
    (x: Tensor, p = 0.5, { training = !isAlpha, generator }: DropoutOptions = {}) => {
      if (typeof p !== "number" || !(p >= 0 && p <= 1))
        throw new StridewiseError(`${name}: p must be from 0 to 1, got ${describeValue(p)}`);
      const sizes = sizesOf(x);
      if (!training || p === 0 || x.size === 0) return expand(x, sizes);
      if (isAlpha) checkFloat(name, x.dtype);
      if (features !== undefined) {
        if (sizes.length < 2) throw new ShapeError(`${name}: x must have at least 2 axes, got shape ${show(sizes)}`);
        if (sizes.length === features) return squeeze(drop(unsqueeze(x, 0), [1, sizes[0]]), 0);
      }
      return drop(x, features === undefined ? sizes : sizes.slice(0, 2));

      function drop(from: Tensor, drawn: readonly number[]): Tensor {
        const shape = listOf(from.rank, (axis) => drawn[axis] ?? 1);
        const r = randomLike(x, shape, { generator });
        if (!isAlpha) return dropped(from, r, p, p === 1 ? 0 : 1 / (1 - p));
        const factor = p === 1 ? 0 : 1 / Math.sqrt((alpha * alpha * p + 1) * (1 - p));
        return alphaDropped(from, r, p, factor, alpha * factor * p, -alpha * factor);
      }
    },
  );
}
/** Sets random elements to 0 with probability p and divides the others by 1 - p. */
export const dropout: Dropout = /* @__PURE__ */ dropoutOf("dropout", {});
/** Sets random channels of [N, C, L] or [C, L] to 0 with probability p and divides the others by 1 - p. */
export const dropout1d: Dropout = /* @__PURE__ */ dropoutOf("dropout1d", { features: 2 });
/** Sets random channels of [N, C, H, W] to 0 with probability p and divides the others by 1 - p. */
export const dropout2d: Dropout = /* @__PURE__ */ dropoutOf("dropout2d", { features: 0 });
/** Sets random channels of [N, C, D, H, W] or [C, D, H, W] to 0 with probability p and divides the others by 1 - p. */
export const dropout3d: Dropout = /* @__PURE__ */ dropoutOf("dropout3d", { features: 4 });
/** Sets random elements to the lowest value of selu with probability p, then scales and shifts all to keep mean and variance. */
export const alphaDropout: Dropout = /* @__PURE__ */ dropoutOf("alphaDropout", { isAlpha: true });
/** Applies alphaDropout to whole channels. */
export const featureAlphaDropout: Dropout = /* @__PURE__ */ dropoutOf("featureAlphaDropout", {
  isAlpha: true,
  features: 0,
});
