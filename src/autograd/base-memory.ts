/**
 * The gradient of a base by what reaches its views, or its tangent by what is written to them: memory like that of the base, in which its
 * elements and those of its views have their places.
 */
import { indexAdd } from "../ops/movement/scatter.ts";
import { type DType, realDType } from "../storage/dtype.ts";
import { zerosBeside } from "../tensor/create/create-ops.ts";
import { arange } from "../tensor/create/ranges.ts";
import { sizesOf, spanOf, stridesOf } from "../tensor/geometry.ts";
import { isComplexTensor } from "../tensor/operand.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { asStrided, contiguous, copy_, reshape, viewAsComplex, viewAsReal } from "../tensor/views/view-ops.ts";

/** How elements lie, as numbers. */
export interface Geometry {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  readonly start: number;
  /** Of complex elements counted by their parts: the last axis is real and imaginary part. */
  readonly isPair: boolean;
}

/** How the elements of a tensor lie, or if asked for the real numbers that they are made of. */
export function geometryOf(t: Tensor, byParts = false): Geometry {
  const [sizes, strides] = [sizesOf(t), stridesOf(t, "backward")];
  if (!byParts || !isComplexTensor(t)) return { sizes, strides, start: t.start, isPair: false };
  return { sizes: [...sizes, 2], strides: [...strides.map((d) => 2 * d), 1], start: 2 * t.start, isPair: true };
}

/** True of a view that sees the parts of complex numbers, or parts as complex numbers. */
export const seesParts = (base: Tensor, view: Tensor): boolean =>
  base.dtype !== view.dtype && realDType(base.dtype) === realDType(view.dtype);

/** Zeros at first. */
export class BaseMemory {
  readonly #flat: Tensor;
  readonly #low: number;
  readonly #base: Geometry;

  constructor(base: Geometry, reach: readonly [low: number, high: number], dtype: DType, gradient: Tensor) {
    this.#low = reach[0];
    this.#base = base;
    this.#flat = zerosBeside(gradient, [Math.max(0, reach[1] - reach[0] + 1)], dtype);
  }

  place(geometry: Geometry): Tensor {
    return this.#placed(this.#flat, geometry);
  }

  #placed(flat: Tensor, { sizes, strides, start, isPair }: Geometry): Tensor {
    const t = asStrided(flat, sizes, strides, start - this.#low);
    return isPair ? viewAsComplex(t) : t;
  }

  /** The base with a gradient added where a view lies, which may see an element several times. */
  withAdded(view: Geometry, gradient: Tensor): Tensor {
    if (this.place(view).overlap === "no") {
      copy_(this.place(view), gradient);
      return this.whole();
    }
    const { size, dtype } = this.#flat;
    const numbers = asStrided(arange(0, size, 1, { dtype: "int32" }), view.sizes, view.strides, view.start - this.#low);
    const added = view.isPair ? viewAsReal(contiguous(gradient)) : gradient;
    const total = indexAdd(zerosBeside(gradient, [size], dtype), 0, reshape(numbers, [-1]), reshape(added, [-1]));
    return this.#placed(total, this.#base);
  }

  whole(): Tensor {
    return this.place(this.#base);
  }
}

/** Makes such memory for a gradient, without holding the base; if asked for, of the real numbers that its elements are made of. */
export function memoryLike(base: Tensor, byParts = false): (gradient: Tensor) => BaseMemory {
  const [geometry, [low, high], { dtype }] = [geometryOf(base, byParts), spanOf(base, base.start), base];
  if (!byParts) return (gradient) => new BaseMemory(geometry, [low, high], dtype, gradient);
  // Complex numbers begin at even places.
  const reach = geometry.isPair ? ([2 * low, 2 * high + 1] as const) : ([low - (low % 2), high] as const);
  return (gradient) => new BaseMemory(geometry, reach, realDType(dtype), gradient);
}
