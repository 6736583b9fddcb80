/**
 * Gradients of writing to single places, by one index tensor for each axis, by row-major indices, and where a mask is true, and of
 * reading where a mask is true.
 */
import { _ } from "../../layout/coord.ts";
import type { Index } from "../../tensor/access/indexing.ts";
import { zeros } from "../../tensor/create/create.ts";
import type { GradientRule, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { broadcastTwo } from "../../tensor/views/view-shape.ts";
import { where } from "../elementwise/choose.ts";
import { sumTo } from "../sum-to.ts";
import { at, clone, expand, reshape, to, unsqueeze } from "../views.ts";
import { fromStart } from "./gather-gradient.ts";
import { integersOf, positionsOf } from "./positions.ts";
import { clearedFlat, collectFlat, filledTo, lasting, spreadFlat } from "./spread.ts";

/** Items of an index with tensors kept for the way back. */
export function keptItems(call: RecordedCall, items: readonly Index[]): () => Index[] {
  const kept = items.map((item) => (item instanceof Tensor ? call.save(item) : () => item));
  return () => kept.map((item) => item());
}

/** The gradient of values that were broadcast to where they were written; they may have more axes of size 1 in front. */
export function valuesBack(t: Tensor, { shape, dtype }: { shape: readonly number[]; dtype: Tensor["dtype"] }): Tensor {
  return to(reshape(sumTo(t, shape.slice(Math.max(shape.length - t.rank, 0))), shape), dtype);
}

interface Options {
  readonly accumulate?: boolean;
}

const likeOf = (call: RecordedCall, values: Tensor) =>
  call.needs(values) ? { shape: sizesOf(values), dtype: values.dtype } : null;

export const indexPutGradient: GradientRule = (call) => {
  const [x, indices, values, options] = call.args as [Tensor, readonly (Tensor | null)[], Tensor, Options?];
  const [needsX, isAdded, isInPlace] = [call.needs(x), options?.accumulate === true, call.results[0] === x];
  const shape = sizesOf(x);
  const like = likeOf(call, values);
  const kept = indices.map((index) => (index === null ? null : call.save(index)));
  // Here a scalar is an index like others; for `at` it is an integer.
  const isList = indices.some((index) => index !== null && index.rank > 0);
  const items = (): Index[] =>
    kept.map((index) => {
      const item = index?.() ?? _;
      return isList && item instanceof Tensor && item.rank === 0 ? unsqueeze(item, 0) : item;
    });
  return ([given]) => {
    const g = given;
    const none = zeros([], { dtype: g.dtype });
    const write = (t: Tensor, from: Tensor): Tensor =>
      call.again(
        t,
        kept.map((index) => index?.() ?? null),
        from,
      ) as Tensor;
    const met = (t: Tensor): Tensor => at(t, items());
    const last = (): Tensor => (isAdded ? met(g) : lasting(met(g), shape, write, met));
    return [
      !needsX ? null : isAdded ? g : write(isInPlace ? clone(g) : g, none),
      null,
      like === null ? null : valuesBack(last(), like),
    ];
  };
};

export const putGradient: GradientRule = (call) => {
  const [x, index, source, options] = call.args as [Tensor, Tensor, Tensor, Options?];
  const [needsX, isAdded, { size }, kept] = [call.needs(x), options?.accumulate === true, x, call.save(index)];
  const like = likeOf(call, source);
  const places = (): Tensor => reshape(fromStart(kept(), size), [-1]);
  const met = (t: Tensor): Tensor => collectFlat(t, places());
  const shape = sizesOf(x);
  const last = (g: Tensor): Tensor =>
    isAdded ? met(g) : lasting(met(g), shape, (t, from) => call.again(t, places(), from), met);
  return ([g]) => [
    !needsX ? null : isAdded ? g : clearedFlat(g, places()),
    null,
    like === null ? null : reshape(last(g), like.shape),
  ];
};

export const maskedScatterGradient: GradientRule = (call) => {
  const [x, mask, source] = call.args as [Tensor, Tensor, Tensor];
  const [needsX, needsSource] = [call.needs(x), call.needs(source)];
  const [shape, sourceShape, { size }, kept] = [sizesOf(x), sizesOf(source), source, call.save(mask)];
  return ([given]) => {
    const g = given;
    const found = needsSource ? positionsOf(expand(kept(), sizesOf(g))) : new Int32Array(0);
    return [
      needsX ? sumTo(where(kept(), 0, g), shape) : null,
      null,
      needsSource ? reshape(filledTo(collectFlat(g, integersOf(found, [found.length])), [size]), sourceShape) : null,
    ];
  };
};

/** What a mask chose goes back to its place. */
export const selectGradient: GradientRule = (call) => {
  const [x, mask] = call.args as [Tensor, Tensor];
  const [shape, kept] = [sizesOf(x), call.save(mask)];
  const whole = broadcastTwo("maskedSelect", shape, sizesOf(mask));
  return ([g]) => {
    const found = positionsOf(expand(kept(), whole));
    return [sumTo(spreadFlat(g, integersOf(found, [found.length]), whole), shape)];
  };
};
