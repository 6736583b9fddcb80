/**
 * Gradients of elements in another order, repeated, or with others around them. Most are the op itself with other arguments; what was
 * repeated is added up.
 */
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { zeros } from "../../tensor/create/create.ts";
import { zerosBeside } from "../../tensor/create/create-ops.ts";
import { arange } from "../../tensor/create/ranges.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { sum } from "../reduce/reduce.ts";
import { clone, copy_, diagonal, expand, reshape, unflatten } from "../views.ts";
import { lasting, rowsOf, spread } from "./spread.ts";

/** The op again: it undoes itself. The in-place form gets a tensor of its own. */
export const selfGradient: GradientRule = (call) => {
  const rest = call.args.slice(1);
  const isInPlace = call.results[0] === call.args[0];
  return ([g]) => [call.again(isInPlace ? clone(g) : g, ...rest) as Tensor];
};

export const rollGradient: GradientRule = (call) => {
  const [, shifts, axes] = call.args as [Tensor, number | readonly number[], unknown];
  const back = [shifts].flat().map((by) => -by);
  return ([g]) => [call.again(g, back, axes) as Tensor];
};

/** `timesOf` gives how often the tensor is repeated along each axis of the result. */
export const repeatGradient =
  (timesOf: (args: readonly unknown[]) => readonly number[]): GradientRule =>
  (call) => {
    const shape = sizesOf(call.args[0] as Tensor);
    const times = timesOf(call.args.slice(1));
    const added = times.length - shape.length;
    const parts = times.flatMap((count, d) => [count, d < added ? 1 : shape[d - added]]);
    const repeated = times.map((_, d) => 2 * d);
    return ([g]) => {
      if (repeated.length === 0) return [g];
      return [reshape(sum(reshape(g, parts), repeated) as Tensor, shape)];
    };
  };

/** Every row of an axis several times, one after the other. */
export const interleaveGradient: GradientRule = (call) => {
  const [x, times, axis] = call.args as [Tensor, number, number];
  const size = sizesOf(x)[axis];
  return ([g]) => [sum(unflatten(g, axis, [size, times]), axis + 1) as Tensor];
};

interface PadOptions {
  readonly mode?: string;
}

/** What was added is taken away; where it was copied from the tensor itself, it is added there, axis by axis. */
export const padGradient: GradientRule = (call) => {
  const [x, pad, options] = call.args as [Tensor, readonly number[], PadOptions?];
  const mode = options?.mode ?? "constant";
  if (mode === "constant")
    return ([g]) => [
      call.again(
        g,
        pad.map((by) => -by + 0),
      ) as Tensor,
    ];
  const shape = sizesOf(x);
  return ([given]) => {
    let g = given;
    for (let k = 0; 2 * k < pad.length; k++) {
      const axis = shape.length - 1 - k;
      const numbers = reshape(arange(0, shape[axis], 1, { dtype: "int32" }), [1, -1]);
      const places = call.again(numbers, pad.slice(2 * k, 2 * k + 2), { mode }) as Tensor;
      const sizes = sizesOf(g);
      g = spread(g, axis, rowsOf(places, axis, sizes), sizes.with(axis, shape[axis]));
    }
    return [g];
  };
};

/** The diagonal that diagEmbed, or diag of a list, makes a matrix of. */
export const embedGradient: GradientRule = (call) => {
  const [, offset = 0, axis1 = -2, axis2 = -1] = call.args as [Tensor, number?, Axis?, Axis?];
  const result = call.results[0];
  const [first, second] = [axisOf("diagEmbed", result, axis1), axisOf("diagEmbed", result, axis2)];
  return ([g]) => [diagonal(g, offset, first, second)];
};

export const diagGradient: GradientRule = (call) => {
  const [x, given] = call.args as [Tensor, unknown];
  const offset = typeof given === "number" ? given : 0;
  const [{ rank, dtype }, shape] = [x, sizesOf(x)];
  return ([g]) => {
    if (rank === 1) return [diagonal(g, offset)];
    const room = zerosBeside(g, shape, dtype);
    copy_(diagonal(room, offset), g);
    return [room];
  };
};

/** A part was replaced: it gets what stands there, the rest of the tensor what it had. */
export const partGradient =
  (partOf: (g: Tensor, ...args: never[]) => Tensor): GradientRule =>
  (call) => {
    const [x, src, ...rest] = call.args as [Tensor, Tensor, ...unknown[]];
    const [needsX, needsSource, shape, whole] = [call.needs(x), call.needs(src), sizesOf(src), sizesOf(x)];
    const { dtype } = src;
    const part = (t: Tensor): Tensor => partOf(t, ...(rest as never[]));
    const ofSource = (g: Tensor): Tensor => {
      const back = part(g);
      return back.overlap === "no" ? back : lasting(back, whole, (t, from) => call.again(t, from, ...rest), part);
    };
    return ([g]) => [
      needsX ? (call.again(g, expand(zeros([], { dtype }), shape), ...rest) as Tensor) : null,
      needsSource ? ofSource(g) : null,
    ];
  };
