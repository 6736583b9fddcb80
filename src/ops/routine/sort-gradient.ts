/** Gradients of picks along an axis, as sorts and medians are: what was picked goes back to where it came from. */
import { type Axis, axisOf } from "../../tensor/axes.ts";
import type { Backward, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { spread } from "../movement/spread.ts";
import { unsqueeze } from "../views.ts";

/** The rule of an op with values and indices as results. */
export function pickGradient({ x, axis }: { readonly x: Tensor; readonly axis: Axis }, call: RecordedCall): Backward {
  const [shape, at] = [sizesOf(x), axisOf("sort", x, axis)];
  const indices = call.save(call.results[1] as Tensor);
  const whole = (t: Tensor): Tensor => (t.rank < shape.length ? unsqueeze(t, at) : t);
  return ([g]) => [spread(whole(g as Tensor), at, whole(indices()), shape)];
}
