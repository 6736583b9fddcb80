/**
 * Resize and Upsample: one axis after the other is resampled. Indices and weights depend on sizes only (`resample-points.ts`), so they are constants of
 * a compiled program.
 */
import * as sw from "../../index.ts";
import { resampled } from "../../ops/composite/resample-axis.ts";
import { type Call, isIntegerType } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import {
  type InterpolationOptions,
  nearestFunctions,
  nearestTaps,
  pointFunctions,
  type ResizedAxis,
  weightedTaps,
} from "./resample-points.ts";

interface Attributes extends InterpolationOptions {
  readonly isNearest: boolean;
  readonly nearestMode: string;
  readonly pointMode: string;
  /** The value of elements outside of the crop, with tf_crop_and_resize. */
  readonly outside: number;
}

/** The sizes and scales of the axes that are resized. */
function resizedAxes(call: Call, x: sw.Tensor, pointMode: string, scalesAt: number): ResizedAxis[] {
  const axes = call
    .ints(
      "axes",
      x.shape.map((_, axis) => axis),
    )
    .map((axis) => call.axis(axis, x.rank));
  const listAt = (k: number, what: string, length: number): number[] | null => {
    const list = call.optionalNumbers(k);
    if (list === null || list.length === 0) return null;
    if (list.length !== length) throw call.error(`${what} must have ${length} elements, got [${list}]`);
    return list;
  };
  const isCrop = pointMode === "tf_crop_and_resize";
  const roi = isCrop ? listAt(1, "roi", 2 * axes.length) : null;
  if (isCrop && roi === null) throw call.error("tf_crop_and_resize needs roi, input 1");
  const scales = scalesAt < 0 ? call.floats("scales") : listAt(scalesAt, "scales", axes.length);
  const sizes = scales === null ? listAt(3, "sizes", axes.length) : null;
  if (scales === null && sizes === null) throw call.error("needs scales or sizes");
  for (const list of [scales, sizes])
    if (list?.some((each) => !(each > 0))) throw call.error(`scales and sizes must be positive, got [${list}]`);
  const policy = call.string("keep_aspect_ratio_policy", "stretch");
  if (policy !== "stretch" && policy !== "not_larger" && policy !== "not_smaller")
    throw call.error(`keep_aspect_ratio_policy must be stretch, not_larger or not_smaller, got "${policy}"`);
  const ratios = sizes?.map((count, k) => count / x.shape[axes[k]]) ?? [];
  const common = policy === "stretch" ? null : Math[policy === "not_larger" ? "min" : "max"](...ratios);
  const checked = (each: ResizedAxis): ResizedAxis => {
    call.count(each.count, `the size of axis ${each.axis}`);
    return each;
  };
  return axes.map((axis, k) => {
    const size = x.shape[axis];
    const [start, end] = roi === null ? [0, 1] : [roi[k], roi[k + axes.length]];
    const one = { axis, size, start, end };
    if (scales !== null) {
      const exactCount = Math.fround(size * (isCrop ? end - start : 1) * scales[k]);
      return checked({ ...one, count: Math.floor(exactCount), exactCount, scale: Math.fround(scales[k]) });
    }
    const count = common === null ? (sizes as number[])[k] : Math.floor(common * size + 0.5);
    return checked({ ...one, count, exactCount: count, scale: Math.fround(common ?? ratios[k]) });
  });
}

/** Multiplies an axis by a matrix of weights: for kernels that cover many elements. */
function byMatrix(
  call: Call,
  x: sw.Tensor,
  { axis, size, count }: ResizedAxis,
  taps: ReturnType<typeof weightedTaps>,
): sw.Tensor {
  const matrix = new Float64Array(call.count(count * size, `the number of weights of axis ${axis}`));
  taps.indices.forEach((list, k) => {
    list.forEach((index, at) => {
      matrix[at * size + index] += taps.weights?.[k][at] ?? 1;
    });
  });
  const weights: sw.Tensor = sw
    .tensor(matrix, { dtype: x.dtype === "float64" ? "float64" : "float32" })
    .reshape([count, size]);
  return sw.moveaxis(sw.linear(sw.moveaxis(x, axis, -1), weights), -1, axis);
}

/** The number of elements of a kernel up to which they are gathered one by one. */
const maxTaps = 4;

function resized(call: Call, x: sw.Tensor, axes: readonly ResizedAxis[], attributes: Attributes): sw.Tensor {
  const { isNearest, nearestMode, pointMode, outside } = attributes;
  const isCrop = pointMode === "tf_crop_and_resize";
  const pointOf = pointFunctions[pointMode];
  const changed = axes.filter(({ size, count, scale }) => isCrop || count !== size || scale !== 1);
  if (changed.some(({ count, size }) => size === 0 || count === 0)) {
    if (changed.some(({ count, size }) => size === 0 && count > 0))
      throw call.error(`an empty axis cannot be resized, got [${x.shape}]`);
    const shape = [...x.shape];
    for (const { axis, count } of axes) shape[axis] = count;
    return sw.zeros(shape, { dtype: x.dtype });
  }
  if (isNearest)
    return withOutside(
      changed.reduce((part, axis) => resampled(part, axis.axis, nearestTaps(axis, pointOf, nearestMode)), x),
      changed,
    );
  const wide: sw.Tensor = x.dtype === "float64" ? x : x.to("float32");
  const result = changed.reduce((part, axis) => {
    const taps = weightedTaps(axis, pointOf, attributes);
    return taps.indices.length > maxTaps ? byMatrix(call, part, axis, taps) : resampled(part, axis.axis, taps);
  }, wide);
  return inDType(withOutside(result, changed));

  /** The result in the dtype of x. Integers are truncated, or rounded if the kernel is stretched; cubic polynomials exceed their range, so they saturate. */
  function inDType(t: sw.Tensor): sw.Tensor {
    if (!isIntegerType(x.dtype)) return t.to(x.dtype);
    const { min, max } = sw.iinfo(x.dtype as "int8");
    return sw.clamp(attributes.antialias ? sw.round(t) : t, min, max).to(x.dtype);
  }

  function withOutside(t: sw.Tensor, list: readonly ResizedAxis[]): sw.Tensor {
    if (!isCrop) return t;
    return list.reduce((part, each) => {
      const inside = Array.from({ length: each.count }, (_, k) => {
        const point = pointOf(k, each);
        return point >= 0 && point <= each.size - 1;
      });
      if (!inside.includes(false)) return part;
      const rest = new Array<number>(part.rank - 1 - each.axis).fill(1);
      return sw.where(sw.tensor(inside).reshape([inside.length, ...rest]), part, outside).to(part.dtype);
    }, t);
  }
}

function attributesOf(call: Call, pointMode: string, nearestMode: string): Attributes {
  const mode = call.string("mode", "nearest");
  if (mode !== "nearest" && mode !== "linear" && mode !== "cubic")
    throw call.error(`mode must be nearest, linear or cubic, got "${mode}"`);
  for (const [name, value, table] of [
    ["coordinate_transformation_mode", pointMode, pointFunctions],
    ["nearest_mode", nearestMode, nearestFunctions],
  ] as const)
    if (!Object.hasOwn(table, value))
      throw call.error(`${name} must be one of ${Object.keys(table).join(", ")}, got "${value}"`);
  return {
    isNearest: mode === "nearest",
    nearestMode,
    pointMode,
    mode: mode === "cubic" ? "cubic" : "linear",
    coefficient: call.float("cubic_coeff_a", -0.75),
    excludesOutside: call.int("exclude_outside", 0) !== 0,
    antialias: call.int("antialias", 0) !== 0,
    outside: call.float("extrapolation_value", 0),
  };
}

function resize(call: Call): sw.Tensor {
  const x = call.tensor(0);
  if (call.version < 11) return upsample(call);
  const pointMode = call.string("coordinate_transformation_mode", "half_pixel");
  const attributes = attributesOf(call, pointMode, call.string("nearest_mode", "round_prefer_floor"));
  return resized(call, x, resizedAxes(call, x, pointMode, 2), attributes);
}

/** Upsample, and Resize of version 10. */
function upsample(call: Call): sw.Tensor {
  const x = call.tensor(0);
  const attributes = attributesOf(call, "asymmetric", "simple");
  return resized(call, x, resizedAxes(call, x, "asymmetric", call.hasAttribute("scales") ? -1 : 1), attributes);
}

export const resizing: OperatorTable = { Resize: resize, Upsample: upsample };
