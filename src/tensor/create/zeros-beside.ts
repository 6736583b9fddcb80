/**
 * Zeros to be written to from another tensor: of a shape of their own, but as many as there are samples where the other stands for a
 * batch (inside `vmap`), which sees this as an op.
 */
import type { DType } from "../../storage/dtype.ts";
import { makerOp } from "../dispatch/tensor-op.ts";
import type { Tensor } from "../tensor.ts";
import { zeros } from "./create.ts";

type ZerosBeside = (beside: Tensor, shape: readonly number[], dtype: DType) => Tensor;

/** Zeros of a shape and dtype, batched as another tensor is. They do not depend on the other's elements. */
export const zerosBeside: ZerosBeside = /* @__PURE__ */ makerOp(
  "zerosBeside",
  (beside: Tensor, shape: readonly number[], dtype: DType) =>
    zeros(shape, { dtype, device: beside.device.type as "cpu" }),
  { linear: "none", batch: "zerosBeside" },
);
