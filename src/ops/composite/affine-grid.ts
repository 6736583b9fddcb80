/**
 * The grid of points that an affine map sends to those of an evenly spaced one, as `gridSample` takes it.
 */
import { ShapeError } from "../../base/errors.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { showShape } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { matmul } from "../contract/matmul.ts";
import { compositeOp } from "../op.ts";
import { show } from "../shape-rules.ts";
import { reshape, transpose } from "../views.ts";
import { listBeside } from "./beside.ts";
import type { Making } from "./composite-types.ts";

interface AffineGridOptions {
  /** -1 and 1 are the centres of the first and last elements; else their outer edges. */
  readonly alignCorners?: boolean | undefined;
}

/** For each place of a tensor of this size [N, C, ...] the point that a matrix [axes, axes + 1] of the sample maps it to. */
export const affineGrid: Making<[size: readonly number[], options?: AffineGridOptions]> = /* @__PURE__ */ compositeOp(
  "affineGrid(theta: Tensor, size: int[]; alignCorners)",
  (theta: Tensor, size: readonly number[], { alignCorners = false }: AffineGridOptions = {}) => {
    const [samples, , ...spatial] = size as [number, number, ...number[]];
    const axes = spatial.length;
    if (axes < 2 || axes > 3 || showShape(theta) !== show([samples, axes, axes + 1]))
      throw new ShapeError(
        `affineGrid: expected matrices [N, ${axes}, ${axes + 1}] for size ${show(size)}, got ${showShape(theta)}`,
      );
    if (spatial.some((length) => !(length > 0)))
      throw new ShapeError(`affineGrid: the sizes of the axes must be positive, got ${show(size)}.`);
    const count = spatial.reduce((product, length) => product * length, 1);
    const along = (i: number, length: number): number => {
      if (alignCorners) return length > 1 ? (2 * i) / (length - 1) - 1 : 0;
      return (2 * i + 1) / length - 1;
    };
    checkResultBytes("affineGrid", count * (axes + 1), 8);
    const points = new Float64Array(count * (axes + 1));
    const backwards = spatial.toReversed();
    for (let place = 0, at = 0; place < count; place++) {
      let rest = place;
      // The last axis comes first.
      for (const length of backwards) {
        points[at++] = along(rest % length, length);
        rest = Math.floor(rest / length);
      }
      points[at++] = 1;
    }
    const base = reshape(listBeside(theta, points, theta.dtype), [count, axes + 1]);
    return reshape(matmul(base, transpose(theta, 1, 2)), [samples, ...spatial, axes]);
  },
);
