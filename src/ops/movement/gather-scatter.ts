/**
 * Building blocks for the gradients of movement ops: `gatherUnchecked` reads elements by index, `scatterAddUnchecked` adds elements up by
 * index, and `zeroAt` sets indexed elements to 0. The first two are each other's gradients, the third is its own. Indices are not checked
 * here.
 */

import { deviceOption } from "../../storage/device.ts";
import { lowerAlong, withAxis } from "../../tensor/access/by-index.ts";
import type { Index } from "../../tensor/access/indexing.ts";
import { zeros } from "../../tensor/create/create.ts";
import type { GradientRule, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { hasSizes, sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll, lowerFillAll, scratchTensor } from "../../tensor/lowering.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { indicesLike } from "../composite/tensors-like.ts";
import { remainder } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { eq } from "../elementwise/comparison.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import { sumTo } from "../sum-to.ts";
import { clone, copy_, expand, narrow, reshape, to } from "../views.ts";

interface IndexedOp extends OpFunction {
  (x: Tensor, axis: number, index: Tensor): Tensor;
}
interface ScatterAddOp extends OpFunction {
  (x: Tensor, axis: number, index: Tensor, shape: readonly number[]): Tensor;
}

type IndexedArgs = readonly [x: Tensor, axis: number, index: Tensor];
type ScatterAddArgs = readonly [...IndexedArgs, shape: readonly number[]];

/** Returns the elements of x at the coordinates of the index, where the index replaces the coordinate on the axis. */
export const gatherUnchecked: IndexedOp = /* @__PURE__ */ structuredOp("gatherUnchecked(x: Tensor, ...)", "movement", {
  linear: "0",
  batch: "alongIndex",
  infer: (...[x, , index]: IndexedArgs) => ({ dtype: x.dtype, shape: sizesOf(index) }),
  lower(builder, [result], ...[x, axis, index]: IndexedArgs) {
    if (index.size > 0) lowerAlong(builder, "take", withAxis(x), axis, withAxis(result), withAxis(index));
  },
  gradient(call) {
    const [x, axis, index] = call.args as unknown as IndexedArgs;
    const [shape, indices] = [sizesOf(x), call.save(index)];
    return ([g]) => [scatterAddUnchecked(g, axis, indices(), shape)];
  },
});

/** Returns a tensor of zeros to which x is added at the coordinates of the index. */
export const scatterAddUnchecked: ScatterAddOp = /* @__PURE__ */ structuredOp(
  "scatterAddUnchecked(x: Tensor, ...)",
  "movement",
  {
    linear: "0",
    batch: "scatterIndex",
    infer: (...[x, , , shape]: ScatterAddArgs) => ({ dtype: x.dtype, shape }),
    lower(builder, [result], ...[x, axis, index]: ScatterAddArgs) {
      lowerFillAll(builder, result, 0, "scatterAddUnchecked");
      if (index.size > 0) lowerAlong(builder, "add", withAxis(result), axis, withAxis(x), withAxis(index));
    },
    gradient(call) {
      const [, axis, index] = call.args as unknown as IndexedArgs;
      const indices = call.save(index);
      return ([g]) => [gatherUnchecked(g, axis, indices())];
    },
  },
);

/** Returns a copy of x with 0 at the coordinates of the index. */
export const zeroAt: IndexedOp = /* @__PURE__ */ structuredOp("zeroAt(x: Tensor, ...)", "movement", {
  linear: "0",
  batch: "alongIndex",
  infer: (...[x]: IndexedArgs) => ({ dtype: x.dtype, shape: sizesOf(x) }),
  lower(builder, [result], ...[x, axis, index]: IndexedArgs) {
    lowerCopyAll(builder, x, result, "zeroAt");
    if (index.size === 0) return;
    const zero = scratchTensor(builder, x.dtype, []);
    lowerFillAll(builder, zero, 0, "zeroAt");
    const indices = withAxis(index);
    lowerAlong(builder, "set", withAxis(result), axis, expand(zero, sizesOf(indices)), indices);
  },
  gradient(call) {
    const [, axis, index] = call.args as unknown as IndexedArgs;
    const indices = call.save(index);
    return ([g]) => [call.again(g, axis, indices()) as Tensor];
  },
});

/** Expands one-dimensional indices of rows to one index for each element of the rows, which have the shape. */
export const rowIndices = (index: Tensor, axis: number, shape: readonly number[]): Tensor =>
  expand(
    reshape(
      index,
      shape.map((_, d) => (d === axis ? index.size : 1)),
    ),
    shape,
  );

/** Returns the leading part of a tensor that has the shape. */
export const cropTo = (t: Tensor, shape: readonly number[]): Tensor =>
  t.rank !== shape.length
    ? reshape(t, shape)
    : shape.reduce((part, size, axis) => (sizesOf(part)[axis] === size ? part : narrow(part, axis, 0, size)), t);

/** Pads a tensor at the end of its axes with zeros to the shape. */
export function padTo(t: Tensor, shape: readonly number[]): Tensor {
  if (hasSizes(t, shape)) return t;
  if (t.rank !== shape.length) return reshape(t, shape);
  const padded = zeros(shape, { dtype: t.dtype, device: deviceOption(t.device) });
  copy_(cropTo(padded, sizesOf(t)), t);
  return padded;
}

/**
 * Returns the gradient `t` of a source, with 0 for elements that a later one has overwritten: indices may repeat. `write` applies the op
 * with another source to a tensor of zeros, `read` reads the elements that the source was written to.
 */
export function zeroOverwritten(
  t: Tensor,
  target: readonly number[],
  write: (zeros: Tensor, numbers: Tensor) => unknown,
  read: (t: Tensor) => Tensor,
): Tensor {
  if (t.size < 2) return t;
  const options = { dtype: "int32", device: deviceOption(t.device) } as const;
  const numbers = reshape(indicesLike(t, t.size), sizesOf(t));
  return where(eq(read(write(zeros(target, options), numbers) as Tensor), numbers), t, 0) as Tensor;
}

const flat = (t: Tensor): Tensor => reshape(t, [-1]);

/** `collect` by indices in row-major order. */
export const gatherFlat = (x: Tensor, index: Tensor): Tensor =>
  reshape(gatherUnchecked(flat(x), 0, flat(index)), sizesOf(index));

/** `spread` by indices in row-major order. */
export function scatterAddFlat(x: Tensor, index: Tensor, shape: readonly number[]): Tensor {
  const size = shape.reduce((a, b) => a * b, 1);
  return reshape(scatterAddUnchecked(flat(x), 0, flat(index), [size]), shape);
}

/** `cleared` by indices in row-major order. */
export const zeroAtFlat = (x: Tensor, index: Tensor): Tensor => reshape(zeroAt(flat(x), 0, flat(index)), sizesOf(x));

/** Converts negative indices, which count from the end, to non-negative indices. */
export const nonNegativeIndex = (index: Tensor, size: number): Tensor => remainder(index, Math.max(size, 1));

/** Saves the tensors among the items of an index for the backward pass. */
export function saveItems(call: RecordedCall, items: readonly Index[]): () => Index[] {
  const saved = items.map((item) => (item instanceof Tensor ? call.save(item) : () => item));
  return () => saved.map((item) => item());
}

/** The gradient of values that were broadcast when they were written; they may have more axes of size 1 in front. */
export function sumToValues(t: Tensor, { shape, dtype }: { shape: readonly number[]; dtype: Tensor["dtype"] }): Tensor {
  return to(reshape(sumTo(t, shape.slice(Math.max(shape.length - t.rank, 0))), shape), dtype);
}

/** The gradient of an op that is its own gradient. The in-place form gets a copy to write to. */
export const selfGradient: GradientRule = (call) => {
  const rest = call.args.slice(1);
  const isInPlace = call.results[0] === call.args[0];
  return ([g]) => [call.again(isInPlace ? clone(g) : g, ...rest) as Tensor];
};
