/**
 * The gradient of a base by what reaches its views: memory like that of the base, in which its elements and those of its views have their
 * places.
 */
import { indexAdd } from "../ops/movement/scatter.ts";
import { zeros } from "../tensor/create/create.ts";
import { arange } from "../tensor/create/ranges.ts";
import { sizesOf, spanOf, stridesOf } from "../tensor/geometry.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { asStrided, copy_, reshape } from "../tensor/views/view-ops.ts";

/** How elements lie, as numbers. */
export interface Geometry {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  readonly start: number;
}

export const geometryOf = (t: Tensor): Geometry => ({
  sizes: sizesOf(t),
  strides: stridesOf(t, "backward"),
  start: t.start,
});

/** Zeros at first. */
export class BaseMemory {
  private readonly flat: Tensor;
  private readonly low: number;
  private readonly base: Geometry;

  constructor(base: Geometry, reach: readonly [low: number, high: number], dtype: Tensor["dtype"]) {
    this.low = reach[0];
    this.base = base;
    this.flat = zeros([Math.max(0, reach[1] - reach[0] + 1)], { dtype });
  }

  place({ sizes, strides, start }: Geometry): Tensor {
    return asStrided(this.flat, sizes, strides, start - this.low);
  }

  /** The base with a gradient added where a view lies, which may see an element several times. */
  withAdded(view: Geometry, gradient: Tensor): Tensor {
    if (this.place(view).overlap === "no") {
      copy_(this.place(view), gradient);
      return this.whole();
    }
    const { size, dtype } = this.flat;
    const numbers = asStrided(arange(0, size, 1, { dtype: "int32" }), view.sizes, view.strides, view.start - this.low);
    const flat = zeros([size], { dtype });
    const total = indexAdd(flat, 0, reshape(numbers, [-1]), reshape(gradient, [-1]) as never) as Tensor;
    return asStrided(total, this.base.sizes, this.base.strides, this.base.start - this.low);
  }

  whole(): Tensor {
    return this.place(this.base);
  }
}

/** Makes such memory, without holding the base. */
export function memoryLike(base: Tensor): () => BaseMemory {
  const [geometry, reach, { dtype }] = [geometryOf(base), spanOf(base, base.start), base];
  return () => new BaseMemory(geometry, reach, dtype);
}
