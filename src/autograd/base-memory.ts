/**
 * Memory with the layout of a base, to compute the gradient of the base from gradients of its views, or its tangent from tangents written to
 * them: the elements of the base and its views have the same offsets as in the base.
 */
import { indicesLike } from "../ops/composite/tensors-like.ts";
import { indexAdd } from "../ops/movement/scatter.ts";
import { type DType, realDType } from "../storage/dtype.ts";
import { zerosBeside } from "../tensor/create/create-ops.ts";
import { sizesOf, spanOf, stridesOf } from "../tensor/geometry.ts";
import { isComplexTensor } from "../tensor/operand.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { asStrided, contiguous, copy_, reshape, viewAsComplex, viewAsReal } from "../tensor/views/view-ops.ts";

/** The sizes, strides and offset of elements. */
export interface Geometry {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  readonly start: number;
  /** True for complex elements seen as pairs: the last axis is real and imaginary part. */
  readonly isPair: boolean;
}

/** The geometry of a tensor; with `byParts`, that of the real numbers that its elements consist of. */
export function geometryOf(t: Tensor, byParts = false): Geometry {
  const [sizes, strides] = [sizesOf(t), stridesOf(t, "backward")];
  if (!byParts || !isComplexTensor(t)) return { sizes, strides, start: t.start, isPair: false };
  return { sizes: [...sizes, 2], strides: [...strides.map((d) => 2 * d), 1], start: 2 * t.start, isPair: true };
}

/** True for a view of complex numbers as their parts, or of parts as complex numbers. */
export const seesParts = (base: Tensor, view: Tensor): boolean =>
  base.dtype !== view.dtype && realDType(base.dtype) === realDType(view.dtype);

/** Memory with the layout of a base, initially zeros. */
export class BaseMemory {
  readonly #flat: Tensor;
  readonly #low: number;
  readonly #base: Geometry;

  constructor(base: Geometry, reach: readonly [low: number, high: number], dtype: DType, gradient: Tensor) {
    this.#low = reach[0];
    this.#base = base;
    this.#flat = zerosBeside(gradient, [Math.max(0, reach[1] - reach[0] + 1)], dtype);
  }

  /** The elements of this geometry. */
  part(geometry: Geometry): Tensor {
    return this.#partOf(this.#flat, geometry);
  }

  #partOf(flat: Tensor, { sizes, strides, start, isPair }: Geometry): Tensor {
    const t = asStrided(flat, sizes, strides, start - this.#low);
    return isPair ? viewAsComplex(t) : t;
  }

  /** The base with a gradient added at the elements of a view, which may contain an element several times. */
  withAdded(view: Geometry, gradient: Tensor): Tensor {
    if (this.part(view).overlap === "no") {
      copy_(this.part(view), gradient);
      return this.whole();
    }
    const { size, dtype } = this.#flat;
    const numbers = asStrided(indicesLike(gradient, size), view.sizes, view.strides, view.start - this.#low);
    const added = view.isPair ? viewAsReal(contiguous(gradient)) : gradient;
    const total = indexAdd(zerosBeside(gradient, [size], dtype), 0, reshape(numbers, [-1]), reshape(added, [-1]));
    return this.#partOf(total, this.#base);
  }

  whole(): Tensor {
    return this.part(this.#base);
  }
}

/** Returns a function that allocates such memory for a gradient, without holding the base; with `byParts`, over real numbers. */
export function memoryLike(base: Tensor, byParts = false): (gradient: Tensor) => BaseMemory {
  const [geometry, [low, high], { dtype }] = [geometryOf(base, byParts), spanOf(base, base.start), base];
  if (!byParts) return (gradient) => new BaseMemory(geometry, [low, high], dtype, gradient);
  // Complex numbers begin at even offsets.
  const reach = geometry.isPair ? ([2 * low, 2 * high + 1] as const) : ([low - (low % 2), high] as const);
  return (gradient) => new BaseMemory(geometry, reach, realDType(dtype), gradient);
}
