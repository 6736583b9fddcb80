/**
 * Tensors with at least one, two or three axes: axes of size 1 are added where PyTorch adds them.
 */
import type { Tensor } from "../../tensor/tensor.ts";
import { compositeOp } from "../op.ts";
import type { MovesFunction } from "./movement-types.ts";
import { atLeast } from "./tensor-list.ts";

const raising = (rank: 1 | 2 | 3) =>
  compositeOp<MovesFunction<[]>>(`atleast${rank}d(x: Tensor, ...)`, (t: Tensor) => atLeast(t, rank), "movement");

/** The tensor with at least one axis. */
export const atleast1d: MovesFunction<[]> = /* @__PURE__ */ raising(1);
/** The tensor with at least two axes: a list is a row. */
export const atleast2d: MovesFunction<[]> = /* @__PURE__ */ raising(2);
/** The tensor with at least three axes: a matrix has one layer. */
export const atleast3d: MovesFunction<[]> = /* @__PURE__ */ raising(3);
