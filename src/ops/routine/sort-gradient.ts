/** Gradients of picks along an axis, as sorts and medians are: the gradient goes to the element picked, or in shares to all that equal it. */
import { type Axis, axisOf } from "../../tensor/axes.ts";
import type { Backward, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { div } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { spread } from "../movement/spread.ts";
import { sum } from "../reduce/reduce.ts";
import { unsqueeze } from "../views.ts";

/** The rule of an op with values and indices as results. */
export function pickGradient({ x, axis }: { readonly x: Tensor; readonly axis: Axis }, call: RecordedCall): Backward {
  const [shape, at] = [sizesOf(x), axisOf("sort", x, axis)];
  const indices = call.save(call.results[1]);
  const whole = (t: Tensor): Tensor => (t.rank < shape.length ? unsqueeze(t, at) : t);
  return ([g]) => [spread(whole(g), at, whole(indices()), shape)];
}

const isPicked = /* @__PURE__ */ map<OpFunction & ((x: Tensor, y: Tensor) => Tensor)>(
  "isPicked(x, y)",
  "(x == y) | ((x != x) & (y != y))",
);

/** The rule of an op that picks one value along an axis: all elements that equal it have equal shares. */
export function equalsGradient({ x, axis }: { readonly x: Tensor; readonly axis: Axis }, call: RecordedCall): Backward {
  const [at, all, value] = [axisOf("median", x, axis), call.save(x), call.saveResult()];
  return ([g]) => {
    const mask = isPicked(all(), unsqueeze(value(), at));
    const share = div(unsqueeze(g, at), sum(mask, at, { keepdims: true }));
    return [where(mask, share, 0)];
  };
}
