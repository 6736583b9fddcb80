/**
 * Parts of a tensor kept to a largest norm.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { vectorNorm } from "../reduce/reduce.ts";
import type { KeepingMethod, Part } from "./composite-types.ts";

const kept = /* @__PURE__ */ map<Part>(
  "renormEach(x, length, most)",
  "length > most ? x * like(most / (length + 1e-7), x) : x",
);
/** x with its parts at each index of an axis scaled down to a p-norm of at most `maxnorm`. */
export const renorm: KeepingMethod<[p: number, axis: Axis, maxnorm: number]> = /* @__PURE__ */ compositeOp(
  "renorm(x: Tensor, ...)",
  (x: Tensor, p: number, axis: Axis, maxnorm: number) => {
    if (x.rank < 2) throw new ShapeError(`renorm: expected at least 2 axes, got ${x.rank}. Add one: unsqueeze(0)`);
    if (!(p > 0)) throw new StridewiseError(`renorm: p must be above 0, got ${describeValue(p)}`);
    if (!(maxnorm >= 0)) throw new StridewiseError(`renorm: maxnorm must be at least 0, got ${describeValue(maxnorm)}`);
    const at = axisOf("renorm", x, axis);
    const others = sizesOf(x).flatMap((_, k) => (k === at ? [] : [k]));
    return kept(x, vectorNorm(x, others, { ord: p, keepdims: true }), maxnorm);
  },
);
