/**
 * Resampling of one axis: for each element of the result, indices of elements of the axis and their weights, as PyTorch defines them.
 */
import { listOf } from "../../base/list-of.ts";

/** Tap k of result i is element `indices[k][i]`, weighted by `weights[k][i]`; without weights all of them are 1. */
export interface Taps {
  readonly indices: readonly Float64Array[];
  readonly weights: readonly Float64Array[] | null;
}

/** An axis of `size` elements that is resampled to `count`, at points `scale` apart. */
export interface Axis {
  readonly size: number;
  readonly count: number;
  readonly scale: number;
  readonly alignCorners: boolean;
}

type Point = readonly (readonly [index: number, weight: number])[];

/** Returns the taps of points; a point with fewer elements than others has some of weight 0. */
function tapsOf({ count, size }: Axis, pointAt: (i: number) => Point): Taps {
  const indices = [new Float64Array(count)];
  const weights = [new Float64Array(count)];
  for (let i = 0; i < count; i++)
    pointAt(i).forEach(([index, weight], k) => {
      indices[k] ??= new Float64Array(count);
      weights[k] ??= new Float64Array(count);
      indices[k][i] = Math.min(size - 1, Math.max(0, index));
      weights[k][i] = weight;
    });
  return { indices, weights };
}

/** Returns the fractional index of point i: corners on corners, or centers of results over centers of elements. */
const pointOf = ({ size, count, scale, alignCorners }: Axis, i: number): number => {
  if (alignCorners) return count > 1 ? (i * (size - 1)) / (count - 1) : 0;
  return (i + 0.5) * scale - 0.5;
};

/** The element nearest to each point, computed in float32 as in PyTorch. */
export function nearestTaps({ size, count, scale }: Axis, isExact: boolean): Taps {
  const step = Math.fround(scale);
  const at = (i: number): number => Math.floor(Math.fround((isExact ? i + 0.5 : i) * step));
  const indices = new Float64Array(count);
  for (let i = 0; i < count; i++) indices[i] = Math.min(size - 1, at(i));
  return { indices: [indices], weights: null };
}

/** The two elements around each point; an axis that keeps its size is unchanged, whatever the scale. */
export function linearTaps(axis: Axis): Taps {
  return tapsOf(axis, (i) => {
    if (axis.size === axis.count) return [[i, 1]];
    const point = Math.max(0, pointOf(axis, i));
    const first = Math.min(axis.size - 1, Math.floor(point));
    const far = point - first;
    return [
      [first, 1 - far],
      [first + 1, far],
    ];
  });
}

/** The coefficient of the cubic polynomials. */
const a = -0.75;
const near = (t: number): number => ((a + 2) * t - (a + 3)) * t * t + 1;
const far = (t: number): number => ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;

/** Returns the weights of the four elements around a point that is t after the second of them. */
export const cubicWeights = (t: number): readonly [number, number, number, number] => [
  far(t + 1),
  near(t),
  near(1 - t),
  far(2 - t),
];

/** The four elements around each point. */
export function cubicTaps(axis: Axis): Taps {
  return tapsOf(axis, (i) => {
    const point = pointOf(axis, i);
    const first = Math.floor(point);
    return cubicWeights(point - first).map((weight, k) => [first - 1 + k, weight] as const);
  });
}

/** The mean of all elements that a result covers. */
export function areaTaps(axis: Axis): Taps {
  const { size, count } = axis;
  return tapsOf(axis, (i) => {
    const start = Math.floor((i * size) / count);
    const end = Math.ceil(((i + 1) * size) / count);
    return listOf(end - start, (k) => [start + k, 1 / (end - start)] as const);
  });
}
