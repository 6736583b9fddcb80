/**
 * Gradients of Fourier transforms, which are linear: the transform with the other sign, then cut or padded as the argument was not.
 * Of a half that stands for a Hermitian whole, the elements that stand for two count twice.
 */
import { zeros } from "../../tensor/create/create-ops.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { add } from "../elementwise/arithmetic.ts";
import { cat } from "../movement/join.ts";
import { narrow, partView } from "../views.ts";

/** One transform: along which axis, to how many values, which way round, and what the result is multiplied by. */
export type Transform = (x: Tensor, axis: number, n: number, turned: boolean, scale: number) => Tensor;

/** The same along an axis of another size: cut, or with zeros behind. */
function resized(t: Tensor, axis: number, size: number): Tensor {
  const shape = sizesOf(t);
  const now = shape[axis];
  if (now >= size) return now === size ? t : narrow(t, axis, 0, size);
  shape[axis] = size - now;
  return cat([t, zeros(shape, { dtype: t.dtype, device: t.device.type as "cpu" | "meta" })], axis);
}

/** The rule of a transform whose gradient, along the axis and of as many points, `back` gives. */
const rule =
  (back: (g: Tensor, axis: number, n: number, turned: boolean, scale: number) => Tensor): GradientRule =>
  ({ args }) => {
    const [x, axis, n, turned, scale] = args as Parameters<Transform>;
    const size = sizesOf(x)[axis];
    return ([g]) => [resized(back(g, axis, n, turned, scale), axis, size)];
  };

/** Complex to complex. */
export const complexGradient: GradientRule = (call) =>
  rule((g, axis, n, turned, scale) => call.again(g, axis, n, !turned, scale) as Tensor)(call);

/** Real to half of a complex line; the transform of whole ones is given. */
export const realGradient = (whole: () => Transform): GradientRule =>
  rule((g, axis, n, turned, scale) => partView(whole()(g, axis, n, !turned, scale), "real"));

/** Half of a complex line to a real one; the transform the other way is given. */
export const halfGradient = (forth: () => Transform): GradientRule =>
  rule((g, axis, n, turned, scale) => {
    const half = forth()(g, axis, n, turned, scale);
    const size = sizesOf(half)[axis];
    if (n === size) return half;
    const twice = narrow(half, axis, 1, n - size);
    const [first, last] = [narrow(half, axis, 0, 1), narrow(half, axis, 1 + n - size, 2 * size - n - 1)];
    return cat([first, add(twice, twice), last], axis);
  });
