/** Sampling at the points of a grid, and the grids of affine maps. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";

/** The modes, which version 20 renamed. */
const modes = {
  nearest: "nearest",
  bilinear: "bilinear",
  linear: "bilinear",
  bicubic: "bicubic",
  cubic: "bicubic",
} as const;

function gridSample(call: Call): sw.Tensor {
  const [x, grid] = [call.tensor(0), call.tensor(1)];
  const mode = call.string("mode", "linear");
  const paddingMode = call.string("padding_mode", "zeros");
  if (!Object.hasOwn(modes, mode)) throw call.error(`mode must be ${Object.keys(modes).join(", ")}, got "${mode}"`);
  if (paddingMode !== "zeros" && paddingMode !== "border" && paddingMode !== "reflection")
    throw call.error(`padding_mode must be zeros, border or reflection, got "${paddingMode}"`);
  const alignCorners = call.int("align_corners", 0) !== 0;
  const options = { mode: modes[mode as keyof typeof modes], paddingMode, alignCorners } as const;
  if (x.rank !== 3) return sw.gridSample(x, grid, options).to(x.dtype);
  // A signal is an image of one row, whose center has the coordinate 0.
  const points = sw.stack([grid.squeeze(-1), sw.zerosLike(grid.squeeze(-1))], -1).unsqueeze(1);
  return sw.gridSample(x.unsqueeze(2), points, options).squeeze(2).to(x.dtype);
}

export const sampling: OperatorTable = {
  GridSample: gridSample,
  AffineGrid: (call) =>
    sw.affineGrid(call.tensor(0), call.numbers(1), { alignCorners: call.int("align_corners", 0) !== 0 }),
};
