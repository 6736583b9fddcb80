/**
 * Sums over windows, their transposes, and the maximum of each window, for pooling and its gradients. All loop over the elements of a
 * window, each of which is a strided part of the input; elements of borders are skipped.
 *
 * With a tensor of chosen elements, one number for each window, only that element of each window takes part.
 */

import { product } from "../../base/ints.ts";
import { listOf } from "../../base/list-of.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import { lowerFillAll } from "../../tensor/lowering.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { asStrided } from "../../tensor/views/views-shape.ts";
import { add } from "../elementwise/arithmetic.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { lowerOp, structuredOp } from "../op.ts";
import { amax, sum } from "../reduce/reduce.ts";
import { isFew, isInside, isShort, lowerLargest, lowerScatterAdd, lowerSum, lowerTap } from "./window-taps.ts";
import { lowerPadded, type Windows, windowView } from "./windows.ts";

const last = (count: number): number[] => listOf(count, (axis) => axis - count);

/** The shape of a tensor with other sizes at the end. */
const withSizes = (t: Tensor, sizes: readonly number[]): number[] => [...sizesOf(t).slice(0, -sizes.length), ...sizes];

/**
 * Calls `use` for each element of a window, the last one first, with its number, its part of the input, and the matching parts of
 * `grids`, which have one element for each window.
 */
function eachTap(
  input: Tensor,
  grids: readonly Tensor[],
  { kernel, stride, dilation, before }: Windows,
  use: (tap: number, input: Tensor, ...grids: Tensor[]) => void,
): void {
  const sizes = sizesOf(input);
  const first = sizes.length - kernel.length;
  const counts = sizesOf(grids[0]).slice(first);
  for (let tap = product(kernel) - 1; tap >= 0; tap--) {
    const [starts, lows, shape]: [number[], number[], number[]] = [[], [], sizes.slice(0, first)];
    for (let axis = kernel.length - 1, left = tap; axis >= 0; axis--) {
      const [size, step] = [kernel[axis], stride[axis]];
      const start = (left % size) * dilation[axis] - before[axis];
      const low = Math.max(0, Math.ceil(-start / step));
      const high = Math.min(counts[axis] - 1, Math.floor((sizes[first + axis] - 1 - start) / step));
      starts[axis] = start + low * step;
      lows[axis] = low;
      shape[first + axis] = Math.max(0, high - low + 1);
      left = Math.floor(left / size);
    }
    if (shape.includes(0)) continue;
    const part = (t: Tensor, at: readonly number[], steps: readonly number[]): Tensor => {
      const strides = flatStrides(t);
      const offset = at.reduce((from, index, axis) => from + index * strides[first + axis], t.start);
      return asStrided(
        t,
        shape,
        strides.map((each, axis) => each * (steps[axis - first] ?? 1)),
        offset,
      );
    };
    use(tap, part(input, starts, stride), ...grids.map((t) => part(t, lows, [])));
  }
}

interface Part extends OpFunction {
  (...args: (Tensor | number | { readonly out: Tensor })[]): Tensor;
}
const addWhere = /* @__PURE__ */ map<Part>("addWhere(into, x, chosen, tap)", "chosen == tap ? into + x : into");
const takeWhere = /* @__PURE__ */ map<Part>("takeWhere(into, x, chosen, tap)", "chosen == tap ? x : into");
const onlyWhere = /* @__PURE__ */ map<Part>("onlyWhere(x, chosen, tap)", "chosen == tap ? x : 0");
const numberWhere = /* @__PURE__ */ map<Part>(
  "numberWhere(into, x, y, tap)",
  "x == y ? tap : x != x ? max(into, tap) : into",
);

type Summing = [x: Tensor, chosen: Tensor | null, windows: Windows, counts: readonly number[]];
interface WindowSum extends OpFunction {
  (...args: Summing): Tensor;
}
const sumGradient: GradientRule = (call) => {
  const [x, chosen, windows] = call.args as unknown as Summing;
  const sizes = sizesOf(x).slice(-windows.kernel.length);
  const saved = chosen && call.save(chosen);
  return ([g]) => [windowScatterAdd(g, saved?.() ?? null, windows, sizes)];
};
/** Returns the sum of each window, or its chosen element. */
export const windowSum: WindowSum = /* @__PURE__ */ structuredOp<WindowSum, Summing>(
  "windowSum(x: Tensor, ...)",
  "reduce",
  {
    linear: "0",
    batch: "last 1",
    infer: (x, _chosen, _windows, counts) => ({ dtype: x.dtype, shape: withSizes(x, counts) }),
    lower(builder, [result], x, chosen, windows, counts) {
      if (chosen === null) {
        const area = lowerPadded(builder, x, windows.before, windows.after, 0);
        // 16-bit floats are summed in higher precision, and long rows of many elements are faster as a reduction.
        const isShortRow = product(windows.kernel) <= 4 || (counts.at(-1) as number) < 16;
        if (isShortRow && isFew(windows, 1) && dtypes[x.dtype].itemsize > 2) lowerSum(builder, result, area, windows);
        else lowerOp(builder, sum, windowView(area, windows, counts), last(counts.length), { out: result });
        return;
      }
      lowerFillAll(builder, result, 0, "pool");
      eachTap(x, [result, chosen], windows, (tap, from, into, at) => {
        lowerOp(builder, takeWhere, into, from, at, tap, { out: into });
      });
    },
    gradient: sumGradient,
  },
);

const spreadGradient: GradientRule = (call) => {
  const [x, chosen, windows] = call.args as unknown as Summing;
  const counts = sizesOf(x).slice(-windows.kernel.length);
  const saved = chosen && call.save(chosen);
  return ([g]) => [windowSum(g, saved?.() ?? null, windows, counts)];
};
/** The transpose of `windowSum`: adds the value of each window to all of its elements, or to the chosen one. */
export const windowScatterAdd: WindowSum = /* @__PURE__ */ structuredOp<WindowSum, Summing>(
  "windowScatterAdd(x: Tensor, ...)",
  "movement",
  {
    linear: "0",
    batch: "last 1",
    infer: (x, _chosen, _windows, sizes) => ({ dtype: x.dtype, shape: withSizes(x, sizes) }),
    lower(builder, [result], x, chosen, windows) {
      // If windows do not overlap, values are written instead of added.
      const isApart = windows.kernel.every((size, axis) => windows.stride[axis] > windows.dilation[axis] * (size - 1));
      const isOne = isApart && isInside(windows) && isFew(windows, 2);
      if (!isOne || x.size * product(windows.kernel) !== result.size) lowerFillAll(builder, result, 0, "pool");
      if (isOne) {
        lowerScatterAdd(builder, result, x, chosen, windows);
        return;
      }
      eachTap(result, chosen === null ? [x] : [x, chosen], windows, (tap, into, from, at) => {
        if (at === undefined) lowerOp(builder, add, into, from, { out: into });
        else if (isApart) lowerOp(builder, onlyWhere, from, at, tap, { out: into });
        else lowerOp(builder, addWhere, into, from, at, tap, { out: into });
      });
    },
    gradient: spreadGradient,
  },
);

/** The smallest value of a dtype, for padding. */
const min = (dtype: DType): number => {
  const { category, itemsize } = dtypes[dtype];
  return category === "float" ? -Infinity : dtype.startsWith("u") ? 0 : -(2 ** Math.min(8 * itemsize - 1, 53));
};

type Pooling = [x: Tensor, windows: Windows, counts: readonly number[]];
interface WindowMax extends OpFunction {
  (...args: Pooling): Tensor;
}
const maxGradient: GradientRule = (call) => {
  const [x, windows] = call.args as unknown as Pooling;
  const sizes = sizesOf(x).slice(-windows.kernel.length);
  const [input, largest] = [call.save(x), call.saveResult()];
  return ([g]) => [windowScatterAdd(g, largestTap(input(), windows, largest()), windows, sizes)];
};
/** Returns the maximum of each window. */
export const windowMax: WindowMax = /* @__PURE__ */ structuredOp<WindowMax, Pooling>(
  "windowMax(x: Tensor, ...)",
  "reduce",
  {
    batch: "last 1",
    infer: (x, _windows, counts) => ({ dtype: x.dtype, shape: withSizes(x, counts) }),
    lower(builder, [out], x, windows, counts) {
      const area = lowerPadded(builder, x, windows.before, windows.after, min(x.dtype));
      if (isShort(windows)) lowerLargest(builder, out, area, windows);
      else lowerOp(builder, amax, windowView(area, windows, counts), last(counts.length), { out });
    },
    gradient: maxGradient,
  },
);

type Finding = [x: Tensor, windows: Windows, largest: Tensor];
interface LargestTap extends OpFunction {
  (...args: Finding): Tensor;
}
/** Returns the number of the maximum in its window: the first one, or the last NaN. */
export const largestTap: LargestTap = /* @__PURE__ */ structuredOp<LargestTap, Finding>(
  "largestTap(x: Tensor, ...)",
  "reduce",
  {
    batch: "last 1",
    infer: (x, { kernel }, largest) => ({
      // 4-byte elements are compared in vectors, so the result has 4 bytes, too.
      dtype: product(kernel) > 256 || dtypes[x.dtype].itemsize === 4 ? "int32" : "uint8",
      shape: sizesOf(largest),
    }),
    lower(builder, [result], x, windows, largest) {
      if (isInside(windows) && isFew(windows, 2)) {
        lowerTap(builder, result, x, largest, windows);
        return;
      }
      lowerFillAll(builder, result, 0, "pool");
      eachTap(x, [result, largest], windows, (tap, from, into, y) => {
        lowerOp(builder, numberWhere, into, from, y, tap, { out: into });
      });
    },
  },
);
