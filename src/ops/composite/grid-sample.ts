/**
 * Sampling at the points of a grid, and grids of affine maps. A point has a coordinate from -1 to 1 along each axis of [N, C, ...], and takes
 * the nearest element or a weighted sum of those around it. Indices and weights are computed for all points at once, then elements are
 * gathered.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import type { DType } from "../../storage/dtype.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { matmul } from "../contract/matmul.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { gather } from "../movement/gather.ts";
import { compositeOp } from "../op.ts";
import type { FloatOf, Promote } from "../op-types.ts";
import { show } from "../shape-rules.ts";
import { expand, reshape, select, transpose, unsqueeze } from "../views.ts";
import type { DynamicShapeOp, Part } from "./composite-types.ts";
import { listLike } from "./tensors-like.ts";

type Mode = "bilinear" | "nearest" | "bicubic";
type Padding = "zeros" | "border" | "reflection";

export interface GridSampleOptions {
  readonly mode?: Mode | undefined;
  /** Elements outside of the tensor: zeros, the nearest border, or the reflected tensor. */
  readonly paddingMode?: Padding | undefined;
  /** -1 and 1 are the centers of the first and last elements, otherwise their outer edges. */
  readonly alignCorners?: boolean | undefined;
}

/** The fractional index of a point. */
const positionOf = /* @__PURE__ */ map<Part>("positionOf(g, size, corners)", ({ corners }) =>
  corners === true ? "(g + 1) / 2 * (size - 1)" : "((g + 1) * size - 1) / 2",
);
/** An index clamped or reflected into the axis. */
const bounded = /* @__PURE__ */ map<Part>("bounded(p, size, corners, padding)", ({ corners, padding }) => {
  // There is no gradient at the ends and beyond.
  const inside = (p: string): string => `${p} <= 0 ? like(0, ${p}) : ${p} >= size - 1 ? like(size - 1, ${p}) : ${p}`;
  if (padding === "border") return inside("p");
  const [low, period] = corners === true ? ["0.0", "2 * max(size - 1, 0.5)"] : ["-0.5", "2.0 * size"];
  return `let d = abs(p - ${low}) % (${period}); let q = min(d, ${period} - d) + ${low}; ${inside("q")}`;
});
/** The index `step` after the one before a point, or the nearest one. */
const elementAt = /* @__PURE__ */ map<Part>("elementAt(p, step, mode)", ({ mode }) =>
  mode === "nearest" ? "round(p)" : "floor(p) + step",
);
const weightOf = /* @__PURE__ */ map<Part>("weightOf(p, at, side, inner, size, mode)", ({ mode }) => {
  const weight =
    mode === "nearest"
      ? "1.0"
      : mode === "bilinear"
        ? "1 - d"
        : "(d <= 1 ? (1.25 * d - 2.25) * d * d + 1 : ((3.75 - 0.75 * d) * d - 6) * d + 3)";
  return `let d = (p - at) * side; (inner >= 0) & (inner <= size - 1) ? ${weight} : 0.0 * p`;
});
const indexOf = /* @__PURE__ */ map<Part>(
  "indexOf(before, at, size)",
  "before * int64(size) + int64(min(max(at, 0), size - 1))",
);
const times = /* @__PURE__ */ map<Part>("times(x, y)", "x * y");
const plusTimes = /* @__PURE__ */ map<Part>("plusTimes(x, y, w)", "x + y * w");

/** The indices along one axis and the weights of their elements, for all points. */
type Tap = readonly [at: Tensor, weight: Tensor];

const steps: Readonly<Record<Mode, readonly number[]>> = { nearest: [0], bilinear: [0, 1], bicubic: [-1, 0, 1, 2] };

function tapsOn(points: Tensor, size: number, mode: Mode, padding: Padding, corners: boolean): Tap[] {
  const inside = (p: Tensor): Tensor =>
    padding === "zeros" ? p : bounded(p, size, corners as never, padding as never);
  const isCubic = mode === "bicubic";
  const raw = positionOf(points, size, corners as never);
  const position = isCubic ? raw : inside(raw);
  return steps[mode].map((step) => {
    const at = elementAt(position, step, mode as never);
    const inner = isCubic ? inside(at) : at;
    return [inner, weightOf(position, at, step <= 0 ? 1 : -1, inner, size, mode as never)];
  });
}

/** The type of gridSample. */
export interface GridSample extends OpFunction {
  <X extends Tensor, G extends Tensor>(
    x: X,
    grid: G,
    options?: GridSampleOptions,
  ): Tensor<Shape, GridDType<Promote<X["dtype"], G["dtype"]>>>;
}
/** A half is float32 with points that are integers. */
type GridDType<D extends DType> = [D] extends ["float16" | "bfloat16"] ? DType : FloatOf<D>;
/** Samples x at the points of a grid. The last axis of the grid holds (x, y) or (x, y, z) from -1 to 1, with x along the last axis of the input. */
export const gridSample: GridSample = /* @__PURE__ */ compositeOp(
  "gridSample(x: Tensor, grid: Tensor; mode, paddingMode, alignCorners)",
  (
    x: Tensor,
    grid: Tensor,
    { mode = "bilinear", paddingMode = "zeros", alignCorners = false }: GridSampleOptions = {},
  ) => {
    const [sizes, points] = [sizesOf(x), sizesOf(grid)];
    const spatial = sizes.slice(2);
    if (spatial.length < 2 || grid.rank !== x.rank || points[0] !== sizes[0] || points.at(-1) !== spatial.length)
      throw new ShapeError(
        `gridSample: x [N, C, ...] requires a grid [N, ..., ${spatial.length}], got ${show(sizes)} and ${show(points)}`,
      );
    if (steps[mode] === undefined || (mode === "bicubic" && spatial.length !== 2))
      throw new StridewiseError(
        `gridSample: mode must be 'bilinear', 'nearest', or 'bicubic' for two axes, got '${mode}' for ${spatial.length}`,
      );
    if (!/^(zeros|border|reflection)$/.test(paddingMode))
      throw new StridewiseError(
        `gridSample: paddingMode must be 'zeros', 'border' or 'reflection', got ${describeValue(paddingMode)}`,
      );
    const [samples, channels] = sizes as [number, number];
    const count = points.slice(1, -1).reduce((product, size) => product * size, 1);
    const taps = spatial.map((size, k) => {
      const along = reshape(select(grid, -1, spatial.length - 1 - k), [samples, count]);
      return tapsOn(along, size, mode, paddingMode, alignCorners);
    });
    const elements = reshape(x, [samples, channels, spatial.reduce((product, size) => product * size, 1)]);
    let result: Tensor | null = null;
    const visit = (axis: number, before: Tensor | number, weight: Tensor | null): void => {
      const list = taps[axis];
      if (list === undefined) {
        const indices = expand(unsqueeze(before as Tensor, 1), [samples, channels, count]);
        const [values, w] = [gather(elements, 2, indices), unsqueeze(weight as Tensor, 1)];
        result = result === null ? times(values, w) : plusTimes(result, values, w);
        return;
      }
      for (const [at, w] of list)
        visit(axis + 1, indexOf(before, at, spatial[axis]), weight === null ? w : times(weight, w));
    };
    visit(0, 0, null);
    return reshape(result as unknown as Tensor, [samples, channels, ...points.slice(1, -1)]);
  },
);

interface AffineGridOptions {
  /** -1 and 1 are the centers of the first and last elements, otherwise their outer edges. */
  readonly alignCorners?: boolean | undefined;
}

/** Returns the sampling grid of affine transforms, for gridSample. theta has shape [N, 2, 3] for images or [N, 3, 4] for volumes; size is the shape of the output. */
export const affineGrid: DynamicShapeOp<[size: readonly number[], options?: AffineGridOptions]> =
  /* @__PURE__ */ compositeOp(
    "affineGrid(theta: Tensor, size: int[]; alignCorners)",
    (theta: Tensor, size: readonly number[], { alignCorners = false }: AffineGridOptions = {}) => {
      const [samples, , ...spatial] = size as [number, number, ...number[]];
      const axes = spatial.length;
      if (axes < 2 || axes > 3 || showShape(theta) !== show([samples, axes, axes + 1]))
        throw new ShapeError(
          `affineGrid: theta must be [N, ${axes}, ${axes + 1}] for size ${show(size)}, got ${showShape(theta)}`,
        );
      if (spatial.some((length) => !(length > 0)))
        throw new ShapeError(`affineGrid: sizes must be above 0, got ${show(size)}`);
      const count = spatial.reduce((product, length) => product * length, 1);
      const along = (i: number, length: number): number => {
        if (alignCorners) return length > 1 ? (2 * i) / (length - 1) - 1 : 0;
        return (2 * i + 1) / length - 1;
      };
      checkResultBytes("affineGrid", count * (axes + 1), 8);
      const points = new Float64Array(count * (axes + 1));
      const backwards = spatial.toReversed();
      for (let point = 0, at = 0; point < count; point++) {
        let rest = point;
        // The coordinate of the last axis comes first.
        for (const length of backwards) {
          points[at++] = along(rest % length, length);
          rest = Math.floor(rest / length);
        }
        points[at++] = 1;
      }
      const base = reshape(listLike(theta, points, theta.dtype), [count, axes + 1]);
      return reshape(matmul(base, transpose(theta, 1, 2)), [samples, ...spatial, axes]);
    },
  );
