/**
 * The points of a resized axis in the original one, and the elements around each point with their weights, as Resize defines them. Coordinates
 * are rounded to float32 after each step, as onnxruntime computes them: it decides which element is the nearest.
 */
import type { Taps } from "../../ops/composite/resample.ts";

/** The parameters for resizing one axis. */
export interface ResizedAxis {
  readonly axis: number;
  /** The sizes before and after. */
  readonly size: number;
  readonly count: number;
  readonly scale: number;
  /** The size after as a fraction, if it was computed from a scale. */
  readonly exactCount: number;
  /** The part of the axis that tf_crop_and_resize crops, from 0 to 1. */
  readonly start: number;
  readonly end: number;
}

type PointOf = (x: number, axis: ResizedAxis) => number;

const { fround } = Math;
const halfPixel: PointOf = (x, { scale }) => fround(fround((x + 0.5) / scale) - 0.5);

/** The coordinate in the original axis of element x of the result, by coordinate_transformation_mode. */
export const pointFunctions: Readonly<Record<string, PointOf>> = {
  half_pixel: halfPixel,
  half_pixel_symmetric: (x, axis) => fround((axis.size / 2) * (1 - axis.count / axis.exactCount)) + halfPixel(x, axis),
  pytorch_half_pixel: (x, axis) => (axis.count > 1 ? halfPixel(x, axis) : 0),
  align_corners: (x, { size, exactCount }) => (exactCount === 1 ? 0 : (x * (size - 1)) / (exactCount - 1)),
  asymmetric: (x, { scale }) => fround(x / scale),
  tf_half_pixel_for_nn: (x, { scale }) => fround((x + 0.5) / scale),
  tf_crop_and_resize: (x, { size, count, start, end }) =>
    count > 1 ? start * (size - 1) + (x * (end - start) * (size - 1)) / (count - 1) : 0.5 * (start + end) * (size - 1),
};

/** The index of the nearest element, by nearest_mode. "simple" is that of versions before 11. */
export const nearestFunctions: Readonly<Record<string, (point: number, scale: number) => number>> = {
  round_prefer_floor: (point) => Math.ceil(point - 0.5),
  round_prefer_ceil: (point) => Math.floor(point + 0.5),
  floor: Math.floor,
  ceil: Math.ceil,
  simple: (point, scale) => (scale < 1 ? Math.ceil(point) : Math.floor(point)),
};

/** The weight of an element at a distance from the point. */
const linearKernel = (distance: number): number => Math.max(0, 1 - Math.abs(distance));
const cubicKernel =
  (a: number) =>
  (distance: number): number => {
    const t = Math.abs(distance);
    if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
    return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
  };

export interface InterpolationOptions {
  readonly mode: "linear" | "cubic";
  /** The coefficient of cubic polynomials. */
  readonly coefficient: number;
  readonly excludesOutside: boolean;
  readonly antialias: boolean;
}

const clampTo = (size: number, index: number): number => Math.min(size - 1, Math.max(0, index));

/** The nearest element of each point. */
export function nearestTaps(axis: ResizedAxis, pointOf: PointOf, nearestMode: string): Taps {
  const nearest = nearestFunctions[nearestMode];
  const indices = Float64Array.from({ length: axis.count }, (_, x) =>
    clampTo(axis.size, nearest(pointOf(x, axis), axis.scale)),
  );
  return { indices: [indices], weights: null };
}

/** The elements around each point, and their weights. */
export function weightedTaps(axis: ResizedAxis, pointOf: PointOf, options: InterpolationOptions): Taps {
  const { size, count } = axis;
  const reach = options.mode === "linear" ? 1 : 2;
  const kernel = options.mode === "linear" ? linearKernel : cubicKernel(options.coefficient);
  // To avoid aliasing, the kernel is stretched if the axis shrinks.
  const stretch = options.antialias ? Math.min(axis.scale, 1) : 1;
  const first = Math.floor(-reach / stretch) + 1;
  const taps = 2 - 2 * first;
  const lists = (): Float64Array[] => Array.from({ length: taps }, () => new Float64Array(count));
  const [indices, weights] = [lists(), lists()];
  for (let x = 0; x < count; x++) {
    const point = pointOf(x, axis);
    // The element before the point; a point on an element is after it.
    const before = Math.ceil(point) - 1;
    let total = 0;
    for (let k = 0; k < taps; k++) {
      const index = before + first + k;
      const isOutside = options.excludesOutside && (index < 0 || index >= size);
      indices[k][x] = clampTo(size, index);
      weights[k][x] = isOutside ? 0 : kernel((index - point) * stretch);
      total += weights[k][x];
    }
    if (options.antialias || options.excludesOutside) for (const list of weights) list[x] /= total;
  }
  return { indices, weights };
}
