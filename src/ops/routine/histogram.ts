/**
 * Counts of integers, of numbers or points between edges, and of numbers in equal bins.
 * Numbers outside of the edges, and NaN, are not counted; the last bin includes its right edge.
 */
import { bitsOf, extent, isWide, type Values } from "./values.ts";

type Floats = Float32Array | Float64Array;

/** Counts each integer from 0 to length - 1, or sums its weights. All values must be in that range. */
export function bincount(values: Values, length: number, weights: null): Int32Array;
export function bincount(values: Values, length: number, weights: Floats | null): Int32Array | Float64Array;
export function bincount(values: Values, length: number, weights: Floats | null): Int32Array | Float64Array {
  const counts = weights === null ? new Int32Array(length) : new Float64Array(length);
  const bits = bitsOf(values);
  const step = isWide(values) ? 2 : 1;
  for (let i = 0; i < values.length; i++) counts[bits[i * step]!]! += weights === null ? 1 : weights[i]!;
  return counts;
}

/** Writes edges of equal bins from `min` to `max`; an empty range is widened to width 1. */
export function fillEqualEdges(min: number, max: number, edges: Floats): void {
  const left = min === max ? min - 0.5 : min;
  const right = min === max ? max + 0.5 : max;
  const bins = edges.length - 1;
  const step = (right - left) / bins;
  // Computed from both ends, as in PyTorch, so that both are exact.
  for (let i = 0; i <= bins; i++) edges[i] = 2 * i <= bins ? left + step * i : right - step * (bins - i);
}

/** The edges of one coordinate; `equal` is true if all bins have the same width. */
interface Bins {
  readonly edges: Floats;
  readonly equal: boolean;
}

/**
 * Counts points of `bins.length` coordinates (values: points * coordinates) into `out`, with the bins of the first coordinate outermost.
 * Weights are summed instead of ones; a density is the share of a bin divided by its volume.
 */
export function histogram(
  values: Floats,
  bins: readonly Bins[],
  weights: Floats | null,
  density: boolean,
  out: Floats,
): void {
  const dimensions = bins.length;
  const points = values.length / dimensions;
  const totals = new Float64Array(out.length);
  const at = new Int32Array(points);
  for (let d = 0; d < dimensions; d++) addBins(values, d, dimensions, bins[d]!, at);
  let sum = 0;
  for (let i = 0; i < points; i++) {
    if (at[i]! < 0) continue;
    const weight = weights === null ? 1 : weights[i]!;
    totals[at[i]!]! += weight;
    sum += weight;
  }
  for (let i = 0; i < out.length; i++) out[i] = density ? totals[i]! / sum / volume(bins, i) : totals[i]!;
}

/** at = at * bins + the bin of the point in this coordinate; -1 if there is none. */
function addBins(values: Floats, begin: number, step: number, { edges, equal }: Bins, at: Int32Array): void {
  const count = edges.length - 1;
  const left = edges[0]!;
  const right = edges[count]!;
  for (let i = 0, from = begin; i < at.length; i++, from += step) {
    const value = values[from]!;
    if (at[i]! < 0 || !(value >= left && value <= right)) at[i] = -1;
    else at[i] = at[i]! * count + (equal ? nearBin(edges, value) : searchBin(edges, value));
  }
}

function nearBin(edges: Floats, value: number): number {
  const last = edges.length - 2;
  const left = edges[0]!;
  let bin = Math.min(last, Math.floor(((value - left) * (last + 1)) / (edges[last + 1]! - left)));
  // The edges decide; rounding moves the guess by one bin at most.
  while (bin > 0 && value < edges[bin]!) bin--;
  while (bin < last && value >= edges[bin + 1]!) bin++;
  return bin;
}

function searchBin(edges: Floats, value: number): number {
  let low = 0;
  let high = edges.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (value >= edges[middle]!) low = middle;
    else high = middle;
  }
  return low;
}

function volume(bins: readonly Bins[], index: number): number {
  let result = 1;
  for (let d = bins.length - 1; d >= 0; d--) {
    const { edges } = bins[d]!;
    const count = edges.length - 1;
    const bin = index % count;
    index = (index - bin) / count;
    result *= edges[bin + 1]! - edges[bin]!;
  }
  return result;
}

/**
 * Counts numbers in out.length equal bins from `min` to `max`; if these are equal, from the smallest to the largest number, and if
 * those are equal, too, from 1 below to 1 above. The bin is computed from the offset in the range, without edges.
 */
export function histc(values: Floats, min: number, max: number, out: Floats): void {
  if (min === max && values.length > 0) ({ min, max } = extent(values));
  if (min === max) {
    min -= 1;
    max += 1;
  }
  // In the precision of the dtype, as in PyTorch, so that numbers at the edge of a bin fall into the same one.
  const round = values.BYTES_PER_ELEMENT === 4 ? Math.fround : Number;
  min = round(min);
  max = round(max);
  const bins = out.length;
  const counts = new Float64Array(bins);
  const width = round(max - min);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!(value >= min && value <= max)) continue;
    const bin = Math.floor(round(round(round(value - min) * bins) / width));
    counts[Math.min(bin, bins - 1)]!++;
  }
  out.set(counts);
}
