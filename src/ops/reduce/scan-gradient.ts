/**
 * Gradients of scans. Each element changes all results from its index on, so gradients come from the end: they are sums, or linear
 * recurrences (`recurrence.ts`), backwards.
 */
import { axisOf } from "../../tensor/axes.ts";
import type { Backward, GradientRule, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { sizeAt } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { mul } from "../elementwise/arithmetic.ts";
import { map } from "../elementwise/map.ts";
import { to } from "../views.ts";
import { atPlaces } from "./at-places.ts";
import { conjugate, recurrence } from "./recurrence.ts";
import type { GradientFormula } from "./reduced-call.ts";
import { shift } from "./shift.ts";

/** What scans take inside gradients alone. */
export interface Backwards {
  /** From the last element to the first. */
  readonly isBackwards?: boolean;
}

/** A rule by the axis; a tensor without axes is its own scan. The gradient gets the dtype of the argument. */
const alongAxis =
  (rule: (call: RecordedCall, axis: number) => (g: Tensor) => Tensor): GradientRule =>
  (call): Backward => {
    const [x, axis] = call.args as [Tensor, number];
    const { dtype } = x;
    const passed = x.rank === 0 ? (g: Tensor) => g : rule(call, axisOf("backward", x, axis));
    return ([g]) => [to(passed(g), dtype)];
  };

export const cumsumGradient: GradientRule = /* @__PURE__ */ alongAxis(({ again, args: [, , options] }, axis) => {
  const { isBackwards = false } = (options ?? {}) as Backwards;
  return (g) => again(g, axis, { isBackwards: !isBackwards }) as Tensor;
});

export const cumprodGradient: GradientRule = /* @__PURE__ */ alongAxis((recorded, axis) => {
  const { isBackwards = false } = (recorded.args[2] ?? {}) as Backwards;
  const by = isBackwards ? -1 : 1;
  const dtype = recorded.results[0]?.dtype;
  const [x, y] = [recorded.save(recorded.args[0] as Tensor), recorded.saveResult()];
  return (g) => {
    const factors = shift(conjugate(to(x(), dtype)), axis, -by as 1 | -1, 0);
    const before = conjugate(shift(y(), axis, by, 1));
    return mul(recurrence(g, factors, axis, !isBackwards), before);
  };
});

const falling: GradientFormula = /* @__PURE__ */ map("falling(y, next)", "exp(y - next)");
const ofExponential: GradientFormula = /* @__PURE__ */ map("ofExponential(sum, x, y)", "sum * exp(x - y)");

export const logcumsumexpGradient: GradientRule = /* @__PURE__ */ alongAxis((recorded, axis) => {
  const dtype = recorded.results[0]?.dtype;
  const [x, saved] = [recorded.save(recorded.args[0] as Tensor), recorded.saveResult()];
  return (g) => {
    const y = conjugate(saved());
    // Results grow along the axis, so the factors of floats are at most 1.
    const factors = falling(y, shift(y, axis, -1, Infinity));
    return ofExponential(recurrence(g, factors, axis, true), conjugate(to(x(), dtype)), y);
  };
});

const isSame: GradientFormula = /* @__PURE__ */ map("isSame(place, next)", "place == next");

/** Of cummax and cummin: an element gets the gradients of the results that it is, the first of which is at its own place. */
export const cummaxGradient: GradientRule = /* @__PURE__ */ alongAxis((recorded, axis) => {
  const size = sizeAt(recorded.args[0] as Tensor, axis);
  const saved = recorded.saveResult(1);
  return (g) => {
    const places = saved();
    const factors = to(isSame(places, shift(places, axis, -1, -1)), g.dtype);
    return atPlaces(recurrence(g, factors, axis, true), places, axis, size);
  };
});
