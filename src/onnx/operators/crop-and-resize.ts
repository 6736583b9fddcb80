/** Regions of images, resized to one size: their corners are the centers of corner elements. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";

/** The coordinates in [0, 1] of `count` points from start to end; of one point, their middle. */
function pointsOf(start: sw.Tensor, end: sw.Tensor, count: number): sw.Tensor {
  const [a, b] = [start.unsqueeze(1), end.unsqueeze(1)];
  if (count === 1) return sw.add(a, b).mul(0.5);
  const t = sw.arange(0, count, 1, { dtype: a.dtype as sw.DType }).div(count - 1);
  return sw.elementwise("a * (1 - t) + b * t", { a, b, t });
}

export function cropAndResize(call: Call): sw.Tensor {
  const [x, boxes, batch] = [call.tensor(0), call.tensor(1), call.tensor(2)];
  const size = call.numbers(3);
  if (x.rank !== 4 || boxes.rank !== 2 || boxes.shape[1] !== 4 || size.length !== 2 || size.some((each) => each < 1))
    throw call.error(
      `images [N, C, H, W], boxes [n, 4] and a size [height, width] are needed, got [${x.shape}], [${boxes.shape}] and [${size}]`,
    );
  const mode = call.string("mode", "bilinear");
  if (mode !== "bilinear" && mode !== "nearest") throw call.error(`mode must be bilinear or nearest, got "${mode}"`);
  /** The points of all boxes along an axis, and whether they are inside of the image. */
  const along = (k: number): [points: sw.Tensor, isInside: sw.Tensor] => {
    const p = pointsOf(boxes.select(1, k), boxes.select(1, k + 2), size[k]);
    const last = x.shape[k + 2] - 1;
    const isInside = sw.elementwise("(p * last >= 0) & (p * last <= last)", { p, last });
    const element = mode === "nearest" ? sw.elementwise("floor(p * last + 0.5) / max(last, 1.0)", { p, last }) : p;
    return [element.mul(2).sub(1), isInside];
  };
  const [[rows, isRow], [columns, isColumn]] = [along(0), along(1)];
  const grid = sw.stack(sw.broadcastTensors(columns.unsqueeze(1), rows.unsqueeze(2)), 3);
  const images = sw.indexSelect(x, 0, batch);
  const sampled = sw.gridSample(images, grid, { mode, paddingMode: "border", alignCorners: true });
  const isInside = sw.logicalAnd(isRow.unsqueeze(2), isColumn.unsqueeze(1)).unsqueeze(1);
  return sw.where(isInside, sampled, call.float("extrapolation_value", 0)).to(x.dtype as sw.DType);
}
