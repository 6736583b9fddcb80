/**
 * The modified Bessel functions of the first kind as ops: each is in the gradient of the other.
 */
import type { Tensor } from "../../tensor/tensor.ts";
import type { UnaryFloat } from "../op-types.ts";
import { abs, div, mul, sub } from "./arithmetic.ts";
import { where } from "./choose.ts";
import { lt } from "./comparison.ts";
import { besselIText } from "./special-modified.ts";
import { special } from "./special-text.ts";

/** Of order 0. */
export const besselI0: UnaryFloat = /* @__PURE__ */ special(
  "i0",
  () => besselIText(0, false),
  (g, x) => mul(g, besselI1(x)),
);
/** Of order 1. */
export const besselI1: UnaryFloat = /* @__PURE__ */ special(
  "i1",
  () => besselIText(1, false),
  (g, x, y) => awayFromZero(g, x, (at) => sub(besselI0(at), div(y(), at))),
  { isOfResult: true },
);

/** g times a slope that has a quotient by x; g / 2 where x is 0, or so near to it that 1 / x may be none. */
export function awayFromZero(g: Tensor, x: Tensor, slope: (at: Tensor) => Tensor): Tensor {
  const isZero = lt(abs(x), x.dtype === "float32" || x.dtype === "float64" ? 1e-16 : 1e-3);
  return mul(g, where(isZero, 0.5, slope(where(isZero, 1, x))));
}
