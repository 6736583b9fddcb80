/**
 * Pooling to a given output size m: the window of output i is from floor(i n / m) to ceil((i + 1) n / m).
 */

import { ShapeError } from "../../base/errors.ts";
import { product } from "../../base/ints.ts";
import { listOf } from "../../base/list-of.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import type { TypedArray } from "../../storage/dtype.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { dataOf } from "../../tensor/in-place.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkFloat } from "../composite/rows.ts";
import { add, mul } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { indexDType } from "../indices.ts";
import { gather, indexSelect } from "../movement/gather.ts";
import { cat } from "../movement/join.ts";
import { compositeOp, structuredOp } from "../op.ts";
import { mean } from "../reduce/reduce.ts";
import type { ValuesIndices } from "../reduce/reduce-types.ts";
import { checkReal, denseOf, elementsIn, indexTensor } from "../routine/dense-elements.ts";
import { shapeOf } from "../shape-rules.ts";
import { clone, narrow, reshape } from "../views.ts";
import type { OverWindows, Pooled, PooledShape, WindowRank } from "./contract-types.ts";

/** The type of adaptive average pooling. */
export type AdaptivePool<N extends WindowRank = WindowRank> = OverWindows<
  [outputSize: number | readonly (number | null)[]],
  N
>;

function adaptiveSizes(
  name: string,
  x: Tensor,
  outputSize: number | readonly (number | null)[],
  axes: number,
): number[] {
  if (x.rank !== axes + 1 && x.rank !== axes + 2)
    throw new ShapeError(`${name}: expected ${axes + 1} or ${axes + 2} axes, got shape ${showShape(x)}`);
  const sizes = sizesOf(x).slice(-axes);
  const list = typeof outputSize === "number" ? sizes.map(() => outputSize) : outputSize;
  if (!Array.isArray(list) || list.length !== axes)
    throw new ShapeError(`${name}: outputSize must have ${axes} elements, got ${describeValue(outputSize)}`);
  for (const size of list) {
    if (size !== null && (!Number.isInteger(size) || size < 0))
      throw new ShapeError(`${name}: output sizes must be at least 0, got ${size}`);
    checkResultBytes(name, size ?? 0);
  }
  return list.map((size, axis) => size ?? sizes[axis]);
}

/** The start and end of each window. */
const rangesOf = (size: number, count: number): [start: number, end: number][] =>
  listOf(count, (i) => [Math.floor((i * size) / count), Math.ceil(((i + 1) * size) / count)]);

function adaptiveAverage<N extends WindowRank>(axes: N): AdaptivePool<N> {
  const name = `adaptiveAvgPool${axes}d`;
  return compositeOp(
    `${name}(x: Tensor, outputSize: any, ...)`,
    (x: Tensor, outputSize: number | readonly (number | null)[]) => {
      let result = x;
      checkFloat(name, x.dtype);
      adaptiveSizes(name, x, outputSize, axes).forEach((count, k) => {
        const axis = x.rank - axes + k;
        const sizes = sizesOf(result);
        const size = sizes[axis];
        if (count === size) return;
        if (count > 0 && size % count === 0) {
          // The windows do not overlap.
          const parts = reshape(result, sizes.toSpliced(axis, 1, count, size / count));
          result = mean(parts, axis + 1);
          return;
        }
        if (count > size && size > 0) {
          // Windows of one or two elements: the mean of the first and the last.
          const half = (indexOf: (i: number) => number): Tensor => {
            const index = indexTensor(
              Int32Array.from({ length: count }, (_, i) => indexOf(i)),
              [count],
            );
            return mul(indexSelect(result, axis, index), 0.5);
          };
          const first = half((i) => Math.floor((i * size) / count));
          result = add(
            first,
            half((i) => Math.ceil(((i + 1) * size) / count) - 1),
          );
          return;
        }
        const pieces = rangesOf(size, count).map(([start, end]) =>
          mean(narrow(result, axis, start, end - start), axis, { keepdims: true }),
        );
        result = count === 0 ? narrow(result, axis, 0, 0) : cat(pieces, axis);
      });
      return result === x ? clone(x) : result;
    },
  );
}

interface MaxOptions {
  /** Also returns the index of each maximum in its plane. Default: false. */
  readonly returnIndices?: boolean | undefined;
}
/** The type of adaptive max pooling. */
export interface AdaptiveMax<N extends WindowRank = WindowRank> extends OpFunction {
  /** Returns the maximum of each window and its index in the plane. */
  <X extends Tensor>(
    x: X,
    outputSize: number | readonly (number | null)[],
    options: MaxOptions & { readonly returnIndices: true },
  ): ValuesIndices<PooledShape<X["shape"], N>, X["dtype"]>;
  /** Returns the maximum of each window. */
  <X extends Tensor>(
    x: X,
    outputSize: number | readonly (number | null)[],
    options?: MaxOptions & { readonly returnIndices?: false },
  ): Pooled<X, N>;
}

/** Adds leading sizes of 1 up to three axes. */
const elementsOfThree = (sizes: readonly number[]): Sizes => [...[1, 1].slice(sizes.length - 1), ...sizes] as never;
type Sizes = readonly [number, number, number];

/** Writes the index in its plane of the maximum of each window; NaN counts as the maximum. */
function largestIn(elements: TypedArray, [d, h, w]: Sizes, counts: Sizes, result: Int32Array): void {
  const start = (i: number, size: number, count: number): number => Math.floor((i * size) / count);
  const end = (i: number, size: number, count: number): number => Math.ceil(((i + 1) * size) / count);
  const [depth, height, width] = counts;
  for (let plane = 0, at = 0; at < result.length; plane += d * h * w)
    for (let i = 0; i < depth; i++)
      for (let j = 0; j < height; j++)
        for (let k = 0; k < width; k++) {
          let best = -1;
          let max: number | bigint = -Infinity;
          for (let x = start(i, d, depth); x < end(i, d, depth); x++)
            for (let y = start(j, h, height); y < end(j, h, height); y++)
              for (let z = start(k, w, width); z < end(k, w, width); z++) {
                const index = (x * h + y) * w + z;
                const value = elements[plane + index];
                const isFirstNaN = Number.isNaN(value) && !Number.isNaN(max);
                if (best >= 0 && !(value > max) && !isFirstNaN) continue;
                best = index;
                max = value;
              }
          result[at++] = best;
        }
}

interface LargestIndices extends OpFunction {
  (x: Tensor, counts: readonly number[]): Tensor;
}

/** The index in its plane of the maximum of each window, for these numbers of windows along the last axes. */
const largestIndices: LargestIndices = /* @__PURE__ */ structuredOp<LargestIndices, Parameters<LargestIndices>>(
  "adaptiveMaxIndices(x: Tensor, counts: ints)",
  "routine",
  {
    linear: "none",
    infer: (x, counts) => ({ dtype: indexDType, shape: [...shapeOf(x).slice(0, -counts.length), ...counts] }),
    fill([indices], x, counts) {
      const elements = elementsIn(denseOf(x), "adaptiveMaxPool");
      const result = elementsIn(indices, "adaptiveMaxPool", true) as Int32Array;
      largestIn(elements, elementsOfThree(sizesOf(x).slice(-counts.length)), elementsOfThree(counts), result);
    },
  },
);

function adaptiveMax<N extends WindowRank>(axes: N): AdaptiveMax<N> {
  const name = `adaptiveMaxPool${axes}d`;
  type Size = number | readonly (number | null)[];
  return compositeOp(
    `${name}(x: Tensor, outputSize: any; returnIndices)`,
    (x: Tensor, outputSize: Size, options?: MaxOptions) => {
      const counts = adaptiveSizes(name, x, outputSize, axes);
      const sizes = sizesOf(x).slice(-axes);
      const front = sizesOf(x).slice(0, -axes);
      const total = product(counts);
      checkReal(name, x);
      if (total > 0 && product(sizes) === 0)
        throw new ShapeError(`${name}: the axes after the batch must not be empty, got ${showShape(x)}`);
      const indices = largestIndices(dataOf(x), counts);
      // Gathered by index, so that gradients reach the maxima.
      const flatIndices = reshape(indices, [...front, total]);
      const flatValues = gather(reshape(x, [...front, product(sizes)]), -1, flatIndices);
      const values = reshape(flatValues, [...front, ...counts]);
      return options?.returnIndices === true ? { values, indices } : values;
    },
    "composite",
    { batch: `folded ${axes + 1}` },
  );
}

/** Applies 1D adaptive average pooling to signals: windows are chosen so that the output has the size `outputSize`. */
export const adaptiveAvgPool1d: AdaptivePool<1> = /* @__PURE__ */ adaptiveAverage(1);
/** Applies 2D adaptive average pooling to images: windows are chosen so that the output has the size `outputSize`. */
export const adaptiveAvgPool2d: AdaptivePool<2> = /* @__PURE__ */ adaptiveAverage(2);
/** Applies 3D adaptive average pooling to volumes: windows are chosen so that the output has the size `outputSize`. */
export const adaptiveAvgPool3d: AdaptivePool<3> = /* @__PURE__ */ adaptiveAverage(3);
/** Applies 1D adaptive max pooling to signals: windows are chosen so that the output has the size `outputSize`. With returnIndices, also returns the indices of the maxima. */
export const adaptiveMaxPool1d: AdaptiveMax<1> = /* @__PURE__ */ adaptiveMax(1);
/** Applies 2D adaptive max pooling to images: windows are chosen so that the output has the size `outputSize`. With returnIndices, also returns the indices of the maxima. */
export const adaptiveMaxPool2d: AdaptiveMax<2> = /* @__PURE__ */ adaptiveMax(2);
/** Applies 3D adaptive max pooling to volumes: windows are chosen so that the output has the size `outputSize`. With returnIndices, also returns the indices of the maxima. */
export const adaptiveMaxPool3d: AdaptiveMax<3> = /* @__PURE__ */ adaptiveMax(3);
