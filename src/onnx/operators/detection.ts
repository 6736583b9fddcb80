/**
 * Boxes of detected objects: suppression of overlapping boxes, and pooling of regions. All of them read the coordinates of boxes: the number of
 * selected boxes depends on them, and so does the part of an image that belongs to a region. Images are read by ops only.
 */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";

/** Reads all elements of a small tensor as float64. */
const elementsOf = (t: sw.Tensor): Float64Array => t.to("float64").reshape([-1]).toTypedArray() as Float64Array;

interface Corners {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** The intersection of two boxes as a part of their union. */
function overlapOf(a: Corners, b: Corners): number {
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  if (height <= 0 || width <= 0) return 0;
  const area = (one: Corners): number => (one.bottom - one.top) * (one.right - one.left);
  const both = height * width;
  return both / (area(a) + area(b) - both);
}

function suppress(call: Call): sw.Tensor {
  const [boxes, scores] = [call.tensor(0), call.tensor(1)];
  const [batch, count, four] = boxes.shape;
  const classes = scores.shape[1];
  if (boxes.rank !== 3 || four !== 4 || scores.rank !== 3 || scores.shape[0] !== batch || scores.shape[2] !== count)
    throw call.error(
      `boxes [batch, n, 4] and scores [batch, classes, n] are needed, got [${boxes.shape}] and [${scores.shape}]`,
    );
  const limit = call.optionalNumber(2, 0);
  const maxOverlap = call.optionalNumber(3, 0);
  const minScore = call.optionalNumber(4, null);
  const isCentered = call.int("center_point_box", 0) !== 0;
  const [corners, values] = [elementsOf(boxes), elementsOf(scores)];
  const boxAt = (at: number): Corners => {
    const [a, b, c, d] = corners.subarray(4 * at, 4 * at + 4);
    if (isCentered) return { top: b - d / 2, left: a - c / 2, bottom: b + d / 2, right: a + c / 2 };
    return { top: Math.min(a, c), left: Math.min(b, d), bottom: Math.max(a, c), right: Math.max(b, d) };
  };
  const selected: number[] = [];
  for (let n = 0; n < batch; n++)
    for (let c = 0; c < classes; c++) {
      const own = values.subarray((n * classes + c) * count, (n * classes + c + 1) * count);
      const order: number[] = [];
      own.forEach((score, k) => {
        if (minScore === null || score > minScore) order.push(k);
      });
      order.sort((a, b) => own[b] - own[a] || a - b);
      const kept: Corners[] = [];
      for (const k of order) {
        if (kept.length >= limit) break;
        const box = boxAt(n * count + k);
        if (kept.some((other) => overlapOf(box, other) > maxOverlap)) continue;
        kept.push(box);
        selected.push(n, c, k);
      }
    }
  return sw.tensor(selected, { dtype: "int64" }).reshape([selected.length / 3, 3]);
}

/** The samples of a region along one axis. */
interface Samples {
  /** For each output, its samples: the two elements around each, and their weights. */
  readonly taps: readonly (readonly (readonly [index: number, weight: number])[])[][];
  readonly perOutput: number;
}

/** The largest number of samples of a region along one axis. */
const maxSamples = 2 ** 20;

function samplesOf(call: Call, start: number, length: number, count: number, ratio: number, size: number): Samples {
  const bin = length / count;
  const perOutput = ratio > 0 ? ratio : Math.ceil(bin);
  call.count(Math.max(0, count * perOutput), "the number of samples of a region", maxSamples);
  const taps = Array.from({ length: count }, (_, k) =>
    Array.from({ length: perOutput }, (_, j) => {
      const at = start + k * bin + ((j + 0.5) * bin) / perOutput;
      if (at < -1 || at > size)
        return [
          [0, 0],
          [0, 0],
        ] as const;
      const point = Math.min(Math.max(at, 0), size - 1);
      const low = Math.min(Math.floor(point), Math.max(0, size - 2));
      const weight = point - low;
      return [
        [low, 1 - weight],
        [Math.min(low + 1, size - 1), weight],
      ] as const;
    }),
  );
  return { taps, perOutput };
}

/** The weights of all elements for the mean of the samples of each output. */
function meanMatrix({ taps, perOutput }: Samples, size: number, dtype: sw.DType): sw.Tensor {
  const matrix = new Float64Array(taps.length * size);
  taps.forEach((samples, row) => {
    for (const [index, weight] of samples.flat()) matrix[row * size + index] += weight / perOutput;
  });
  return sw.tensor(matrix, { dtype }).reshape([taps.length, size]);
}

/** The largest weighted element around all samples of each output. */
function largestSample(image: sw.Tensor, rows: Samples, columns: Samples, dtype: sw.DType): sw.Tensor {
  const [channels, , width] = image.shape;
  const [indices, weights]: [number[], number[]] = [[], []];
  for (const ys of rows.taps)
    for (const xs of columns.taps)
      for (const [y, v] of ys.flat())
        for (const [x, w] of xs.flat()) {
          indices.push(y * width + x);
          weights.push(v * w);
        }
  const shape = [channels, rows.taps.length, columns.taps.length, 4 * rows.perOutput * columns.perOutput];
  const values = sw.indexSelect(image.reshape([channels, -1]), 1, sw.tensor(indices, { dtype: "int64" }));
  return sw.amax(sw.mul(values, sw.tensor(weights, { dtype })).reshape(shape), -1);
}

function alignRegions(call: Call): sw.Tensor {
  const [x, rois] = [call.tensor(0), call.tensor(1)];
  const mode = call.string("mode", "avg");
  if (mode !== "avg" && mode !== "max") throw call.error(`mode must be avg or max, got "${mode}"`);
  const transformation = call.string(
    "coordinate_transformation_mode",
    call.version < 16 ? "output_half_pixel" : "half_pixel",
  );
  if (transformation !== "half_pixel" && transformation !== "output_half_pixel")
    throw call.error(`coordinate_transformation_mode must be half_pixel or output_half_pixel, got "${transformation}"`);
  const isShifted = transformation === "half_pixel";
  const [height, width] = [call.int("output_height", 1), call.int("output_width", 1)];
  const ratio = call.int("sampling_ratio", 0);
  const scale = call.float("spatial_scale", 1);
  const [, channels, rowCount, columnCount] = x.shape;
  const [corners, batches] = [elementsOf(rois), elementsOf(call.tensor(2))];
  if (corners.length !== 4 * batches.length)
    throw call.error(`rois must be [${batches.length}, 4], got [${rois.shape}]`);
  const regions = Array.from(batches, (n, k) => {
    const [left, top, right, bottom] = Array.from(
      corners.subarray(4 * k, 4 * k + 4),
      (at) => at * scale - (isShifted ? 0.5 : 0),
    );
    // Without the shift, a region has at least one element.
    const lengthOf = (from: number, to: number): number => (isShifted ? to - from : Math.max(to - from, 1));
    const rows = samplesOf(call, top, lengthOf(top, bottom), height, ratio, rowCount);
    const columns = samplesOf(call, left, lengthOf(left, right), width, ratio, columnCount);
    if (rows.perOutput < 1 || columns.perOutput < 1) return sw.zeros([channels, height, width], { dtype: x.dtype });
    const image: sw.Tensor = x.select(0, n);
    if (mode === "max") {
      call.count(height * rows.perOutput * width * columns.perOutput, "the number of samples of a region", maxSamples);
      return largestSample(image, rows, columns, x.dtype);
    }
    const [down, across] = [meanMatrix(rows, rowCount, x.dtype), meanMatrix(columns, columnCount, x.dtype)];
    return sw.matmul(down, sw.matmul(image, across.transpose(0, 1)));
  });
  return regions.length === 0 ? sw.zeros([0, channels, height, width], { dtype: x.dtype }) : sw.stack(regions);
}

/** The maximum of each part of a region, whose corners are rounded to elements. */
function maxRegions(call: Call): sw.Tensor {
  const [x, rois] = [call.tensor(0), call.tensor(1)];
  const [height, width] = call.ints("pooled_shape");
  call.count(call.count(height, "pooled_shape") * call.count(width, "pooled_shape"), "the number of parts", maxSamples);
  const scale = call.float("spatial_scale", 1);
  const [, channels, rowCount, columnCount] = x.shape;
  const list = elementsOf(rois);
  /** The first element and the number of elements of each part of [from, to]. */
  const partsOf = (from: number, to: number, count: number, size: number): (readonly [number, number])[] => {
    const bin = Math.max(to - from + 1, 1) / count;
    return Array.from({ length: count }, (_, k) => {
      const first = Math.min(Math.max(from + Math.floor(k * bin), 0), size);
      const last = Math.min(Math.max(from + Math.ceil((k + 1) * bin), 0), size);
      return [first, Math.max(0, last - first)];
    });
  };
  const none = sw.zeros([channels], { dtype: x.dtype });
  const regions = Array.from({ length: list.length / 5 }, (_, k) => {
    const [n, left, top, right, bottom] = list.subarray(5 * k, 5 * k + 5);
    const image: sw.Tensor = x.select(0, n);
    const at = (value: number): number => Math.round(value * scale);
    const columns = partsOf(at(left), at(right), width, columnCount);
    const cells = partsOf(at(top), at(bottom), height, rowCount).flatMap(([row, rows]) =>
      columns.map(
        ([column, across]): sw.Tensor =>
          rows === 0 || across === 0 ? none : sw.amax(image.narrow(1, row, rows).narrow(2, column, across), [1, 2]),
      ),
    );
    return sw.stack(cells, 1).reshape([channels, height, width]);
  });
  return regions.length === 0 ? sw.zeros([0, channels, height, width], { dtype: x.dtype }) : sw.stack(regions);
}

export const detection: OperatorTable = {
  NonMaxSuppression: suppress,
  RoiAlign: alignRegions,
  MaxRoiPool: maxRegions,
};
