/** Gradients of reading by index: what was read is added up where it came from. */
import { axisOf } from "../../tensor/axes.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizeAt, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { remainder } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { eq } from "../elementwise/comparison.ts";
import { reshape, unsqueeze } from "../views.ts";
import { rowsOf, spread, spreadFlat } from "./spread.ts";

export const gatherGradient: GradientRule = (call) => {
  const [x, axis, index] = call.args as [Tensor, number, Tensor];
  const [shape, at, places] = [sizesOf(x), axisOf("gather", x, axis), call.save(index)];
  return ([g]) => [spread(g, at, places(), shape)];
};

export const rowGradient: GradientRule = (call) => {
  const [x, axis, index] = call.args as [Tensor, number, Tensor];
  const [shape, at, places] = [sizesOf(x), axisOf("indexSelect", x, axis), call.save(index)];
  return ([g]) => [spread(g, at, rowsOf(places(), at, sizesOf(g)), shape)];
};

/** Indices from 0 up, negative ones counted from the end. */
export const fromStart = (index: Tensor, size: number): Tensor => remainder(index, Math.max(size, 1));

export const takeGradient: GradientRule = (call) => {
  const [x, index] = call.args as [Tensor, Tensor];
  const [shape, { size }, places] = [sizesOf(x), x, call.save(index)];
  return ([g]) => [spreadFlat(g, fromStart(places(), size), shape)];
};

/** The padding row gets nothing. */
export const embeddingGradient: GradientRule = (call) => {
  const [indices, weight, options] = call.args as [Tensor, Tensor, { paddingIdx?: number | null }?];
  const [shape, width, places] = [sizesOf(weight), sizeAt(weight, 1), call.save(indices)];
  const padding = options?.paddingIdx ?? null;
  return ([g]) => {
    const list = reshape(places(), [-1]);
    const rows = reshape(g, [list.size, width]);
    const skipped = padding === null ? null : eq(list, padding < 0 ? padding + shape[0] : padding);
    const counted = skipped === null ? rows : where(unsqueeze(skipped, -1), 0, rows);
    return [null, spread(counted, 0, rowsOf(list, 0, [list.size, width]), shape)];
  };
};
