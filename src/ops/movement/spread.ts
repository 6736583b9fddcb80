/**
 * What gradients of reading and writing by index are made of: elements read along an axis, elements added up along it, and places set
 * to 0. The first two are each other's gradients, the third is its own. Indices are trusted: whoever calls has checked them.
 */
import { copyAll } from "../../tensor/copy-all.ts";
import { zeros } from "../../tensor/create/create.ts";
import { arange } from "../../tensor/create/ranges.ts";
import { hasSizes, sizesOf } from "../../tensor/geometry.ts";
import { fillUnchecked } from "../../tensor/in-place.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { where } from "../elementwise/choose.ts";
import { eq } from "../elementwise/comparison.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { fresh, structuredOp } from "../op.ts";
import { copy_, expand, narrow, reshape } from "../views.ts";
import { meetAlong, withAxis } from "./indexed.ts";

interface Collect extends OpFunction {
  (x: Tensor, axis: number, index: Tensor): Tensor;
}
interface Spread extends OpFunction {
  (x: Tensor, axis: number, index: Tensor, shape: readonly number[]): Tensor;
}

type Along = readonly [x: Tensor, axis: number, index: Tensor];
type Spreading = readonly [...Along, shape: readonly number[]];

/** The elements of x with the coordinates of the index, which stands for the coordinate on the axis. */
export const collect: Collect = /* @__PURE__ */ structuredOp("collect(x: Tensor, ...)", "movement", {
  linear: "0",
  batch: "alongIndex",
  infer: (...[x, , index]: Along) => ({ dtype: x.dtype, shape: sizesOf(index) }),
  fill([result], ...[x, axis, index]: Along) {
    if (index.size > 0) meetAlong("take", withAxis(x), axis, withAxis(result), withAxis(index));
  },
  gradient(call) {
    const [x, axis, index] = call.args as unknown as Along;
    const [shape, places] = [sizesOf(x), call.save(index)];
    return ([g]) => [spread(g, axis, places(), shape)];
  },
});

/** A tensor of a shape, 0 everywhere but where x is added, at the coordinates of the index. */
export const spread: Spread = /* @__PURE__ */ structuredOp("spread(x: Tensor, ...)", "movement", {
  linear: "0",
  batch: "spreadIndex",
  infer: (...[x, , , shape]: Spreading) => ({ dtype: x.dtype, shape }),
  fill([result], ...[x, axis, index]: Spreading) {
    fillUnchecked(result, 0, "spread");
    if (index.size > 0) meetAlong("add", withAxis(result), axis, withAxis(x), withAxis(index));
  },
  gradient(call) {
    const [, axis, index] = call.args as unknown as Along;
    const places = call.save(index);
    return ([g]) => [collect(g, axis, places())];
  },
});

/** A copy of x with 0 at the coordinates of the index. */
export const cleared: Collect = /* @__PURE__ */ structuredOp("cleared(x: Tensor, ...)", "movement", {
  linear: "0",
  batch: "alongIndex",
  infer: (...[x]: Along) => ({ dtype: x.dtype, shape: sizesOf(x) }),
  fill([result], ...[x, axis, index]: Along) {
    copyAll(x, result, "cleared");
    if (index.size === 0) return;
    const none = fresh(x.dtype, []);
    fillUnchecked(none, 0, "cleared");
    const places = withAxis(index);
    meetAlong("set", withAxis(result), axis, expand(none, sizesOf(places)), places);
  },
  gradient(call) {
    const [, axis, index] = call.args as unknown as Along;
    const places = call.save(index);
    return ([g]) => [call.again(g, axis, places()) as Tensor];
  },
});

/** A list of indices of rows as one index for each element of the rows, which have the shape. */
export const rowsOf = (index: Tensor, axis: number, shape: readonly number[]): Tensor =>
  expand(
    reshape(
      index,
      shape.map((_, d) => (d === axis ? index.size : 1)),
    ),
    shape,
  );

/** The part of a tensor that begins where it does and has the shape. */
export const cutTo = (t: Tensor, shape: readonly number[]): Tensor =>
  t.rank !== shape.length
    ? reshape(t, shape)
    : shape.reduce((part, size, axis) => (sizesOf(part)[axis] === size ? part : narrow(part, axis, 0, size)), t);

/** A tensor of a shape that begins with another, and is 0 where that ends. */
export function filledTo(t: Tensor, shape: readonly number[]): Tensor {
  if (hasSizes(t, shape)) return t;
  if (t.rank !== shape.length) return reshape(t, shape);
  const room = zeros(shape, { dtype: t.dtype });
  copy_(cutTo(room, sizesOf(t)), t);
  return room;
}

/**
 * A copy of the gradient `t` of a source, 0 for the elements that a later one has overwritten: indices may repeat. `write` is the op with
 * another source for a tensor of zeros, `read` takes from a tensor what is where the source went.
 */
export function lasting(
  t: Tensor,
  target: readonly number[],
  write: (zeros: Tensor, numbers: Tensor) => unknown,
  read: (t: Tensor) => Tensor,
): Tensor {
  if (t.size < 2) return t;
  const place = { dtype: "int32", device: t.device.type as "cpu" } as const;
  const numbers = reshape(arange(0, t.size, 1, place), sizesOf(t));
  return where(eq(read(write(zeros(target, place), numbers) as Tensor), numbers), t, 0) as Tensor;
}

const flat = (t: Tensor): Tensor => reshape(t, [-1]);

/** The elements with these indices in row-major order. */
export const collectFlat = (x: Tensor, index: Tensor): Tensor =>
  reshape(collect(flat(x), 0, flat(index)), sizesOf(index));

/** A tensor of a shape, 0 everywhere but where x is added, at these indices in row-major order. */
export function spreadFlat(x: Tensor, index: Tensor, shape: readonly number[]): Tensor {
  const size = shape.reduce((a, b) => a * b, 1);
  return reshape(spread(flat(x), 0, flat(index), [size]), shape);
}

/** A copy of x with 0 at these indices in row-major order. */
export const clearedFlat = (x: Tensor, index: Tensor): Tensor => reshape(cleared(flat(x), 0, flat(index)), sizesOf(x));
