/**
 * Pooling to a given size: result i of m is made of the elements from floor(i n / m) to ceil((i + 1) n / m).
 */
import { ShapeError } from "../../base/errors.ts";
import { product } from "../../base/ints.ts";
import { contiguous, flatten } from "../../tensor/clone.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { dataOf } from "../../tensor/in-place.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow as cut } from "../../tensor/views/views-parts.ts";
import { checkFloat } from "../composite/rows.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { gather } from "../movement/gather.ts";
import { cat } from "../movement/join.ts";
import { compositeOp, fresh } from "../op.ts";
import { positionDType } from "../positions.ts";
import { argmax, mean } from "../reduce/reduce.ts";
import type { ValuesIndices } from "../reduce/reduce-types.ts";
import { show } from "../shape-rules.ts";
import { clone, narrow, reshape } from "../views.ts";
import { placesIn } from "./windows.ts";

/** A pooling to a given size. */
export interface AdaptivePool<R> extends OpFunction {
  (x: Tensor, outputSize: number | readonly (number | null)[]): R;
}

function adaptiveSizes(
  name: string,
  x: Tensor,
  outputSize: number | readonly (number | null)[],
  axes: number,
): number[] {
  checkTensor(name, x);
  if (x.rank !== axes + 1 && x.rank !== axes + 2)
    throw new ShapeError(`${name}: Expected ${axes + 1}D or ${axes + 2}D input, but got ${show(sizesOf(x))}`);
  const sizes = sizesOf(x).slice(-axes);
  const list = typeof outputSize === "number" ? sizes.map(() => outputSize) : outputSize;
  if (!Array.isArray(list) || list.length !== axes)
    throw new ShapeError(`${name}: outputSize must have ${axes} elements, got ${describeValue(outputSize)}`);
  for (const size of list)
    if (size !== null && (!Number.isInteger(size) || size < 0))
      throw new ShapeError(`${name}: elements of output_size must be greater than or equal to 0 but received ${size}`);
  return list.map((size, axis) => size ?? (sizes[axis] as number));
}

/** The window of each result: from floor(i n / m) to ceil((i + 1) n / m). */
const rangesOf = (size: number, count: number): [start: number, end: number][] =>
  Array.from({ length: count }, (_, i) => [Math.floor((i * size) / count), Math.ceil(((i + 1) * size) / count)]);

function adaptiveAverage(axes: number): AdaptivePool<Tensor> {
  const name = `adaptiveAvgPool${axes}d`;
  return compositeOp(`${name}(x, outputSize*)`, (x: Tensor, outputSize: number | readonly (number | null)[]) => {
    let result = x;
    checkFloat(name, x.dtype);
    adaptiveSizes(name, x, outputSize, axes).forEach((count, k) => {
      const axis = x.rank - axes + k;
      const sizes = sizesOf(result);
      const size = sizes[axis] as number;
      if (count === size) return;
      if (count > 0 && size % count === 0) {
        // Windows side by side.
        const parts = reshape(result, sizes.toSpliced(axis, 1, count, size / count));
        result = mean(parts, axis + 1) as Tensor;
        return;
      }
      const pieces = rangesOf(size, count).map(
        ([start, end]) => mean(narrow(result, axis, start, end - start), axis, { keepdims: true }) as Tensor,
      );
      result = count === 0 ? narrow(result, axis, 0, 0) : (cat(pieces, axis) as Tensor);
    });
    return result === x ? clone(x) : result;
  });
}

interface MaxOptions {
  /** Gives the place in the plane of each largest element, too. */
  readonly returnIndices?: boolean | undefined;
}
/** A pooling to a given size with the largest elements. */
export interface AdaptiveMax extends OpFunction {
  /** The largest element of each window, and its place in the plane. */
  (
    x: Tensor,
    outputSize: number | readonly (number | null)[],
    options: MaxOptions & { readonly returnIndices: true },
  ): ValuesIndices;
  /** The largest element of each window. */
  (
    x: Tensor,
    outputSize: number | readonly (number | null)[],
    options?: MaxOptions & { readonly returnIndices?: false },
  ): Tensor;
}

function adaptiveMax(axes: number): AdaptiveMax {
  const name = `adaptiveMaxPool${axes}d`;
  type Size = number | readonly (number | null)[];
  return compositeOp(
    `${name}(x, outputSize*); 2 returnIndices`,
    (x: Tensor, outputSize: Size, options?: MaxOptions) => {
      const counts = adaptiveSizes(name, x, outputSize, axes);
      const sizes = sizesOf(x).slice(-axes);
      const front = sizesOf(x).slice(0, -axes);
      const ranges = counts.map((count, axis) => rangesOf(sizes[axis] as number, count));
      const indices = fresh(positionDType, [...front, ...counts], x);
      const total = product(counts);
      const source = dataOf(x);
      for (let i = 0; i < total; i++) {
        const coord: number[] = [];
        for (let axis = axes - 1, left = i; axis >= 0; axis--) {
          coord[axis] = left % (counts[axis] as number);
          left = Math.floor(left / (counts[axis] as number));
        }
        const windows = coord.map((at, axis) => (ranges[axis] as [number, number][])[at] as [number, number]);
        let [part, index] = [source, indices];
        windows.forEach(([start, end], axis) => {
          part = cut(part, front.length + axis, start, end - start);
          index = cut(index, front.length + axis, coord[axis] as number, 1);
        });
        const flat = flatten(contiguous(part), -axes, -1);
        const kernel = windows.map(([start, end]) => end - start);
        const within = reshape(argmax(flat, -1) as Tensor, sizesOf(index)) as Tensor;
        const ones = kernel.map(() => 1);
        const before = windows.map(([start]) => -start);
        copyAll(placesIn(x, within, { kernel, stride: ones, dilation: ones, before, after: ones }, ones), index, name);
      }
      // Of the same elements, so that gradients go to them.
      const places = reshape(indices, [...front, total]);
      const flatValues = gather(reshape(x, [...front, product(sizes)]), -1, places as never) as Tensor;
      const values = reshape(flatValues, [...front, ...counts]);
      return options?.returnIndices === true ? { values, indices } : values;
    },
  );
}

/** Means over windows chosen so that the result has a given length. */
export const adaptiveAvgPool1d: AdaptivePool<Tensor> = /* @__PURE__ */ adaptiveAverage(1);
/** Means over windows chosen so that the result has a given size. */
export const adaptiveAvgPool2d: AdaptivePool<Tensor> = /* @__PURE__ */ adaptiveAverage(2);
/** Means over windows chosen so that the result has a given size. */
export const adaptiveAvgPool3d: AdaptivePool<Tensor> = /* @__PURE__ */ adaptiveAverage(3);
/** Largest elements of windows chosen so that the result has a given length; with returnIndices, their places, too. */
export const adaptiveMaxPool1d: AdaptiveMax = /* @__PURE__ */ adaptiveMax(1);
/** Largest elements of windows chosen so that the result has a given size; with returnIndices, their places, too. */
export const adaptiveMaxPool2d: AdaptiveMax = /* @__PURE__ */ adaptiveMax(2);
/** Largest elements of windows chosen so that the result has a given size; with returnIndices, their places, too. */
export const adaptiveMaxPool3d: AdaptiveMax = /* @__PURE__ */ adaptiveMax(3);
