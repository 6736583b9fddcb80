/**
 * Gradients of extremes. Over any axes, all elements that are the extreme share its gradient evenly; where a place is returned too,
 * the element there gets all of it.
 */
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map } from "../elementwise/map.ts";
import { to } from "../views.ts";
import { atPlaces } from "./at-places.ts";
import { type GradientFormula, reducedCall } from "./reduced-call.ts";
import { sum } from "./sums.ts";

const isExtreme: GradientFormula = /* @__PURE__ */ map("isExtreme(x, y)", "x == y");
/** NaN is the extreme if there is one. */
const isExtremeOrNaN: GradientFormula = /* @__PURE__ */ map("isExtreme(x, y)", "(x == y) | ((x != x) & (y != y))");
const share: GradientFormula = /* @__PURE__ */ map("share(g, mask, count)", "(mask ? g : 0) / count");

const shared =
  (isOne: GradientFormula): GradientRule =>
  (call) => {
    const { dtype, reduced, beside, elements } = reducedCall(call);
    const [x, y] = [call.save(call.args[0] as Tensor), call.saveResult()];
    return ([g]) => {
      const mask = isOne(elements(x()), beside(y()));
      const count = sum(mask, reduced, { keepdims: true });
      return [to(share(beside(g), mask, count), dtype)];
    };
  };

/** Of amax and amin, whose gradient is NaN where they are. */
export const amaxGradient: GradientRule = /* @__PURE__ */ shared(isExtreme);

/** Of max and min of all elements. */
export const maxGradient: GradientRule = /* @__PURE__ */ shared(isExtremeOrNaN);

/** Of max and min along an axis. */
export const pickedGradient: GradientRule = (call) => {
  const { shape, reduced, beside } = reducedCall(call);
  const places = call.saveResult(1);
  return ([g]) => {
    const given = beside(g);
    const [axis] = reduced;
    if (axis === undefined) return [given];
    return [atPlaces(given, beside(places()), axis, shape[axis])];
  };
};
