/**
 * How gradients pass through reading and writing by index tensors: what was read is added up where it came from; what is written over
 * gets none. Places are found by choosing among the numbers of all elements, of the axes that an index reaches.
 */
import { keptItems, lasting, rowsOf, spread, valuesBack } from "../ops/movement/spread.ts";
import { isMask } from "../tensor/access/advanced-index.ts";
import type { Index } from "../tensor/access/indexing.ts";
import { type Axis, axisOf } from "../tensor/axes.ts";
import { arange } from "../tensor/create/ranges.ts";
import type { GradientRule } from "../tensor/dispatch/gradient.ts";
import type { Operator } from "../tensor/dispatch/operator.ts";
import { sizeOf, sizesOf } from "../tensor/geometry.ts";
import { Tensor } from "../tensor/tensor.ts";
import { assignAt, at, clone, reshape } from "../tensor/views/view-ops.ts";

/** How many axes in front the items of `at` are about; all of them where that is not plain. */
function axesReached(items: readonly Index[], rank: number): number {
  let count = 0;
  for (const item of items) {
    if (item === "..." || Array.isArray(item)) return rank;
    if (item instanceof Tensor) count += isMask(item) ? item.rank : 1;
    else if (item !== null && typeof item !== "boolean") count++;
  }
  return count;
}

/** Reading that copies: by items for all axes, as `at` does, or along one axis, as `pick` does. */
export const reading =
  (op: Operator, isAt: boolean): GradientRule =>
  (call) => {
    const [x, given, axis = 0] = call.args as [Tensor, readonly Index[] | Tensor, Axis?];
    const shape = sizesOf(x);
    const reached = isAt ? axesReached(given as readonly Index[], x.rank) : axisOf("pick", x, axis) + 1;
    const [outer, inner] = [shape.slice(0, reached), sizeOf(shape.slice(reached))];
    const items = given instanceof Tensor ? call.save(given) : isAt ? keptItems(call, given) : () => given;
    return ([g]) => {
      const numbers = reshape(arange(0, sizeOf(outer), 1, { dtype: "int32" }), outer);
      const places = reshape(op.call(isAt ? [numbers, items()] : [numbers, items(), reached - 1]) as Tensor, [-1]);
      const rows = [places.size, inner];
      return [reshape(spread(reshape(g, rows), 0, rowsOf(places, 0, rows), [sizeOf(outer), inner]), shape)];
    };
  };

/** Writing by items. */
export const assigned: GradientRule = (call) => {
  const [x, given, value] = call.args as [Tensor, readonly Index[], unknown];
  const items = keptItems(call, given);
  const needsX = call.needs(x);
  const like = value instanceof Tensor && call.needs(value) ? { shape: sizesOf(value), dtype: value.dtype } : null;
  // Only integers in tensors name a place twice.
  const mayRepeat = given.some((item) => item instanceof Tensor && !isMask(item));
  const met = (t: Tensor): Tensor => at(t, items());
  const last = (g: Tensor): Tensor =>
    mayRepeat ? lasting(met(g), sizesOf(g), (t, from) => assignAt(t, items(), from), met) : met(g);
  return ([g]) => [
    needsX ? assignAt(clone(g), items(), 0) : null,
    null,
    like === null ? null : valuesBack(last(g), like),
  ];
};
