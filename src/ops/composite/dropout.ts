/**
 * Dropout: elements, or whole channels, are set to 0 at random in training, and the others scaled so that the mean stays. The alpha forms
 * put the lowest value of selu in their place, so that the variance stays, too.
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
import { randomBeside } from "./beside.ts";
import type { Keeping, Part } from "./composite-types.ts";
import { checkFloat } from "./rows.ts";

interface DropoutOptions extends RandomOptions {
  /** Without training nothing is dropped. */
  readonly training?: boolean | undefined;
}
type Dropout = Keeping<[p?: number, options?: DropoutOptions]>;

const dropped = /* @__PURE__ */ map<Part>("dropped(x, r, p, factor)", "r < p ? like(0, x) : like(x * factor, x)");
const alphaDropped = /* @__PURE__ */ map<Part>(
  "alphaDropped(x, r, p, factor, shift, low)",
  "like((r < p ? low : x * factor) + shift, x)",
);
/** What selu goes to for large negative numbers, without its sign. */
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
        throw new StridewiseError(
          `${name}: dropout probability has to be between 0 and 1, but got ${describeValue(p)}`,
        );
      const sizes = sizesOf(x);
      if (!training || p === 0 || x.size === 0) return expand(x, sizes);
      if (isAlpha) checkFloat(name, x.dtype);
      if (features !== undefined) {
        if (sizes.length < 2) throw new ShapeError(`${name}: expected at least 2 axes, got ${show(sizes)}`);
        if (sizes.length === features) return squeeze(drop(unsqueeze(x, 0), [1, sizes[0]]), 0);
      }
      return drop(x, features === undefined ? sizes : sizes.slice(0, 2));

      function drop(from: Tensor, drawn: readonly number[]): Tensor {
        const shape = listOf(from.rank, (axis) => drawn[axis] ?? 1);
        const r = randomBeside(x, shape, { generator });
        if (!isAlpha) return dropped(from, r, p, p === 1 ? 0 : 1 / (1 - p));
        const factor = p === 1 ? 0 : 1 / Math.sqrt((alpha * alpha * p + 1) * (1 - p));
        return alphaDropped(from, r, p, factor, alpha * factor * p, -alpha * factor);
      }
    },
  );
}
/** Each element set to 0 with probability p, the others divided by 1 - p. */
export const dropout: Dropout = /* @__PURE__ */ dropoutOf("dropout", {});
/** Whole channels [N, C, L] or [C, L] set to 0 with probability p, the others divided by 1 - p. */
export const dropout1d: Dropout = /* @__PURE__ */ dropoutOf("dropout1d", { features: 2 });
/** Whole channels [N, C, H, W] set to 0 with probability p, the others divided by 1 - p. */
export const dropout2d: Dropout = /* @__PURE__ */ dropoutOf("dropout2d", { features: 0 });
/** Whole channels [N, C, D, H, W] or [C, D, H, W] set to 0 with probability p, the others divided by 1 - p. */
export const dropout3d: Dropout = /* @__PURE__ */ dropoutOf("dropout3d", { features: 4 });
/** Elements set to the lowest value of selu with probability p, then all scaled and shifted so that mean and variance stay. */
export const alphaDropout: Dropout = /* @__PURE__ */ dropoutOf("alphaDropout", { isAlpha: true });
/** alphaDropout of whole channels. */
export const featureAlphaDropout: Dropout = /* @__PURE__ */ dropoutOf("featureAlphaDropout", {
  isAlpha: true,
  features: 0,
});
