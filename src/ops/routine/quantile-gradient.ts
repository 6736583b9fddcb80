/**
 * Gradients of quantiles: the two elements around a rank share by how near it is to each, and a share q has the slope between them.
 * Rows are sorted anew on the way back.
 */
import { axisOf } from "../../tensor/axes.ts";
import { fromData } from "../../tensor/create/from-data.ts";
import type { Backward, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { add, clampMin, mul, sub } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { eq, lt } from "../elementwise/comparison.ts";
import { ceil, floor, round } from "../elementwise/functions.ts";
import { collect, spread } from "../movement/spread.ts";
import { sum } from "../reduce/reduce.ts";
import { movedim, reshape, to } from "../views.ts";
import type { Interpolation } from "./quantile.ts";
import { sort } from "./sort-ops.ts";

interface Given {
  readonly x: Tensor;
  readonly q: number | readonly number[] | Tensor;
  readonly axis: number | string | null;
  readonly interpolation: Interpolation;
}

/** The ranks of one element each, where no two are mixed. */
const chosen: Readonly<Partial<Record<Interpolation, (rank: Tensor) => Tensor>>> = {
  lower: (rank) => floor(rank as never) as Tensor,
  higher: (rank) => ceil(rank as never) as Tensor,
  nearest: (rank) => round(rank as never) as Tensor,
};

/** The rule of quantile, and with `skipNaN` of nanquantile. */
export const quantileGradient =
  (skipNaN: boolean) =>
  ({ x, q, axis, interpolation }: Given, call: RecordedCall): Backward => {
    const [shape, { dtype, rank }] = [sizesOf(x), x];
    const at = axis === null || rank === 0 ? null : axisOf("quantile", x, axis);
    const kept = call.save(x);
    const isAsked = call.needs(q) && interpolation === "linear";
    const shares = q instanceof Tensor ? call.save(q) : () => fromData([q].flat(), { dtype }, "quantile");
    return ([given]) => {
      const rows = at === null ? reshape(kept(), [-1]) : movedim(kept(), at, -1);
      const sizes = sizesOf(rows);
      const last = sizes.length - 1;
      const n = sizes[last] as number;
      const { values, indices } = sort(rows, -1) as { values: Tensor; indices: Tensor };
      const list = reshape(shares(), [-1]);
      const counts = sum(to(eq(values, values) as Tensor, dtype), -1, { keepdims: true }) as Tensor;
      const ends = skipNaN ? (sub(counts, 1) as Tensor) : n - 1;
      const exact = mul(list, ends as never) as Tensor;
      const ranks = (skipNaN ? clampMin(exact, 0) : where(lt(counts, n), n - 1, exact)) as Tensor;
      const g = movedim(reshape(given as Tensor, [list.size, ...sizes.slice(0, last)]), 0, -1);
      const placesOf = (rank: Tensor): Tensor => to(rank, "int32");
      const back = (part: Tensor, rank: Tensor): Tensor =>
        spread(part, last, collect(indices, last, placesOf(rank)), sizes);
      const whole = (t: Tensor): Tensor => (at === null ? reshape(t, shape) : movedim(t, -1, at));
      const one = chosen[interpolation];
      if (one !== undefined) return [whole(back(g, one(ranks)))];
      const [low, high] = [floor(ranks as never) as Tensor, ceil(ranks as never) as Tensor];
      const part = interpolation === "midpoint" ? 0.5 : (sub(ranks, low) as Tensor);
      const second = mul(g, part) as Tensor;
      const total = add(back(sub(g, second) as Tensor, low), back(second, high)) as Tensor;
      if (!isAsked) return [whole(total)];
      const slope = sub(collect(values, last, placesOf(high)), collect(values, last, placesOf(low)));
      const each = reshape(mul(mul(g, slope as never), ends as never) as Tensor, [-1, list.size]);
      return [whole(total), reshape(sum(each, 0) as Tensor, sizesOf(shares()))];
    };
  };
